"""Read and check the arguments of an experiment: whole numbers, budgets, policies."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from thresher.errors import InvalidInputError
from thresher.problem import budget_of
from thresher.research.engine import whole_number

MOST_SEED = 2**63 - 1
MOST_RUNS = 10_000_000


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Found = TypeVar("Found", bound=_Named)


def runs_of(value: Any, *, least: int = 1) -> int:
    """Return the number of runs.

    Raises
    ------
    InvalidInputError
        If it is not a whole number from the least to ten million: of more, the results do not fit into memory.
    """
    runs = whole_number("runs", value, least=least)
    if runs > MOST_RUNS:
        raise InvalidInputError("runs", runs, rule=f"must be at most {MOST_RUNS:,}")
    return runs


def seed_of(value: Any) -> int:
    """Return a seed.

    Raises
    ------
    InvalidInputError
        If it is not a whole number from 0 to 2^63 - 1.
    """
    try:
        seed = operator.index(value)
    except TypeError:
        seed = -1
    if not 0 <= seed <= MOST_SEED:
        raise InvalidInputError("seed", value, rule="must be a whole number from 0 to 2^63 - 1")
    return seed


def budgets_of(given: Any) -> tuple[float, ...]:
    """Return budgets in order; a single number is one budget.

    Raises
    ------
    InvalidInputError
        If one of them is not a positive finite number, or is given twice.
    """
    several = given if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]
    budgets = sorted(budget_of(budget) for budget in several)
    for first, second in pairwise(budgets):
        if first == second:
            raise InvalidInputError("budget given twice", first, rule="must be unique", fix="leave one of them out")
    return tuple(budgets)


def policies_of(given: Any, find: Callable[[Any], Found]) -> list[Found]:
    """Return the policies of one name, of one policy, or of several of either.

    Parameters
    ----------
    given : str, policy, or iterable of either
    find : callable
        From a name or a policy to the policy.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If there is none, one is not a policy, one is given twice, or two different ones have the same name.
    """
    several = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    if not several:
        raise InvalidInputError("policy", rule="at least one is needed", fix="name it: policies='stopping'")
    found: dict[str, Found] = {}
    for policy in map(find, several):
        if policy.name in found:
            where = "policy given twice" if found[policy.name] == policy else "name of two policies"
            raise InvalidInputError(where, policy.name, rule="must be unique", fix="leave one of them out")
        found[policy.name] = policy
    return list(found.values())
