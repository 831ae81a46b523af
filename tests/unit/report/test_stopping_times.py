from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from thresher.errors import ExperimentError
from thresher.report import StoppingTime, draw_stopping_times

TIMES = [
    StoppingTime("slow $x$", 900.0, 1000.0, 1000.0, 0.0, 0.0),
    StoppingTime("fast", 10.0, 20.0, 40.0, 0.1, 0.02),
]


def draw(times: list[StoppingTime] = TIMES, path: Path | None = None) -> Figure:
    """Return the picture."""
    return draw_stopping_times(times, alpha=0.05, most=1000.0, title="title", path=path)


def test_every_policy_has_a_row_with_its_name_and_its_median() -> None:
    pulls, errors = draw().axes
    assert [label.get_text() for label in pulls.get_yticklabels()] == ["slow $x$", "fast"]
    assert list(pulls.get_yticks()) == [0, -1]
    # A median of the most pulls is a lower limit.
    labels = [(text.get_text(), text.xy) for text in pulls.texts if isinstance(text, Annotation)]
    assert labels == [("≥ 1,000", (1000.0, 0)), ("20", (20.0, -1))]
    assert errors.get_ylim() == pulls.get_ylim()


def test_pulls_far_apart_are_on_a_logarithmic_axis_and_others_are_not() -> None:
    assert draw().axes[0].get_xscale() == "log"
    assert draw(TIMES[1:]).axes[0].get_xscale() == "linear"


@pytest.mark.parametrize("error", [0.0, 0.1])
def test_the_axis_of_errors_holds_zero_all_errors_and_the_error_rate(error: float) -> None:
    _, errors = draw([StoppingTime("one", 1.0, 2.0, 3.0, error, float("nan"))]).axes
    low, high = errors.get_xlim()
    assert low < 0.0
    assert low > -0.1 * high
    assert high > max(error, 0.05)
    assert [text.get_text() for text in errors.texts] == ["α = 0.05"]


def test_it_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        path = tmp_path / f"times.{ending}"
        draw(path=path)
        assert path.read_bytes().startswith(start)
    with pytest.raises(ExperimentError, match="cannot write the picture"):
        draw(path=tmp_path / "none" / "times.png")
