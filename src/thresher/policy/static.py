"""Policies that do not look at outcomes: how often each arm is pulled is fixed, or drawn, beforehand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from thresher.problem import Problem
from thresher.types import Ints


@dataclass(frozen=True)
class StaticPolicy:
    """Pull each arm as often as a rule says, whatever comes out.

    Parameters
    ----------
    name : str
        What results call it.
    summary, source : str
        One line on what it does, and where it comes from.
    allocate : callable, optional
        ``allocate(problem, budget)`` gives the pulls of each arm; None draws every pull's arm at random.
    needs_truth : bool
        It knows the means: refused in a live campaign.
    """

    name: str
    summary: str
    source: str
    allocate: Callable[[Problem, float], Ints] | None = None
    needs_truth: bool = False


UNIFORM_IID = StaticPolicy("uniform-iid", "Every pull goes to an arm drawn at random.", "locatelli2016, baseline UA")

STATIC: dict[str, StaticPolicy] = {UNIFORM_IID.name: UNIFORM_IID}
