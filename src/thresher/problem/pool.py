"""Pools of real samples, to be drawn again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thresher.errors import InvalidProblemError
from thresher.types import Floats, Ints


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
        True draws independent samples whose mean is the pool's; False replays each sample at most once, so that an arm
        can run dry: it is then never asked again, and a run ends early when every arm is dry.
    """

    values: Floats
    sizes: Ints
    replacement: bool

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


def pool_of(samples: Mapping[str, Sequence[float]], *, replacement: bool) -> Pool:
    """Return the pool of samples given arm by arm.

    Raises
    ------
    InvalidProblemError
        If there is no arm, an arm has no sample, or a sample is not a finite number.
    """
    if not samples:
        raise InvalidProblemError("a replay without arms", instead="give at least one (arm, value) row")
    arrays = {arm: _array(values) for arm, values in samples.items()}
    for arm, array in arrays.items():
        if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
            raise InvalidProblemError(
                f"arm {arm!r} has no samples, or one that is no finite number", instead="mend its rows"
            )
    sizes = np.array([array.size for array in arrays.values()], dtype=np.int64)
    return Pool(np.concatenate(list(arrays.values())), sizes, replacement)


def _array(values: Sequence[float]) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array([np.nan])
