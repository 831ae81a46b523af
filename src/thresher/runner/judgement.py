"""The exit code of decisions."""

from __future__ import annotations

from collections.abc import Iterable

from thresher.live import Verdict


def exit_code(rows: Iterable[Verdict]) -> int:
    """Return 0 if every arm passes, 1 if some arm fails, 2 if none fails and some are open."""
    found = {row.decision for row in rows}
    return 1 if "fail" in found else 2 if "open" in found else 0
