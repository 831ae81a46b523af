"""Pools of recorded samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thresher.errors import InvalidInputError
from thresher.problem.numbers import whole
from thresher.problem.question import Question
from thresher.problem.structure import Structure
from thresher.types import Floats, Ints

MOST_REPEATS = 10_000


@dataclass(frozen=True, eq=False)
class Pool:
    """The collected samples of every arm, end to end.

    Parameters
    ----------
    values : ndarray of float64, shape (samples,)
        Samples of arm 0, then of arm 1, and so on.
    sizes : ndarray of int64, shape (K,)
        How many samples each arm has, at least one.
    replacement : bool
        True draws independent samples whose mean is the pool's; False replays each sample at most once, so an arm
        can be exhausted: it is then never pulled again, and a run ends early when every arm is exhausted.
    items : ndarray of int64, shape (samples,), optional
        Which item (0, 1, 2, …) each sample answers, where all arms answer the same items.
    repeats : int
        How often an arm may be asked an item. With more than one, the samples are the rates at which its outcomes are
        1.
    """

    values: Floats
    sizes: Ints
    replacement: bool
    items: Ints | None = None
    repeats: int = 1

    @property
    def structure(self) -> Structure | None:
        """The part that policies see: the sizes and which items each arm has; None if draws are independent."""
        if self.replacement or self.items is None:
            return None if self.replacement else Structure(self.sizes)
        layout = np.zeros((self.sizes.size, int(self.items.max()) + 1), np.bool_)
        layout[np.repeat(np.arange(self.sizes.size), self.sizes), self.items] = True
        return Structure(self.sizes, layout, repeats=self.repeats)

    @property
    def starts(self) -> Ints:
        """Where each arm's samples begin, shape (K,)."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    @property
    def means(self) -> Floats:
        """The mean of each arm's samples: the truth of a replay, shape (K,)."""
        return np.add.reduceat(self.values, self.starts) / self.sizes

    @property
    def deviations(self) -> Floats:
        """The standard deviation of each arm's samples, shape (K,)."""
        squares = np.add.reduceat((self.values - np.repeat(self.means, self.sizes)) ** 2, self.starts)
        return np.asarray(np.sqrt(squares / self.sizes))

    def check_against(self, question: Question) -> None:
        """Raise unless these are samples of the arms of a question.

        Raises
        ------
        InvalidInputError
            If the number of arms differs, or the family cannot give a sample; the message names the arm.
        """
        if self.sizes.size != question.n_arms:
            raise InvalidInputError(
                "number of sampled arms", self.sizes.size, rule=f"must be the number of arms, {question.n_arms}"
            )
        if self.repeats > 1:
            return  # rates of 0/1 outcomes
        values = np.unique(self.values)
        # Of more than two different values one is neither 0 nor 1; of values out of a range the least or the greatest.
        for value in [*values[:3], values[-1]]:
            why = question.kind.misfit(float(value), low=question.low, high=question.high)
            if why is not None:
                arm = int(np.searchsorted(self.starts, np.argmax(self.values == value), side="right")) - 1
                raise InvalidInputError(
                    f"a sample of arm {question.arms[arm]!r}",
                    float(value),
                    rule=f"must fit the family {question.family!r}: {why}",
                    fix="name another family, or correct the sample",
                )


def crossed_pool(values: Floats) -> Pool:
    """Return the pool of a table of arms by items, NaN where an arm does not have the item."""
    is_given = ~np.isnan(values)
    items = np.nonzero(is_given)[1].astype(np.int64)
    return Pool(values[is_given], is_given.sum(axis=1).astype(np.int64), replacement=False, items=items)


def repeated_pool(rates: Floats, repeats: int) -> Pool:
    """Return the pool of a table of success rates, arms by items, NaN where an arm does not have the item.

    Raises
    ------
    InvalidInputError
        If a rate is not from 0 to 1, or `repeats` is not a whole number of at least 2.
    """
    number = whole(repeats)
    if number is None or not 2 <= number <= MOST_REPEATS:
        rule = f"must be a whole number from 2 to {MOST_REPEATS}"
        raise InvalidInputError("repeats", repeats, rule=rule, fix="use Problem.crossed for one outcome of each item")
    pool = crossed_pool(rates)
    wrong = pool.values[(pool.values < 0.0) | (pool.values > 1.0)]
    if wrong.size:
        raise InvalidInputError("a success rate", float(wrong[0]), rule="must be at least 0 and at most 1")
    return replace(pool, repeats=number)


def pool_of(samples: Mapping[str, Sequence[float]], *, replacement: bool) -> Pool:
    """Return the pool of samples given arm by arm.

    Raises
    ------
    InvalidInputError
        If there is no arm, an arm has no sample, or a sample is not a finite number.
    """
    if not samples:
        raise InvalidInputError("samples", {}, rule="must have at least one arm")
    arrays = {arm: _array(values) for arm, values in samples.items()}
    for arm, array in arrays.items():
        if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
            raise InvalidInputError(
                f"samples of arm {arm!r}",
                samples[arm],
                rule="must be at least one finite number, and finite numbers only",
            )
    sizes = np.array([array.size for array in arrays.values()], dtype=np.int64)
    return Pool(np.concatenate(list(arrays.values())), sizes, replacement)


def _array(values: Sequence[float]) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array([np.nan])
