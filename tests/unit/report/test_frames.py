import importlib

import polars as pl
import pytest

from thresher.errors import ExperimentError
from thresher.report import frame_of, frames

ROWS = [{"policy": "lsa", "budget": 10, "mean": 1.5}, {"policy": "apt", "budget": 20, "mean": 0.5}]


def test_the_first_library_that_is_installed_makes_the_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = frame_of(ROWS)
    assert isinstance(frame, importlib.import_module("pandas").DataFrame)
    assert frame.to_dict("records") == ROWS
    monkeypatch.setattr(frames, "LIBRARIES", ("no_such_library", "polars"))
    other = frame_of(ROWS)
    assert isinstance(other, pl.DataFrame)
    assert other.to_dicts() == ROWS


def test_pandas_and_polars_come_before_the_tables_of_pyarrow() -> None:
    assert frames.LIBRARIES == ("pandas", "polars", "pyarrow")


def test_no_rows_make_an_empty_frame() -> None:
    assert len(frame_of([])) == 0


def test_without_a_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "LIBRARIES", ("no_such_library",))
    with pytest.raises(ExperimentError, match="type: pip install pandas, or polars"):
        frame_of(ROWS)
