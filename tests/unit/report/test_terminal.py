from thresher.report import Line, terminal_picture
from thresher.report.terminal import HEIGHT, WIDTH


def rows_of(picture: str) -> list[str]:
    """Return the grid of a picture, from top to bottom."""
    return [line.partition("│")[2] for line in picture.splitlines() if "│" in line]


def test_each_curve_has_a_letter_and_stars_mark_where_they_meet() -> None:
    one = Line("lsa", (10.0, 1000.0), (8.0, 0.5))
    other = Line("apt", (10.0, 1000.0), (8.0, 2.0))
    picture = terminal_picture([one, other], ylabel="mistakes (log)")
    grid = rows_of(picture)
    assert picture.splitlines()[0] == "mistakes (log)"
    assert len(grid) == HEIGHT
    assert {len(row) for row in grid} == {WIDTH}
    assert grid[0][0] == "*"  # both begin at the top left
    assert grid[-1][-1] == "a"  # the lower one ends at the bottom right
    # log 2 is half-way between log 0.5 and log 8
    assert [row[-1] for row in grid].index("b") in (HEIGHT // 2 - 1, HEIGHT // 2)
    assert "a lsa   b apt" in picture
    assert "10" in picture.splitlines()[-2]
    assert "1,000" in picture.splitlines()[-2]


def test_zeros_are_left_out() -> None:
    grid = rows_of(terminal_picture([Line("lsa", (10.0, 20.0, 40.0), (4.0, 2.0, 0.0))], ylabel=""))
    assert sum(row.count("a") for row in grid) == 2


def test_a_single_budget_is_no_picture() -> None:
    assert terminal_picture([Line("lsa", (10.0,), (4.0,))], ylabel="") == ""
    assert terminal_picture([Line("lsa", (10.0, 20.0), (0.0, 0.0))], ylabel="") == ""
    assert terminal_picture([], ylabel="") == ""


def test_equal_values_are_one_line() -> None:
    grid = rows_of(terminal_picture([Line("lsa", (10.0, 20.0), (4.0, 4.0))], ylabel=""))
    assert sum("a" in row for row in grid) == 1
