from pathlib import Path

import numpy as np

from thresher.report.dot_plot import Dots, draw_dots

SERIES = [Dots("one", {"top": 2.0, "bottom": 0.5}), Dots("limit", {"top": 0.8}, is_limit=True)]


def test_each_value_is_drawn_in_its_row_the_first_on_top(tmp_path: Path) -> None:
    paths = [tmp_path / "dots.png", tmp_path / "dots.svg"]
    axes = draw_dots(SERIES, ["top", "bottom"], title="t", xlabel="ratio", paths=paths).axes[0]
    one, limit = axes.collections
    assert one.get_offsets().tolist() == [[2.0, 0.0], [0.5, -1.0]]  # type: ignore[union-attr]
    assert limit.get_offsets().tolist() == [[0.8, 0.0]]  # type: ignore[union-attr]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["top", "bottom"]
    assert axes.get_xlabel() == "ratio"
    assert all(path.stat().st_size > 1000 for path in paths)


def test_marks_that_would_cover_each_other_stand_above_and_below_the_line() -> None:
    close = [Dots(name, {"row": value}) for name, value in (("a", 1.0), ("b", 1.01), ("c", 1.02), ("d", 1.5))]
    axes = draw_dots(close, ["row"], title="", xlabel="").axes[0]
    heights = [dots.get_offsets().tolist()[0][1] for dots in axes.collections]  # type: ignore[union-attr]
    assert len(set(heights[:3])) == 3
    assert heights[0] == heights[3] == 0.0


def test_the_same_picture_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        draw_dots(SERIES, ["top", "bottom"], title="", xlabel="", paths=[tmp_path / name])
    assert (tmp_path / "a.svg").read_text().count("<g") == (tmp_path / "b.svg").read_text().count("<g")
    assert "<dc:date>" not in (tmp_path / "a.svg").read_text()


def test_two_variants_of_a_policy_have_different_marks() -> None:
    variants = [Dots(name, {"row": 1.0}) for name in ("lsa:alpha=1.35", "lsa:evidence=kl")]
    axes = draw_dots(variants, ["row"], title="", xlabel="").axes[0]
    first, second = (np.asarray(dots.get_paths()[0].vertices).tolist() for dots in axes.collections)
    assert first != second
