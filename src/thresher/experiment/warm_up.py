"""Compile before the clock runs, and say so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from thresher.experiment.job import Asked, Job
from thresher.policy import FieldPolicy, Policy, find_policy
from thresher.problem import Problem

_warm: set[str] = set()


def warm_up(say: Callable[[str], None], policies: Iterable[Policy] = ()) -> None:
    """Run the smallest problem once per process, and once in the loop of the field policies if there are any.

    Say so if that takes long enough to be a compilation.
    """
    field = {"straddle"} if any(isinstance(policy, FieldPolicy) for policy in policies) else set()
    cold = sorted(({"apt"} | field) - _warm)
    if not cold:
        return
    with announced(say):
        for name in cold:
            Job(Problem.gaussian([0.5, -0.5]), find_policy(name), Asked((4.0,)), seed=0).run(0, 1)
    _warm.update(cold)


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
