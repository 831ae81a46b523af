"""Validation of outcomes: single values, and the sums of aggregates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from thresher.campaign.ledger.rows import Arm
from thresher.campaign.ledger.terms import Terms
from thresher.errors import InvalidInputError, InvalidOutcomeError
from thresher.number_text import exact
from thresher.problem import amount_of, ticks_of, whole

MOST_OUTCOMES = 10**12
LARGEST = 1e150  # its square is still finite


def outcome_of(terms: Terms, value: Any) -> float:
    """Return an outcome as a float.

    Raises
    ------
    InvalidOutcomeError
        If it is not a number, not finite, or not a possible outcome of the family.
    """
    number = _number(value)
    why = terms.scoring.misfit(terms, number)
    if why is None and abs(number) > LARGEST:
        why = f"{exact(number)} is too large"
    if why is not None:
        instead = "tell a finite number" if terms.quantile else f"tell a possible outcome of a {terms.family} arm"
        if math.isfinite(number) and not terms.quantile:
            instead += terms.kind.advice
        raise InvalidOutcomeError(f"the outcome {why}", instead=instead)
    return number


def cost_of(value: Any, terms: Terms | None = None) -> int | None:
    """Return the cost that was told with an outcome, in millionths; None if none was.

    Raises
    ------
    InvalidInputError
        If it is not a number from 0 to 10¹², or outside of what the terms allow.
    """
    if value is None:
        return None
    ticks = ticks_of(value, what="cost", least=0.0)
    if terms is not None and terms.most_cost and not terms.least_cost <= amount_of(ticks) <= terms.most_cost:
        least, most = exact(terms.least_cost), exact(terms.most_cost)
        rule = f"must be from {least} to {most}, the least_cost and most_cost of the campaign"
        raise InvalidInputError("cost", value, rule=rule)
    return ticks


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
            instead=f"give a whole number from 1 to {exact(MOST_OUTCOMES)}",
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
    if not terms.scoring.takes_aggregates:
        return _square_of_one(arm, count, total)
    ends = {"low": terms.low, "high": terms.high}
    terms.kind.check_total(count, total, **ends)
    raw = terms.kind.raw_squares(count, total, sums.squares, **ends)
    return max(raw - 2.0 * arm.threshold * total + count * arm.threshold * arm.threshold, 0.0)


def _square_of_one(arm: Arm, count: int, outcome: float) -> float:
    """Return the squared distance of an outcome from the threshold; raise if it is the sum of several."""
    if count > 1:
        raise InvalidOutcomeError(
            f"the sum of {count:,} outcomes in a campaign that compares a quantile, which needs each of them",
            instead="tell each outcome by itself",
        )
    return (outcome - arm.threshold) ** 2


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
