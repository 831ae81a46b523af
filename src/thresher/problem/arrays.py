"""Validation of array arguments: one finite number for each arm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.number_text import exact
from thresher.problem.numbers import percent_in, real
from thresher.types import Floats

RATES = ("means", "thresholds")  # may be given in per cent, such as ``80%``


def means_of(means: ArrayLike) -> Floats:
    """Return the means of at least one arm, read-only."""
    array = numbers_of("means", means)
    if array.ndim != 1 or array.size == 0:
        raise InvalidInputError("shape of means", array.shape, rule="must be one number for each arm, and at least one")
    array.setflags(write=False)
    return array


def per_arm(key: str, value: ArrayLike, n_arms: int) -> Floats:
    """Return one number for each arm, read-only; a single number is that of all arms."""
    array = numbers_of(key, value)
    if array.ndim == 0:
        array = np.full(n_arms, array)
    if array.shape != (n_arms,):
        raise InvalidInputError(
            f"shape of {key}", array.shape, rule=f"must be one number, or one for each of the {n_arms} arms"
        )
    array.setflags(write=False)
    return array


def numbers_of(key: str, value: ArrayLike) -> Floats:
    """Return finite numbers, in their original shape; means and thresholds may be texts such as ``80%``."""
    value = _without_percent(value) if key in RATES else value
    _demand_no_words(key, value)
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(key, value, rule="must hold numbers only") from error
    if not np.isfinite(array).all():
        first = tuple(np.argwhere(~np.isfinite(array))[0])
        where = key + "".join(f"[{i}]" for i in first)
        raise InvalidInputError(where, float(array[first]), rule="must be a finite number")
    return array


def finite(key: str, value: Any) -> float:
    """Return a finite number."""
    number = real(value)
    if not math.isfinite(number):
        raise InvalidInputError(key, value, rule="must be a finite number")
    return number


def demand_positive(key: str, array: Floats, arms: Sequence[str]) -> None:
    """Raise, with the name of the arm, where a number is not positive."""
    if (array <= 0).any():
        worst = int(np.argmin(array))
        raise InvalidInputError(
            f"{key.removesuffix('s')} of arm {arms[worst]!r}", float(array[worst]), rule="must be positive"
        )


def demand_inside(key: str, array: Floats, low: float, high: float, *, closed: bool, arms: Sequence[str]) -> None:
    """Raise, with the name of the arm, where a number is not in a range."""
    outside = (array < low) | (array > high) if closed else (array <= low) | (array >= high)
    if outside.any():
        worst = int(np.argmax(outside))
        ends = "inclusive" if closed else "exclusive"
        raise InvalidInputError(
            f"{key.removesuffix('s')} of arm {arms[worst]!r}",
            float(array[worst]),
            rule=f"must be between {exact(low)} and {exact(high)} ({ends})",
        )


def _demand_no_words(key: str, value: Any) -> None:
    """Raise if a number is a string or a Boolean: NumPy would convert ``"1"`` and ``True`` to 1."""
    if not isinstance(value, list | tuple):
        array = np.asarray(value)
        value = array.tolist() if array.dtype.kind in "bSUO" else None
    if isinstance(value, list | tuple):
        for k, each in enumerate(value):
            if _is_word(each):
                shown = each.item() if isinstance(each, np.generic) else each
                raise InvalidInputError(f"{key}[{k}]", shown, rule="must be a number")
    elif _is_word(value):
        raise InvalidInputError(key, value, rule="must be a number")


def _without_percent(value: Any) -> Any:
    """Return a value, or the values of a list, with texts in per cent as numbers."""
    if isinstance(value, list | tuple):
        return [_without_percent(each) for each in value]
    rate = percent_in(value)
    return value if rate is None else rate


def _is_word(value: Any) -> bool:
    return isinstance(value, str | bytes | bool | np.bool_)
