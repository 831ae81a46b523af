"""Warm up the JIT compiler before a simulation, with a notice if that takes long."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Mapping

Say = Callable[[str], None]

LONG = 1.5  # seconds: longer than a warm start, so it compiles
LOOPS, LOOPS_TIME = 200_000, 0.005  # a loop that shows how fast this processor is, and its seconds on one of today

_warm: set[str] = set()


def warm_up(tasks: Mapping[str, Callable[[], object]], say: Say | None, *, seconds: float = LONG) -> None:
    """Run tasks that compile code, each once per process.

    Parameters
    ----------
    tasks : mapping of str to callable
        By a name that identifies the task.
    say : callable, optional
        Called with a sentence if that takes long enough to be a compilation; standard error unless given.
    seconds : float
        About how long it takes if everything has to be compiled, on a processor of today.
    """
    cold = {name: task for name, task in tasks.items() if name not in _warm}
    if not cold:
        return
    notice = threading.Timer(LONG, lambda: (say or _on_standard_error)(_notice(seconds)))
    notice.daemon = True
    notice.start()
    try:
        for task in cold.values():
            task()
    finally:
        notice.cancel()
    _warm.update(cold)


def _notice(seconds: float) -> str:
    """Return the sentence that says what takes long, and how long."""
    whole = math.ceil(max(seconds * _slowness(), LONG))
    return f"compiling the engine, once for this installation: about {whole} seconds of processor time …"


def _slowness() -> float:
    """Return how many times as long this processor takes as one of today, by the best of three loops."""
    times = []
    for _ in range(3):
        start = time.thread_time()
        sum(i * i for i in range(LOOPS))
        times.append(time.thread_time() - start)
    return min(times) / LOOPS_TIME


def _on_standard_error(sentence: str) -> None:
    print(sentence, file=sys.stderr)  # noqa: T201
