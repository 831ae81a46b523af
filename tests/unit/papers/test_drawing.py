import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.papers.drawing import spread, svg_of, tick_text, write_pictures
from thresher.papers.figure import Line, Panel

PANEL = Panel(
    "a title",
    "budget T",
    "mistakes",
    (
        Line("lsa", (100.0, 1000.0, 8000.0), (10.0, 3.0, 0.2), (9.0, 2.5, 0.0), (11.0, 3.5, 0.4)),
        Line("oracle", (100.0, 8000.0), (12.0, 1.0)),
        Line("apt, published", (1000.0, 8000.0), (5.0, 2.0), (4.0, 1.0), (6.0, 3.0), is_dots=True),
        Line("stopping", (100.0, 8000.0), (9.0, 0.0)),  # a 0 that no logarithmic axis can show
    ),
    is_log_x=True,
    is_log_y=True,
    reference=(5.0, "five mistakes", "right"),
    labels=(("oracle", 0.9, "right"),),
)


def words(svg: str) -> set[str]:
    return {"".join(text.itertext()).strip() for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}


def test_the_svg_has_every_name_and_title_as_text() -> None:
    written = words(svg_of(PANEL, salt="x"))
    assert {
        "a title",
        "budget T",
        "mistakes",
        "lsa",
        "oracle",
        "apt, published",
        "stopping",
        "five mistakes",
    } <= written
    assert {"100", "1k", "5k"} <= written


def test_the_same_panel_gives_the_same_svg_and_another_salt_other_identifiers() -> None:
    assert svg_of(PANEL, salt="x") == svg_of(PANEL, salt="x")
    assert svg_of(PANEL, salt="x") != svg_of(PANEL, salt="y")


def test_pictures_are_written_as_png_and_svg(tmp_path: Path) -> None:
    write_pictures([PANEL, PANEL, PANEL], tmp_path / "three")
    assert (tmp_path / "three.png").read_bytes().startswith(b"\x89PNG")
    assert "a title" in words((tmp_path / "three.svg").read_text())


@pytest.mark.parametrize(
    ("value", "text"), [(0.2, "0.2"), (500.0, "500"), (1000.0, "1k"), (20000.0, "20k"), (1e7, "10⁷"), (5e8, "5·10⁸")]
)
def test_ticks_are_short(value: float, text: str) -> None:
    assert tick_text(value) == text


def test_labels_of_one_height_stand_around_it() -> None:
    assert spread([0.5, 0.5], spacing=0.1) == pytest.approx([0.45, 0.55])
    assert spread([0.2, 0.8], spacing=0.1) == [0.2, 0.8]
    assert spread([0.0, 0.0], spacing=0.1) == pytest.approx([0.0, 0.1])
    assert spread([1.0, 1.0], spacing=0.1) == pytest.approx([0.9, 1.0])
    assert spread([], spacing=0.1) == []


@given(st.lists(st.floats(0.0, 1.0), max_size=10).map(sorted))
def test_labels_keep_their_order_and_their_distance_inside_the_axes(heights: list[float]) -> None:
    places = spread(heights, spacing=0.08)
    assert all(after - before >= 0.08 - 1e-12 for before, after in itertools.pairwise(places))
    assert all(-1e-12 <= place <= 1.0 + 1e-12 for place in places)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8).map(sorted))
def test_labels_that_are_apart_stay_where_they_are(heights: list[float]) -> None:
    if all(after - before >= 0.08 for before, after in itertools.pairwise(heights)):
        assert spread(heights, spacing=0.08) == pytest.approx(heights)
