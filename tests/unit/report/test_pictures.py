"""The pictures of a campaign: what they show is where it should be."""

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import pytest

from thresher.report import allocation, progress, running
from thresher.report.allocation import allocation_picture
from thresher.report.progress import progress_picture
from thresher.report.running import running_picture
from thresher.report.timeline import timeline_picture
from thresher.report.verdict_rows import HEIGHT, WIDTH, Strips, distance, look_of


@dataclass(frozen=True)
class Row:
    """What is known of an arm."""

    mean: float | None = 0.7
    pulls: int = 10
    low: float = 0.6
    high: float = 0.8
    threshold: float = 0.5
    verdict: str = "above"
    decision: str = "pass"
    proven: bool = True
    within: bool = False
    p_wrong: float = 0.01
    arm: str = "a"
    valid_low: float = 0.55
    valid_high: float = 0.85


@dataclass(frozen=True)
class Point:
    """Expected mistakes when so much was spent."""

    spent: float
    mistakes: float


@dataclass(frozen=True)
class Moment:
    """The estimates after this many measurements."""

    pulls: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Settled:
    """A decision, and when it was made."""

    position: int
    arm: str
    decision: str
    spent: float


def parts(drawn: str, name: str, kind: str) -> list[ET.Element]:
    """Return the elements of a picture that have a class."""
    root = ET.fromstring(drawn)
    return [e for e in root.iter() if e.tag.endswith(name) and kind in (e.get("class") or "").split()]


def texts(drawn: str) -> list[str]:
    """Return all that is written in a picture."""
    return [element.text or "" for element in ET.fromstring(drawn).iter() if element.tag.endswith("text")]


def steps(path: ET.Element) -> list[tuple[float, float]]:
    """Return the points of a path."""
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path.get("d") or "")]


def test_mistakes_go_down_as_the_budget_goes_right() -> None:
    drawn = progress_picture([Point(0, 4.0), Point(50, 2.0)], budget=100, end=Point(100, 1.0))
    line, projected = parts(drawn, "path", "line")
    (x0, y0), (x1, y1) = steps(line)
    assert (x0, x1) == (progress.LEFT, (progress.LEFT + progress.WIDTH - progress.RIGHT) / 2)
    assert y0 < y1 < steps(projected)[1][1]  # downwards on a screen is more
    assert steps(projected)[1][0] == progress.WIDTH - progress.RIGHT
    assert "1" in texts(drawn)
    assert "Projected at the end of the budget: 1." in drawn


def test_the_scale_is_linear_however_steep_the_fall() -> None:
    mistakes = [10.0, 5.0, 0.0001]
    drawn = progress_picture([Point(50.0 * i, value) for i, value in enumerate(mistakes)], budget=100)
    heights = [y for _, y in steps(parts(drawn, "path", "line")[0])]
    assert heights[1] - heights[0] == pytest.approx(heights[2] - heights[1], abs=0.2)


def test_more_points_below_the_first_do_not_move_the_scale() -> None:
    first = [Point(0, 8.0), Point(10, 6.0)]
    before, after = (progress_picture(points, budget=100) for points in (first, [*first, Point(90, 0.001)]))
    assert steps(parts(after, "path", "line")[0])[:2] == steps(parts(before, "path", "line")[0])


@pytest.mark.parametrize(
    "drawn",
    [
        progress_picture([], budget=10),
        allocation_picture([Row(mean=None, pulls=0)]),
        running_picture([], threshold=0.5),
    ],
)
def test_a_picture_of_nothing_says_so(drawn: str) -> None:
    assert "no outcome yet" in texts(drawn)
    assert not parts(drawn, "path", "dots")


def test_a_mistake_of_zero_does_not_break_the_picture() -> None:
    drawn = progress_picture([Point(1, 0.0)], budget=0)
    assert "nan" not in drawn
    assert "inf" not in drawn


def test_dots_stand_at_mean_and_pulls() -> None:
    rows = [Row(mean=0.0, pulls=0 + 5, decision="fail"), Row(mean=1.0, pulls=10), Row(mean=None, pulls=0)]
    drawn = allocation_picture(rows)
    [below], [above] = parts(drawn, "circle", "fail"), parts(drawn, "circle", "pass")
    (x0, y0), (x1, y1) = ((float(dot.get("cx") or 0), float(dot.get("cy") or 0)) for dot in (below, above))
    assert x0 < x1
    assert y1 < y0
    assert x0 - allocation.LEFT == pytest.approx(allocation.WIDTH - allocation.RIGHT - x1, abs=0.2)
    [bar] = parts(drawn, "line", "bar")
    assert float(bar.get("x1") or 0) == pytest.approx((x0 + x1) / 2, abs=0.1)


def test_where_bars_differ_dots_stand_at_the_distance_from_them() -> None:
    rows = [Row(mean=10.0, threshold=9.0), Row(mean=101.0, threshold=100.0)]
    drawn = allocation_picture(rows)
    assert "mean, less the bar" in texts(drawn)
    assert len({(dot.get("cx"), dot.get("cy")) for dot in parts(drawn, "circle", "pass")}) == 1


def test_ten_thousand_arms_are_few_dots_that_count_all_of_them() -> None:
    rows = [Row(mean=(i % 50) / 50, pulls=1 + i % 7, decision="pass" if i % 2 else "fail") for i in range(10_000)]
    drawn = allocation_picture(rows)
    assert len(drawn) < 15_000
    sizes = {size for size in ("few", "some", "many", "most") if parts(drawn, "path", size)}
    assert sizes == {"many"}  # each dot stands for 10,000 / 350 arms
    assert sum(len(steps(path)) for path in parts(drawn, "path", "dots")) == 350


def test_a_running_mean_has_its_interval_and_its_bar() -> None:
    moments = [Moment(1, 1.0, -math.inf, math.inf), Moment(2, 0.5, 0.1, 0.9), Moment(4, 0.75, 0.4, 0.9)]
    drawn = running_picture(moments, threshold=0.6)
    [line], [band] = parts(drawn, "path", "line"), parts(drawn, "path", "band")
    assert [round(x, 1) for x, _ in steps(line)] == [210.0, 372.0, 696.0]
    assert len(steps(band)) == 4  # there and back where the interval is finite
    assert "bar 0.6" in texts(drawn)
    assert f"0 0 {running.WIDTH} {running.HEIGHT}" in drawn


def test_a_strip_shows_bar_interval_and_mean_on_the_scale_of_all() -> None:
    rows = [Row(mean=0.2, low=0.1, high=0.4, decision="fail"), Row(mean=0.9, low=0.8, high=1.0)]
    strips = Strips(rows)
    drawn = [strips.strip(row) for row in rows]
    bars = {parts(strip, "line", "bar")[0].get("x1") for strip in drawn}
    assert len(bars) == 1
    bar = float(bars.pop() or 0)
    left, right = (float(parts(strip, "circle", "dot")[0].get("cx") or 0) for strip in drawn)
    assert 0 < left < bar < right < WIDTH
    [interval] = parts(drawn[1], "line", "interval")
    assert bar < float(interval.get("x1") or 0) < right < float(interval.get("x2") or 0)
    assert float(interval.get("y1") or 0) == HEIGHT / 2


def test_an_endless_interval_is_not_drawn_and_a_wide_one_is_cut() -> None:
    rows = [Row(low=-math.inf, high=math.inf), Row(low=-100.0, high=100.0), Row(mean=0.3, low=0.2, high=0.4)]
    strips = Strips(rows)
    assert parts(strips.strip(rows[0]), "line", "interval") == []
    [cut] = parts(strips.strip(rows[1]), "line", "interval")
    assert 0 <= float(cut.get("x1") or 0) < float(cut.get("x2") or 0) <= WIDTH
    dots = [float(parts(strips.strip(row), "circle", "dot")[0].get("cx") or 0) for row in rows]
    assert abs(dots[1] - dots[2]) > WIDTH / 5  # means are still told apart


def test_one_outlier_squashes_neither_strips_nor_dots_and_is_marked() -> None:
    rows = [
        Row(mean=0.4 + 0.02 * k, arm=f"a{k}", low=0.35, high=0.65, valid_low=0.35, valid_high=0.65) for k in range(12)
    ]
    rows.append(Row(mean=1e6, low=1e5, high=1e7, valid_low=1e4, valid_high=1e8, arm="far"))
    strips = Strips(rows)
    dots = [float(parts(strips.strip(row), "circle", "dot")[0].get("cx") or 0) for row in rows[:-1]]
    assert max(dots) - min(dots) > WIDTH / 3
    assert parts(strips.strip(rows[-1]), "circle", "dot") == []
    assert len(parts(strips.strip(rows[-1]), "path", "cut")) == 1
    assert parts(strips.strip(rows[0]), "path", "cut") == []
    drawn = allocation_picture(rows)
    places = [float(dot.get("cx") or 0) for dot in parts(drawn, "circle", "arm")]
    assert len(places) == 12
    assert max(places) - min(places) > allocation.WIDTH / 2
    assert len(parts(drawn, "path", "cut")) == 1


def test_every_dot_has_a_name_and_a_link_and_names_do_not_overlap() -> None:
    rows = [Row(mean=0.4 + 0.03 * k, pulls=10 * k + 5, arm=f"<arm {k}>" + "x" * 80) for k in range(12)]
    drawn = allocation_picture(rows, link=lambda place: f"/arms/{place}")
    links = [element for element in ET.fromstring(drawn).iter() if element.tag.endswith("}a")]
    assert sorted(link.get("href") or "" for link in links) == sorted(f"/arms/{k}" for k in range(12))
    named = [words for words in texts(drawn) if words.startswith("<arm")]
    assert 1 <= len(named) <= allocation.NAMED
    assert all(len(words) <= allocation.LONGEST for words in named)


def test_decisions_climb_in_their_order() -> None:
    decided = [Settled(1, "b", "fail", 10.0), Settled(0, "a", "pass", 40.0)]
    drawn = timeline_picture(decided, budget=100.0, n_arms=4, link=lambda place: f"/arms/{place}")
    first, second = parts(drawn, "circle", "arm")
    assert (first.get("class"), second.get("class")) == ("arm fail", "arm pass")
    assert float(first.get("cx") or 0) < float(second.get("cx") or 0)
    assert float(first.get("cy") or 0) > float(second.get("cy") or 0)
    assert "2 of 4 arms were decided, the last one when 40 were spent." in drawn
    assert {"a", "b"} <= set(texts(drawn))


def test_where_bars_differ_all_strips_have_theirs_in_the_same_place() -> None:
    rows = [Row(mean=10.0, low=9.5, high=11.0, threshold=9.0), Row(mean=100.5, low=99.0, high=102.0, threshold=100.0)]
    strips = Strips(rows)
    assert strips.is_relative
    assert len({parts(strips.strip(row), "line", "bar")[0].get("x1") for row in rows}) == 1


def test_the_look_of_a_decision_and_the_distance_from_the_bar() -> None:
    assert (look_of(Row()), look_of(Row(decision="open", proven=False))) == ("pass proven", "open likely")
    assert distance(Row(mean=None, pulls=0)) == 0.0
    assert distance(Row()) == pytest.approx(0.2)
