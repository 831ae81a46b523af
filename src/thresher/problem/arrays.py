"""Arrays as callers give them: one finite number for each arm; a sentence for anything else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidProblemError
from thresher.types import Floats


def means_of(means: ArrayLike) -> Floats:
    """Return the means of arms, of which there is one at least; nobody can write to them."""
    array = numbers_of("means", means)
    if array.ndim != 1 or array.size == 0:
        raise InvalidProblemError("means are not a list of at least one number", instead="give one mean for each arm")
    array.setflags(write=False)
    return array


def per_arm(key: str, value: ArrayLike, n_arms: int) -> Floats:
    """Return one number for each arm; a single one is that of all. Nobody can write to them."""
    array = numbers_of(key, value)
    if array.ndim == 0:
        array = np.full(n_arms, array)
    if array.shape != (n_arms,):
        raise InvalidProblemError(
            f"{key} has shape {array.shape}", instead=f"give one number, or one for each of the {n_arms} arms"
        )
    array.setflags(write=False)
    return array


def numbers_of(key: str, value: ArrayLike) -> Floats:
    """Return finite numbers, in the shape in which they come."""
    _demand_no_words(key, value)
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidProblemError(f"{key} holds something that is no number", instead="give numbers only") from error
    if not np.isfinite(array).all():
        raise InvalidProblemError(f"{key} holds NaN or an infinity", instead="give finite numbers only")
    return array


def finite(value: Any) -> float:
    """Return a finite number."""
    try:
        number = math.nan if _is_word(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidProblemError("low, high or concentration is no finite number", instead="give finite numbers only")
    return number


def demand_positive(key: str, array: Floats) -> None:
    """Raise, with the arm, where a number is not positive."""
    if (array <= 0).any():
        worst = int(np.argmin(array))
        raise InvalidProblemError(
            f"{key} of arm {worst + 1} is {array[worst]:g}", instead=f"every {key} must be positive"
        )


def demand_inside(key: str, array: Floats, low: float, high: float, *, closed: bool) -> None:
    """Raise, with the arm, where a number is not in a range."""
    outside = (array < low) | (array > high) if closed else (array <= low) | (array >= high)
    if outside.any():
        worst = int(np.argmax(outside))
        span = f"[{low:g}, {high:g}]" if closed else f"({low:g}, {high:g})"
        raise InvalidProblemError(
            f"{key} of arm {worst + 1} is {array[worst]:g}", instead=f"every one must lie in {span}"
        )


def _demand_no_words(key: str, value: Any) -> None:
    """Raise where a text or a truth value stands for a number: NumPy would take ``"1"`` and ``True`` for 1."""
    if not isinstance(value, list | tuple):
        array = np.asarray(value)
        value = array.tolist() if array.dtype.kind in "bSUO" else None
    if isinstance(value, list | tuple):
        for k, each in enumerate(value):
            if _is_word(each):
                shown = each.item() if isinstance(each, np.generic) else each
                raise InvalidProblemError(f"{key} of arm {k + 1} is {shown!r}", instead="give a number")
    elif _is_word(value):
        raise InvalidProblemError(f"{key} is {value!r}", instead="give a number")


def _is_word(value: Any) -> bool:
    return isinstance(value, str | bytes | bool | np.bool_)
