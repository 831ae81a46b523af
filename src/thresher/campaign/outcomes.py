"""Validation of outcomes: single values, and the sums of aggregates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from thresher.campaign.rows import Arm
from thresher.campaign.terms import Terms
from thresher.errors import InvalidOutcomeError
from thresher.problem import misfit
from thresher.problem.family import BERNOULLI, BOUNDED
from thresher.problem.money import ticks_of
from thresher.problem.numbers import whole

MOST_OUTCOMES = 10**12
LARGEST = 1e150  # its square is still finite
ROUNDING = 1e-9  # tolerance for sums that were added up elsewhere


def outcome_of(terms: Terms, value: Any) -> float:
    """Return an outcome as a float.

    Raises
    ------
    InvalidOutcomeError
        If it is not a number, not finite, or not a possible outcome of the family.
    """
    number = _number(value)
    why = misfit(terms.kind, number, low=terms.low, high=terms.high)
    if why is None and abs(number) > LARGEST:
        why = f"{number:g} is too large"
    if why is not None:
        instead = f"tell a possible outcome of a {terms.family} arm"
        if terms.kind is BERNOULLI and math.isfinite(number):
            instead += "; scores need a new campaign of the family 'bounded' (--family bounded), with low and high"
        raise InvalidOutcomeError(f"the outcome {why}", instead=instead)
    return number


def cost_of(value: Any) -> int | None:
    """Return the cost that was told with an outcome, in millionths; None if none was.

    Raises
    ------
    InvalidInputError
        If it is not a number from 0 to 10¹².
    """
    return None if value is None else ticks_of(value, what="cost", least=0.0)


def count_of(value: Any) -> int:
    """Return the number of outcomes in an aggregate.

    Raises
    ------
    InvalidOutcomeError
        If it is not a whole number from 1 to 10¹².
    """
    count = whole(value)
    if count is None or not 1 <= count <= MOST_OUTCOMES:
        raise InvalidOutcomeError(
            f"{repr(value)[:40] if count is None else 'too many' if count > 0 else count} outcomes",
            instead=f"give a whole number from 1 to {MOST_OUTCOMES:g}",
        )
    return count


@dataclass(frozen=True)
class Aggregate:
    """Outcomes of one arm that are told together: how many, their sum, and the sum of their squares if it is known."""

    count: int
    total: float
    squares: float | None

    @classmethod
    def of(cls, n: Any, total: Any, squares: Any = None) -> Aggregate:
        """Return an aggregate of these numbers, or raise InvalidOutcomeError."""
        return cls(count_of(n), number_of(total), None if squares is None else number_of(squares))


def squares_of(terms: Terms, arm: Arm, sums: Aggregate) -> float:
    r"""Return :math:`\sum (X - \theta)^2` of aggregated outcomes, given :math:`n`, :math:`\sum X` and :math:`\sum X^2`.

    Raises
    ------
    InvalidOutcomeError
        If no `n` outcomes of the family have these sums.
    """
    count, total = count_of(sums.count), sums.total
    if terms.kind is BERNOULLI and (total != math.floor(total) or not 0 <= total <= count):
        raise InvalidOutcomeError(f"a sum of {total:g} over {count} outcomes of 0 or 1", instead=f"give 0 to {count}")
    if terms.kind is BOUNDED and not terms.low * count <= total <= terms.high * count:
        raise InvalidOutcomeError(
            f"a sum of {total:g} over {count} outcomes", instead=f"each lies in [{terms.low:g}, {terms.high:g}]"
        )
    raw = _raw_squares(terms, count, total, sums.squares)
    return max(raw - 2.0 * arm.threshold * total + count * arm.threshold * arm.threshold, 0.0)


def _raw_squares(terms: Terms, count: int, total: float, squares: float | None) -> float:
    if terms.kind is BERNOULLI:
        if squares is not None and squares != total:
            raise InvalidOutcomeError("a sum of squares unlike the sum of outcomes of 0 or 1", instead="leave it out")
        return total
    least, most = total * total / count, _most_squares(terms, count, total)
    if squares is None:
        if terms.family == "gaussian-unknown-variance":
            raise InvalidOutcomeError("no sum of squares", instead="give it: the variance is not known otherwise")
        # The evidence of bounded outcomes depends on their variance: without the squares, assume the largest one.
        return most if terms.kind is BOUNDED else least
    room = ROUNDING * max(least, abs(terms.low * total), abs(terms.high * total), abs(count * terms.low * terms.high))
    if not least - room <= squares <= most + room:
        span = f"below {least:g}" if squares < least else f"above {most:g}"
        raise InvalidOutcomeError(f"a sum of squares {span}", instead="give the sum of the squared outcomes")
    return squares


def _most_squares(terms: Terms, count: int, total: float) -> float:
    """Return the largest possible sum of squares of `count` outcomes with that sum.

    A single outcome has one square; outcomes from `low` to `high` have ``(x - low) * (high - x) >= 0``.
    """
    if count == 1:
        return total * total
    if terms.kind is BOUNDED:
        return max((terms.low + terms.high) * total - count * terms.low * terms.high, total * total / count)
    return math.inf


def _number(value: Any) -> float:
    if not isinstance(value, (int, float)):
        value = _as_real(value)
    try:
        return float(value)
    except OverflowError as error:
        raise InvalidOutcomeError("an outcome too large for a float", instead="tell a smaller number") from error


def _as_real(value: Any) -> Real:
    """Return a number of another library, such as a NumPy scalar, as a Python number."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if not isinstance(value, Real):
        raise InvalidOutcomeError(
            f"an outcome of type {type(value).__name__}", instead="tell a number, or True or False"
        )
    return value


def number_of(value: Any) -> float:
    """Return a finite number as a float.

    Raises
    ------
    InvalidOutcomeError
        If it is not a number, not finite, or too large to be squared.
    """
    number = _number(value)
    if not math.isfinite(number) or abs(number) > LARGEST:
        raise InvalidOutcomeError(f"the number {number}", instead="give a finite number")
    return number
