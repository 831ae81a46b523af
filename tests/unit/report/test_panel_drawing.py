import itertools
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.report.panel_drawing import (
    draw_panels,
    legend_svg,
    shares_legend,
    spread,
    svg_of,
    tick_text,
    write_pictures,
)
from thresher.report.panels import Line, Panel

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
    ("value", "text"),
    [(0.2, "0.2"), (500.0, "500"), (1000.0, "1k"), (20000.0, "20k"), (1e7, "10⁷"), (5e8, "5·10⁸"), (1e-5, "10⁻⁵")],
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


def test_panels_with_the_same_curves_share_one_legend_in_which_published_values_are_one_entry() -> None:
    lines = (*PANEL.lines, Line("lsa, published", (1000.0,), (4.0,), is_dots=True))
    panels = [replace(PANEL, lines=lines, labels=(), title=title) for title in ("one", "two")]
    assert shares_legend(panels)
    figure = draw_panels(panels)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["lsa", "oracle", "stopping", "published"]
    assert {text.get_text() for axes in figure.axes for text in axes.texts} == {"five mistakes"}
    assert {"lsa", "published"} <= words(legend_svg(panels, salt="x"))
    assert "lsa" not in words(svg_of(panels[0], salt="x", has_names=False))


def test_one_panel_or_panels_with_other_curves_or_names_placed_by_hand_have_no_legend() -> None:
    free = replace(PANEL, labels=())
    assert not shares_legend([free])
    assert not shares_legend([free, replace(free, lines=free.lines[:2])])
    assert not shares_legend([PANEL, PANEL])


def test_a_line_has_a_gap_where_a_logarithmic_axis_cannot_show_it() -> None:
    panel = Panel("", "", "", (Line("lsa", (1.0, 2.0, 3.0, 4.0), (5.0, 0.0, 2.0, 0.0)),), is_log_y=True)
    (axes,) = draw_panels([panel]).axes
    drawn = axes.lines[0].get_xydata()
    np.testing.assert_array_equal(drawn, [[1.0, 5.0], [2.0, np.nan], [3.0, 2.0]])
