"""Rows as a data frame of whichever library the user has."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.errors import ExperimentError

LIBRARIES = ("pandas", "polars", "pyarrow")


def frame_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return the rows as a frame of pandas, polars or pyarrow, the first that is installed.

    Raises
    ------
    ExperimentError
        If none of them is.
    """
    import narwhals

    columns = {key: [row[key] for row in rows] for key in rows[0]} if rows else {}
    library: Any
    for library in LIBRARIES:
        if importlib.util.find_spec(library) is not None:
            return narwhals.from_dict(columns, backend=library).to_native()
    raise ExperimentError("no library of data frames is installed", instead="type: pip install pandas, or polars")
