"""The picture of arms and items: right at small sizes, small at large ones."""

import re

import numpy as np

from thresher.report.item_picture import LEFT, RIGHT, WIDTH, item_picture

AB = ("a", "b")


def runs(drawn: str, shade: str) -> list[tuple[float, float, float]]:
    """Return x, y and width of each run of cells of a shade."""
    [path] = re.findall(rf'<path d="([^"]*)" class="cells {shade}"', drawn)
    found = re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v", path)
    return [(float(x), float(y), float(wide)) for x, y, wide in found]


def test_the_best_arm_is_on_top_and_the_hardest_item_on_the_left() -> None:
    table = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]])
    drawn = item_picture(table, np.array([1, 0, 2]), arms=AB, low=0.0, high=1.0)
    wide, tall = (WIDTH - LEFT - RIGHT) / 3, 24.0
    assert runs(drawn, "c4") == [(LEFT + wide, 24.0, 2 * wide), (LEFT + 2 * wide, 24.0 + tall, wide)]
    assert runs(drawn, "c0") == [(LEFT, 24.0, wide), (LEFT, 24.0 + tall, 2 * wide)]


def test_unknown_outcomes_are_left_blank() -> None:
    table = np.array([[1.0, np.nan], [np.nan, np.nan]])
    drawn = item_picture(table, np.arange(2), arms=AB, low=0.0, high=1.0)
    assert runs(drawn, "c4") == [(LEFT, 24.0, (WIDTH - LEFT - RIGHT) / 2)]
    assert runs(drawn, "c0") == []
    assert "no outcome yet" in item_picture(np.full((2, 2), np.nan), np.arange(2), arms=AB, low=0.0, high=1.0)


def test_a_large_table_is_a_small_picture_of_means() -> None:
    rng = np.random.default_rng(1)
    table = (rng.random((200, 14_000)) < np.linspace(0.0, 1.0, 14_000)).astype(np.float64)
    names = [f"arm {k}" for k in range(200)]
    drawn = item_picture(table, np.arange(14_000), arms=names, low=0.0, high=1.0)
    assert len(drawn) < 100_000
    hard, easy = runs(drawn, "c0"), runs(drawn, "c4")
    assert {y for _, y, _ in hard} == {y for _, y, _ in easy} == {24 + 15.0 * row for row in range(50)}
    assert max(x + wide for x, _, wide in hard) < min(x for x, _, _ in easy)


def test_every_row_has_the_name_of_its_arm_or_of_the_first_of_several() -> None:
    table = np.array([[0.0], [1.0], [0.5]])
    drawn = item_picture(table, np.arange(1), arms=("low", "high", "m" * 80), low=0.0, high=1.0)
    names = re.findall(r'text-anchor="end" class="tick">([^<]+)<', drawn)
    assert names == ["high", f"{'m' * 11}…{'m' * 12}", "low", "0"]  # the last is the key of the shades
    assert re.findall(r'<rect [^>]*class="cells (c\d)"', drawn) == ["c0", "c1", "c2", "c3", "c4"]
    both = item_picture(table[:2], np.arange(1), arms=AB, low=0.0, high=1.0)
    assert re.findall(r'<rect [^>]*class="cells (c\d)"', both) == ["c0", "c4"]
    drawn = item_picture(np.ones((120, 1)), np.arange(1), arms=[f"a{k}" for k in range(120)], low=0.0, high=1.0)
    assert re.findall(r'class="tick">(a\d+ \+\d)<', drawn)[:3] == ["a0 +1", "a2 +1", "a4 +2"]
