"""Compile before the clock runs, and say so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from thresher.experiment.job import Asked, Job
from thresher.policy import find_policy
from thresher.problem import Problem

_warm = False


def warm_up(say: Callable[[str], None]) -> None:
    """Run the smallest problem once per process; say so if that takes long enough to be a compilation."""
    global _warm
    if not _warm:
        with announced(say):
            Job(Problem.gaussian([0.5, -0.5]), find_policy("apt"), Asked((4.0,)), seed=0).run(0, 1)
        _warm = True


@contextmanager
def announced(say: Callable[[str], None]) -> Iterator[None]:
    """Say that kernels are compiled if what is done here takes that long."""
    notice = threading.Timer(1.5, say, ["compiling the kernels, once for this installation: about ten seconds …"])
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
