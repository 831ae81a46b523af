from thresher.papers.look import LOOKS, look_of
from thresher.report.curves import COLOURS


def test_the_other_reading_has_the_colour_of_the_first_and_dashes() -> None:
    assert look_of("lsa, Δ = |μ|").colour == look_of("lsa").colour
    assert look_of("lsa, Δ = |μ|").dashes == "--"
    assert look_of("apt, published").colour == look_of("apt").colour


def test_policies_differ_in_colour_and_marker() -> None:
    policies = ["apt", "lsa", "fwt-sqrt", "fwt", "stopping", "uniform"]
    assert (
        len({LOOKS[name].colour for name in policies})
        == len({LOOKS[name].marker for name in policies})
        == len(policies)
    )
    assert {LOOKS[name].colour for name in policies} <= set(COLOURS)
