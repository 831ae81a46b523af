import math
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from thresher.errors import ExperimentError, MissingExtraError
from thresher.report import Line, curves_of, draw_curves, picture_path

CURVES = [
    Line("lsa", (100.0, 200.0, 900.0), (8.0, 4.0, 0.5), (7.8, 3.8, 0.4), (8.2, 4.2, 0.6)),
    Line("apt", (100.0, 200.0, 900.0), (7.0, 5.0, 0.0), (6.8, 4.8, 0.0), (7.2, 5.2, 0.0)),
]
LIMIT = Line("integer limit", (100.0, 200.0, 900.0), (6.0, 3.0, 0.4))


@dataclass(frozen=True)
class Row:
    """A row with a loss."""

    policy: str
    budget: float
    mean: float
    stderr: float


def test_rows_are_gathered_by_policy_in_order() -> None:
    rows = [Row("b", 10.0, 3.0, 0.1), Row("a", 10.0, 4.0, 0.2), Row("b", 20.0, 1.0, 0.05)]
    assert curves_of(rows) == [
        Line("b", (10.0, 20.0), (3.0, 1.0), (2.8, 0.9), (3.2, 1.1)),
        Line("a", (10.0,), (4.0,), (3.6,), (4.4,)),
    ]


def test_a_mean_whose_error_is_not_known_has_no_band() -> None:
    assert curves_of([Row("b", 10.0, 3.0, math.nan)]) == [Line("b", (10.0,), (3.0,))]


def test_the_picture_shows_what_a_logarithm_can_show() -> None:
    (axes,) = draw_curves([*CURVES, LIMIT], title="a title", ylabel="mistakes").axes
    drawn = [line.get_xydata().tolist() for line in axes.lines]  # type: ignore[union-attr]
    assert drawn[0] == [[100.0, 8.0], [200.0, 4.0], [900.0, 0.5]]
    assert drawn[1] == [[100.0, 7.0], [200.0, 5.0]]  # without the zero
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_ylabel() == "mistakes"
    assert axes.get_title(loc="left") == "a title"
    assert len(axes.collections) == 2  # bands of two standard errors, none around an exact curve


def test_every_curve_has_its_name_next_to_it_also_one_that_ends_in_zero() -> None:
    (axes,) = draw_curves([*CURVES, LIMIT], title="", ylabel="").axes
    assert {text.get_text() for text in axes.texts} == {"lsa", "apt", "integer limit"}


def test_names_keep_apart() -> None:
    close = [Line(f"policy-{i}", (10.0, 90.0), (8.0, 1.0 + 1e-6 * i)) for i in range(6)]
    (axes,) = draw_curves(close, title="", ylabel="").axes
    heights = sorted(text.get_position()[1] for text in axes.texts)
    assert all(second - first > 0.04 for first, second in pairwise(heights))


def test_a_second_panel_shows_the_curves_over_the_limit() -> None:
    figure = draw_curves(CURVES, title="", ylabel="mistakes (weighted by cost)", limit=LIMIT)
    means, ratios = figure.axes
    assert [line.get_xydata().tolist()[0] for line in means.lines] == [[100.0, 6.0], [100.0, 8.0], [100.0, 7.0]]  # type: ignore[union-attr]
    limit, lsa, _ = (line.get_xydata()[:, 1].tolist() for line in ratios.lines)  # type: ignore[union-attr, index]
    assert limit == [1.0, 1.0, 1.0]
    assert lsa == pytest.approx([8 / 6, 4 / 3, 5 / 4])
    assert ratios.get_ylabel() == "mistakes / limit"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["integer limit", "lsa", "apt"]


def test_a_name_with_dollars_is_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "p.svg"
    draw_curves([Line("$x_{$", (1.0, 2.0), (1.0, 2.0))], title="$\\frac{$", ylabel="loss", path=path)
    assert "$x_{$" in path.read_text()


def test_nothing_but_zeros_is_an_empty_picture() -> None:
    (axes,) = draw_curves([Line("lsa", (10.0, 20.0), (0.0, 0.0))], title="", ylabel="").axes
    assert axes.get_yscale() == "linear"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none" / "p.png", tmp_path / "p.xyz"):
        with pytest.raises(ExperimentError, match=r"cannot write the picture .*; name an existing folder"):
            draw_curves(CURVES, title="", ylabel="", path=path)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[plots\]'"):
        draw_curves(CURVES, title="", ylabel="")


def test_it_is_known_beforehand_where_a_picture_will_be(tmp_path: Path) -> None:
    assert picture_path(str(tmp_path / "p.svg")) == tmp_path / "p.svg"
    assert picture_path(tmp_path / "P.PNG") == tmp_path / "P.PNG"
    bare = picture_path(tmp_path / "pic")
    assert bare == tmp_path / "pic.png"
    draw_curves(CURVES, title="", ylabel="", path=bare)
    assert [path.name for path in tmp_path.iterdir()] == ["pic.png"]


def test_it_is_known_beforehand_that_a_picture_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    for path, why in (
        (tmp_path / "none" / "p.png", "there is no folder"),
        (tmp_path / "p.foo", ".foo is not a picture format"),
        (tmp_path / "folder.png", "nothing can be written there"),
    ):
        with pytest.raises(ExperimentError, match=f"cannot write the picture .*{why}.*; name an existing folder"):
            picture_path(path)
