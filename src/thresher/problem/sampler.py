"""Samplers of the user's own: what they must be, and one outcome of one of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import InvalidProblemError
from thresher.problem.family import misfit
from thresher.problem.question import Question

Sampler: TypeAlias = Callable[[np.random.Generator], float]

HOW = "write a function sampler(rng) that draws one number with the numpy.random.Generator it is given"


def samplers_of(samplers: Sampler | Sequence[Sampler], arms: Sequence[str]) -> tuple[Sampler, ...]:
    """Return one sampler for each arm; a single function is that of all.

    Raises
    ------
    InvalidProblemError
        If their number is not that of the arms, or one is not a function of one argument.
    """
    if not callable(samplers) and not isinstance(samplers, list | tuple):
        raise InvalidProblemError(f"{_shown(samplers)} as samplers", instead=f"give one for each arm: {HOW}")
    found: tuple[Any, ...] = (samplers,) * len(arms) if callable(samplers) else tuple(samplers)
    if len(found) != len(arms):
        raise InvalidProblemError(
            f"{len(found)} samplers for {len(arms)} arms", instead="give one for each arm, or one function for all"
        )
    for k, sampler in _different(found):
        if not callable(sampler):
            raise InvalidProblemError(f"the sampler of arm {arms[k]!r} is {_shown(sampler)}", instead=HOW)
        if not _takes_one_argument(sampler):
            raise InvalidProblemError(f"the sampler of arm {arms[k]!r} cannot be called with one argument", instead=HOW)
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
    InvalidProblemError
        If the sampler raises an exception, or returns anything but a number that the family allows.
    """
    name = question.arms[arm]
    try:
        value: Any = sampler(rng)
    except Exception as error:
        raise InvalidProblemError(
            f"the sampler of arm {name!r} raised {type(error).__name__}: {error}", instead="return one number"
        ) from error
    outcome = _number(value)
    if outcome is None:
        raise InvalidProblemError(f"the sampler of arm {name!r} returned {_shown(value)}", instead="return one number")
    why = misfit(question.kind, outcome, low=question.low, high=question.high)
    if why is not None:
        raise InvalidProblemError(
            f"an outcome of the sampler of arm {name!r}: {why}",
            instead=f"return what the family {question.family!r} allows, or name another family",
        )
    return outcome


def _different(samplers: Sequence[Sampler]) -> list[tuple[int, Sampler]]:
    """Return every function once, with the first arm that has it: one may be that of all arms."""
    arms = {id(sampler): arm for arm, sampler in reversed(list(enumerate(samplers)))}
    return [(arm, samplers[arm]) for arm in sorted(arms.values())]


def _takes_one_argument(sampler: Sampler) -> bool:
    try:
        signature = inspect.signature(sampler)
    except ValueError:  # a builtin that does not show its arguments: the first call tells
        return True
    try:
        signature.bind(None)
    except TypeError:
        return False
    return True


def _number(value: Any) -> float | None:
    """Return a single number as a float, None for anything else."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _shown(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return f"{value!r:.40}"
