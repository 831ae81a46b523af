"""Whether an arm passes: on the wished side of the bar, and sure of it."""

from __future__ import annotations

from collections.abc import Iterable

from thresher.live import Verdict

PASS, FAIL, UNSURE = "pass", "fail", "not sure"


def judgement(row: Verdict, passes: str) -> str:
    """Return ``pass``, ``fail`` or ``not sure`` for one arm.

    Parameters
    ----------
    row : Verdict
    passes : str
        ``above`` or ``below``: the side on which an arm passes.
    """
    if not row.sure or row.verdict == "undecided":
        return UNSURE
    return PASS if row.verdict == passes else FAIL


def exit_code(rows: Iterable[Verdict], passes: str) -> int:
    """Return 0 if every arm passes, 1 if some arm fails, 2 if none fails and some are not sure."""
    found = {judgement(row, passes) for row in rows}
    return 1 if FAIL in found else 2 if UNSURE in found else 0
