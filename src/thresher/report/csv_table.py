"""Rows as CSV, safe from formula injection in spreadsheets."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

# A spreadsheet evaluates text that begins with one of these; the full-width ones in Chinese and Japanese locales.
RISKY = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a CSV file, the names of the columns first.

    Unknown numbers (None, NaN, infinities) are empty cells. A text that a spreadsheet would read as a formula is
    prefixed with an apostrophe; numbers are not changed.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row[column]) for column in columns])
        if buffer.tell() > 10_000:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return f"'{value}" if value.lstrip().startswith(RISKY) else value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None or (isinstance(value, float) and not math.isfinite(value)) else value
