"""The terms of a campaign: what is fixed when it is created."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from thresher.errors import InvalidInputError, StorageError, UnknownNameError
from thresher.problem import FAMILIES, Family, Question
from thresher.problem.control import margin_text
from thresher.problem.numbers import real
from thresher.terms import TERMS, DeclaredTerms, Term, list_terms

LONGEST_UNIT = 20
CONFIDENCE = DeclaredTerms.confidence


@dataclass(frozen=True, kw_only=True)
class Terms(DeclaredTerms):
    """What is fixed when a campaign is created; :mod:`thresher.terms` declares each term.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If a term breaks its rule.
    """

    def __post_init__(self) -> None:
        for term in TERMS:
            object.__setattr__(self, term.name, _checked(term, getattr(self, term.name)))
        if not self.low < self.high:
            raise InvalidInputError("high", self.high, rule=f"must be above low, which is {self.low:g}")
        if len(self.unit) > LONGEST_UNIT or not self.unit.isprintable():
            raise InvalidInputError("unit", self.unit, rule=f"must be printable, with at most {LONGEST_UNIT} letters")
        if self.goal == "decide":
            self._check_goal()
        self._check_control()
        if self.confidence != CONFIDENCE and self.risk == CONFIDENCE:  # a campaign of the first version
            object.__setattr__(self, "risk", self.confidence)

    def _check_goal(self) -> None:
        """Raise unless arms can be ranked by how near each is to a decision."""
        for name, is_wrong, rule in (
            ("policy", self.policy != "stopping", "must be stopping with the goal 'decide', which ranks arms itself"),
            ("stop_price", self.stop_price > 0, "must be 0 with the goal 'decide', which has no price"),
            ("family", self.family == "two-point", "must not be two-point with the goal 'decide'"),
        ):
            if is_wrong:
                raise InvalidInputError(name, getattr(self, name), rule=rule)

    def _check_control(self) -> None:
        """Raise unless control and margin fit each other and the family."""
        object.__setattr__(self, "margin", margin_text(self.margin))
        if not self.control:
            if self.margin != "0":
                raise InvalidInputError("margin", self.margin, rule="must come with a control", fix="name the control")
            return
        if self.family == "two-point":
            raise InvalidInputError("family", self.family, rule="must not be two-point with a control")
        if self.goal == "decide":
            raise InvalidInputError("goal", self.goal, rule="must be mistakes with a control")

    @cached_property
    def kind(self) -> Family:
        """The family of the outcomes."""
        return FAMILIES[self.family]

    def question(self, *, sigma: Any, **given: Any) -> Question:
        """Return a question with the family of these terms; `sigma` counts where the family takes one."""
        noise = sigma if self.kind.noise == "given" else None
        return Question.of(self.family, sigma=noise, low=self.low, high=self.high, **given)

    @cached_property
    def lease_micros(self) -> int:
        """The lease in microseconds, as the database adds it to its clock."""
        return round(self.lease * 1e6)

    @cached_property
    def ceiling(self) -> float:
        """The urgency above which a measurement costs more than it is worth."""
        return -math.log(self.stop_price) if self.stop_price else math.inf

    @property
    def stake(self) -> float:
        """The mean cost of the two kinds of mistake, for an index that uses one cost."""
        return 0.5 * (self.false_pass + self.false_fail)

    def adjusted(self, **given: Any) -> Terms:
        """Return the terms to judge by: with those that are given and not None instead of the campaign's.

        Raises
        ------
        InvalidInputError, UnknownNameError
            If one breaks its rule.
        """
        changes = {name: value for name, value in given.items() if value is not None}
        # How arms were chosen does not limit how they are judged.
        return replace(self, goal="mistakes", confidence=CONFIDENCE, **changes) if changes else self

    def to_dict(self) -> dict[str, str | float]:
        """Return the terms by name, as they are stored and sent; see `since` of :class:`thresher.terms.Term`."""
        values = {term: getattr(self, term.name) for term in TERMS}
        return {term.name: value for term, value in values.items() if not term.since or value != term.default}

    def to_json(self) -> str:
        """Return the terms as the text that is stored."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Terms:
        """Return stored or sent terms; missing ones have their defaults.

        Raises
        ------
        StorageError
            If a term is unknown to this version or breaks its rule.
        """
        if unknown := sorted(table.keys() - {term.name for term in TERMS}):
            raise StorageError(
                f"the terms of a campaign cannot be read: {unknown[0][:40]!r} is unknown to this version",
                instead="install a newer thresher",
            )
        try:
            return cls(**{**table, "family": table["family"]})
        except (LookupError, TypeError, ValueError) as error:
            raise StorageError("the terms of a campaign cannot be read", instead="restore it from a backup") from error

    @classmethod
    def from_json(cls, text: str) -> Terms:
        """Return the terms of a stored text.

        Raises
        ------
        StorageError
            If they cannot be read.
        """
        try:
            return cls.from_dict(dict(json.loads(text)))
        except (TypeError, ValueError) as error:
            raise StorageError("the terms of a campaign cannot be read", instead="restore it from a backup") from error


Terms.__doc__ = (inspect.getdoc(Terms) or "").replace("Raises\n", f"Parameters\n----------\n{list_terms()}\n\nRaises\n")


def _checked(term: Term, value: Any) -> str | float:
    """Return a value in the type of its term, checked against its rule."""
    if term.or_number and not isinstance(value, str):
        value = margin_text(value)
    if term.kind is str:
        if not isinstance(value, str):
            raise InvalidInputError(term.name, value, rule="must be text")
        if term.choices and value not in term.choices:
            raise UnknownNameError(term.name, value, term.choices)
        return value
    number = real(value)
    bounds = {"gt": number.__gt__, "ge": number.__ge__, "lt": number.__lt__, "le": number.__le__}
    if not math.isfinite(number) or not all(bounds[name](limit) for name, limit in term.limits.items()):
        raise InvalidInputError(term.name, value if math.isnan(number) else number, rule=term.rule)
    return number
