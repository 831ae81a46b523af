import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from thresher.errors import ExperimentError, MissingExtraError
from thresher.report import draw_verdicts
from thresher.report.verdict_picture import MOST_ROWS


@dataclass(frozen=True)
class Row:
    """What is known of an arm."""

    arm: str
    verdict: str = "above"
    decision: str = "pass"
    proven: bool = True
    within: bool = False
    p_wrong: float = 0.01
    mean: float | None = 0.8
    pulls: int = 10
    low: float = 0.7
    high: float = 0.9
    threshold: float = 0.6
    valid_low: float = 0.62
    valid_high: float = 0.95


ROWS = [
    Row("good"),
    Row("doubtful", decision="open", mean=0.65, low=0.4, high=0.85),
    Row("bad", verdict="below", decision="fail", mean=0.2, low=0.1, high=0.3),
    Row("unknown", verdict="undecided", decision="open", mean=None, pulls=0, low=-float("inf"), high=float("inf")),
]


def test_each_arm_has_its_bar_its_interval_and_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.png"
    axes = draw_verdicts(ROWS, title="coins", path=path).axes[0]
    assert path.stat().st_size > 1000
    assert [label.get_text() for label in axes.get_yticklabels()] == ["bad", "unknown", "doubtful", "good"]
    assert axes.get_title(loc="left") == "coins"
    lines = [(tuple(line.get_xdata()), line.get_markerfacecolor()) for line in axes.lines]  # type: ignore[arg-type]
    spans = [span for span, _ in lines]
    # Bar, always-valid interval, interval, mark; the arm of which nothing is known has its bar alone.
    assert spans == [
        *((0.6, 0.6), (0.62, 0.95), (0.1, 0.3), (0.2,)),
        (0.6, 0.6),
        *((0.6, 0.6), (0.62, 0.95), (0.4, 0.85), (0.65,)),
        *((0.6, 0.6), (0.62, 0.95), (0.7, 0.9), (0.8,)),
    ]
    faces = {span[0]: face for span, face in lines if len(span) == 1}
    assert (faces[0.65], faces[0.8] != "white") == ("white", True)  # open: only likely


def test_of_very_many_arms_the_open_ones_are_shown() -> None:
    rows = [Row(f"arm {k}", mean=0.7 + k / 1000) for k in range(100)] + [ROWS[1]]
    axes = draw_verdicts(rows, title="many").axes[0]
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert (len(shown), shown[0], shown[-1]) == (MOST_ROWS, "doubtful", f"arm {MOST_ROWS - 2}")
    assert axes.get_title(loc="left") == f"many; the {MOST_ROWS} nearest to a bar of 101 arms"


def test_a_name_is_no_formula(tmp_path: Path) -> None:
    rows = [Row(r"$\frac{1}$ and $x$"), Row("x" * 500)]
    draw_verdicts(rows, title="$5 or $6", path=tmp_path / "names.svg")
    assert "x" * 39 + "…" in (tmp_path / "names.svg").read_text()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="cannot write the picture"):
        draw_verdicts(ROWS, title="", path=tmp_path / "nowhere" / "verdicts.png")


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[plots\]'"):
        draw_verdicts(ROWS, title="")
