"""Uniform allocation: every arm in turn."""

from __future__ import annotations

from reproduction.feasible.policy import SOURCE, UNIFORM, FeasiblePolicy


def uniform() -> FeasiblePolicy:
    """Return the arms in turn, whatever comes out (the paper's UA): the key of an arm is its number of pulls."""
    return FeasiblePolicy("uniform", UNIFORM, f"{SOURCE}, section 7")
