"""Samplers of the user: the check of their type, and one outcome of one of them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import InvalidInputError
from thresher.problem.numbers import real
from thresher.problem.question import Question

Sampler: TypeAlias = Callable[[np.random.Generator], float]

HOW = "write a function sampler(rng) that draws one number with the numpy.random.Generator it is given"


def samplers_of(samplers: Sampler | Sequence[Sampler], arms: Sequence[str]) -> tuple[Sampler, ...]:
    """Return one sampler for each arm; a single function is that of all.

    Raises
    ------
    InvalidInputError
        If their number is not that of the arms, or one is not a function of one argument.
    """
    if not callable(samplers) and not isinstance(samplers, list | tuple):
        raise InvalidInputError("samplers", samplers, rule=f"must be one for each arm: {HOW}")
    found: tuple[Any, ...] = (samplers,) * len(arms) if callable(samplers) else tuple(samplers)
    if len(found) != len(arms):
        raise InvalidInputError(
            "number of samplers", len(found), rule=f"must be the number of arms, {len(arms)}, or one function for all"
        )
    for k, sampler in _different(found):
        if not callable(sampler):
            raise InvalidInputError(f"sampler of arm {arms[k]!r}", sampler, rule=f"must be a function: {HOW}")
        if not _takes_one_argument(sampler):
            raise InvalidInputError(f"sampler of arm {arms[k]!r}", sampler, rule=f"must take one argument: {HOW}")
    return found


def check_samplers(samplers: Sequence[Sampler], question: Question) -> None:
    """Raise unless the first outcome of every sampler is one of the family; see :func:`sample`.

    They draw with generators made here, so that no later draw depends on this.
    """
    for arm, sampler in _different(samplers):
        sample(question, arm, sampler, np.random.default_rng(0))


def sample(question: Question, arm: int, sampler: Sampler, rng: np.random.Generator) -> float:
    """Return one outcome of an arm.

    Raises
    ------
    InvalidInputError
        If the sampler raises an exception, or returns anything but a number that the family allows.
    """
    name = question.arms[arm]
    try:
        value: Any = sampler(rng)
    except Exception as error:
        raise InvalidInputError(f"outcome of the sampler of arm {name!r}", error, rule="must be one number") from error
    outcome = float(value) if isinstance(value, bool | np.bool_) else real(value)
    why = question.kind.misfit(outcome, low=question.low, high=question.high)
    if why is not None:
        is_number = math.isfinite(outcome)
        rule = f"must fit the family {question.family!r}: {why}" if is_number else "must be one finite number"
        raise InvalidInputError(f"outcome of the sampler of arm {name!r}", value, rule=rule)
    return outcome


def _different(samplers: Sequence[Sampler]) -> list[tuple[int, Sampler]]:
    """Return every function once, with the first arm that has it: one may be that of all arms."""
    arms = {id(sampler): arm for arm, sampler in reversed(list(enumerate(samplers)))}
    return [(arm, samplers[arm]) for arm in sorted(arms.values())]


def _takes_one_argument(sampler: Sampler) -> bool:
    try:
        signature = inspect.signature(sampler)
    except ValueError:  # a builtin that does not show its arguments: an error appears at the first call
        return True
    try:
        signature.bind(None)
    except TypeError:
        return False
    return True
