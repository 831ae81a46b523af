"""An index of the user's own that is known for a while, as in a process that has imported its module."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from thresher.policy.index import INDICES
from thresher.policy.index.registry import register

OWN = "cautious"
MODULE = f"""
import math

from thresher.policy.index import register_index


@register_index({OWN!r})
def index(count, evidence, cost):
    return evidence + math.log(count / cost)
"""


def _index(count: float, evidence: float, cost: float) -> float:
    return evidence + count / cost


@contextmanager
def own_index() -> Iterator[str]:
    """Register an index; forget it in the end. Give its name."""
    register(OWN, _index, "a test")
    try:
        yield OWN
    finally:
        del INDICES[OWN]
