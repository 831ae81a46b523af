"""The terms of a campaign: what is fixed when it is created."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from thresher.errors import InvalidProblemError, StorageError, UnknownNameError
from thresher.problem import FAMILIES, Family
from thresher.problem.numbers import real

EXPIRIES = ("reissue", "forfeit")
LONGEST_LEASE = 10 * 365 * 86_400.0


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What is fixed when a campaign is created.

    Parameters
    ----------
    family : str
        A name of ``thresher.problem.FAMILIES``.
    policy : str
        Which arm next, as in simulations; it must rank by an index and not need the truth.
    lease : float
        Seconds that a worker has for a pull before its ticket may be given to another.
    expiry : str
        What happens to the unit of a lease that ran out: ``reissue`` or ``forfeit``.
    low, high : float
        Range of the outcomes of ``bounded``.
    stop_price : float
        Stop once no measurement saves this many mistakes per unit of budget; 0 never stops.
    stop_mistakes : float
        Stop once no more mistakes than this are to be expected; 0 never stops.
    false_pass, false_fail : float
        What an arm wrongly called above, or below, costs in units of its mistake cost.
    abstain : float
        Leave an arm undecided if its verdict is wrong with more than this probability; 1 leaves none.
    confidence : float
        Chance that an arm's interval ever leaves its mean out.
    """

    family: str
    policy: str = "stopping"
    lease: float = 600.0
    expiry: str = "reissue"
    low: float = 0.0
    high: float = 1.0
    stop_price: float = 0.0
    stop_mistakes: float = 0.0
    false_pass: float = 1.0
    false_fail: float = 1.0
    abstain: float = 1.0
    confidence: float = 0.05

    def __post_init__(self) -> None:
        for name in ("family", "policy", "expiry"):
            if not isinstance(getattr(self, name), str):
                kind = type(getattr(self, name)).__name__
                raise InvalidProblemError(f"{name} is a {kind}", instead="give its name, as text")
        if self.family not in FAMILIES:
            raise UnknownNameError("family", self.family, FAMILIES)
        if self.expiry not in EXPIRIES:
            raise UnknownNameError("expiry", self.expiry, EXPIRIES)
        for field in fields(self)[4:]:
            object.__setattr__(self, field.name, _number(field.name, getattr(self, field.name)))
        object.__setattr__(self, "lease", _number("lease", self.lease))
        self._check_ranges()

    def _check_ranges(self) -> None:
        if not 0.001 <= self.lease <= LONGEST_LEASE:
            raise InvalidProblemError(f"a lease of {self.lease:g} s", instead="give from 0.001 s to ten years")
        if not self.low < self.high:
            raise InvalidProblemError(f"the range [{self.low:g}, {self.high:g}]", instead="low must be below high")
        if self.stop_price < 0 or self.stop_mistakes < 0:
            raise InvalidProblemError("a negative stopping rule", instead="give a positive number, or 0 for none")
        if not (self.false_pass > 0 and self.false_fail > 0):
            raise InvalidProblemError(
                "a mistake that costs nothing", instead="give positive costs of a false pass and fail"
            )
        if not 0 < self.abstain <= 1:
            raise InvalidProblemError(
                f"abstain is {self.abstain:g}", instead="give a probability above 0, and at most 1"
            )
        if not 0 < self.confidence < 1:
            raise InvalidProblemError(
                f"confidence is {self.confidence:g}", instead="give a probability above 0 and below 1"
            )

    @cached_property
    def kind(self) -> Family:
        """The family of the outcomes."""
        return FAMILIES[self.family]

    @cached_property
    def lease_micros(self) -> int:
        """The lease in microseconds, as the database adds it to its clock."""
        return round(self.lease * 1e6)

    @cached_property
    def ceiling(self) -> float:
        """The urgency above which no measurement is worth its price."""
        return -math.log(self.stop_price) if self.stop_price else math.inf

    @property
    def stake(self) -> float:
        """What a mistake costs an index that does not know yet which of the two mistakes it may be."""
        return 0.5 * (self.false_pass + self.false_fail)

    def to_json(self) -> str:
        """Return the terms as the text that is stored."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Terms:
        """Return the terms of a stored text.

        Raises
        ------
        StorageError
            If they cannot be read.
        """
        try:
            table: dict[str, Any] = json.loads(text)
            return cls(**table)
        except (LookupError, TypeError, ValueError) as error:
            raise StorageError("the terms of a campaign cannot be read", instead="restore it from a backup") from error


def _number(name: str, value: Any) -> float:
    number = real(value)
    if not math.isfinite(number):
        shown = repr(value)[:40] if math.isnan(number) else "too large"
        raise InvalidProblemError(f"{name} is {shown}", instead="give a finite number")
    return number
