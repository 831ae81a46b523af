from thresher.report.panels import Line, Panel
from thresher.research.papers.distributions import AT, found


def test_the_share_of_the_ten_nearest_arms_by_hand() -> None:
    means = tuple(k / 20 - 0.5 for k in range(20))
    even = Line("apt", means, (1.0,) * 20)
    # The ten arms in the middle are the nearest to 0.
    near = Line("lsa", means, (0.0,) * 6 + (1.0,) * 9 + (0.0,) * 5)
    lines = (Line("oracle", means, (0.0,) * 4 + (1.0,) * 16), even, near, Line("fwt-sqrt", means, (1.0,) * 20))
    told = found(tuple(Panel(f"T = {budget:g}", "μ", "pulls", lines) for budget in AT))
    assert "4 at T = 100" in told
    assert "T = 500: apt 50%, lsa 100%, fwt-sqrt 50%" in told
