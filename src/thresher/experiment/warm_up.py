"""Warm up the JIT compiler before a simulation, with a notice if that takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping

Say = Callable[[str], None]

LONG = 1.5  # seconds: longer than a warm start, so it compiles

_warm: set[str] = set()


def warm_up(tasks: Mapping[str, Callable[[], object]], say: Say | None) -> None:
    """Run tasks that compile code, each once per process.

    Parameters
    ----------
    tasks : mapping of str to callable
        By a name that identifies the task.
    say : callable, optional
        Called with a sentence if that takes long enough to be a compilation; standard error unless given.
    """
    cold = {name: task for name, task in tasks.items() if name not in _warm}
    if not cold:
        return
    sentence = "compiling the kernels, once for this installation: about half a minute …"
    notice = threading.Timer(LONG, say or _on_standard_error, [sentence])
    notice.daemon = True
    notice.start()
    try:
        for task in cold.values():
            task()
    finally:
        notice.cancel()
    _warm.update(cold)


def _on_standard_error(sentence: str) -> None:
    print(sentence, file=sys.stderr)  # noqa: T201
