"""Compile before the clock runs, and say so."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from thresher.experiment.pieces import Runnable

Say = Callable[[str], None]

LONG = 1.5  # seconds after which it is a compilation

_warm: set[tuple[str, str]] = set()


def warm_up(smallest: Sequence[Runnable[Any]], say: Say | None, *, how_long: str = "ten seconds") -> None:
    """Run jobs that are as small as can be, each once per process, so that their kernels are compiled.

    Parameters
    ----------
    smallest : sequence of Runnable
    say : callable, optional
        Called with a sentence if that takes long enough to be a compilation; standard error unless given.
    how_long : str
        What it is then said to take.
    """
    cold = {name: job for job in smallest if (name := (type(job).__name__, job.key)) not in _warm}
    if not cold:
        return
    sentence = f"compiling the kernels, once for this installation: about {how_long} …"
    notice = threading.Timer(LONG, say or _on_standard_error, [sentence])
    notice.daemon = True
    notice.start()
    try:
        for job in cold.values():
            job.run(0, 1)
    finally:
        notice.cancel()
    _warm.update(cold)


def _on_standard_error(sentence: str) -> None:
    print(sentence, file=sys.stderr)  # noqa: T201
