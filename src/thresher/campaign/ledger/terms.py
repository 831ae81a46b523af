"""The terms of a campaign: what is fixed when it is created."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from thresher.campaign.ledger.scoring import Scoring, scoring_of
from thresher.errors import InvalidInputError, StorageError, UnknownNameError
from thresher.number_text import exact
from thresher.problem import Combination, Question, Structure, percent_in, real
from thresher.problem.bars import Control, control_of, margin_text
from thresher.problem.families import FAMILIES, Family
from thresher.problem.sampling import Sampling, sampling_of
from thresher.terms import TERMS, DeclaredTerms, Term, list_terms
from thresher.types import Bools, Ints

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
            raise InvalidInputError("high", self.high, rule=f"must be above low, which is {exact(self.low)}")
        if self.least_cost > self.most_cost:
            raise InvalidInputError(
                "most_cost", self.most_cost, rule=f"must be at least least_cost, {exact(self.least_cost)}"
            )
        if len(self.unit) > LONGEST_UNIT or not self.unit.isprintable():
            raise InvalidInputError("unit", self.unit, rule=f"must be printable, with at most {LONGEST_UNIT} letters")
        object.__setattr__(self, "margin", margin_text(self.margin))
        self.combined().check()
        if self.confidence != CONFIDENCE and self.risk == CONFIDENCE:  # a campaign of the first version
            object.__setattr__(self, "risk", self.confidence)

    def control_among(self, arms: Sequence[str]) -> Control | None:
        """Return the control, one of these arms, with its margin; None if every arm has a bar.

        Raises
        ------
        UnknownNameError, InvalidInputError
            If it is not one of them, or the only one.
        """
        return control_of(self.control, self.margin, arms) if self.control else None

    def combined(self, *, has_items: bool | None = None) -> Combination:
        """Return what these terms combine; None where it is not known yet whether the campaign has items."""
        shared = {term.name: getattr(self, term.name) for term in TERMS if term.name in Combination._fields}
        return Combination(has_control=bool(self.control), has_items=has_items, **shared)

    @cached_property
    def scoring(self) -> Scoring:
        """How outcomes count: as themselves, by a quantile as above their bar or not, or several trials together."""
        return scoring_of(self.quantile, self.trials)

    @cached_property
    def trials(self) -> int:
        """How many trials have to succeed for the bar; 1 with repeats of items, where `pass_k` is only reported."""
        return self.pass_k if self.repeats == 1 else 1

    @classmethod
    def of_new(cls, **given: Any) -> Terms:
        """Return the terms of a new campaign, for which rules hold that campaigns of earlier versions may break.

        Raises
        ------
        InvalidInputError, UnknownNameError
            If a term breaks its rule, or the family does not use it.
        """
        terms = cls(**given)
        _check_new({term.name: getattr(terms, term.name) for term in TERMS})
        for term in TERMS:
            if not term.is_used_by(terms.family) and (value := getattr(terms, term.name)) != term.default:
                rule = f"must be left out: the family {terms.family!r} does not use it"
                raise InvalidInputError(term.name, value, rule=rule, fix=f"or choose the family {term.only_for[0]!r}")
        return terms

    @cached_property
    def kind(self) -> Family:
        """The family of the outcomes, or with a quantile of whether they are above their bar."""
        return FAMILIES[self.family]

    def question(self, *, sigma: Any, **given: Any) -> Question:
        """Return a question with the family of these terms; `sigma` counts where the family takes one.

        Given thresholds are those of the arms; by a quantile those of the question are shares of outcomes, and for
        several trials they are the rates at which one succeeds.
        """
        if "thresholds" in given:
            given["thresholds"] = self.scoring.bars(given["thresholds"])
        noise = sigma if self.kind.takes_sigma else None
        return Question.of(self.family, sigma=noise, low=self.low, high=self.high, **given)

    def structure(self, sizes: Ints, items: Bools | None = None, **signals: Any) -> Structure:
        """Return the structure of arms that have this many items, given which of them each has and cheap signals."""
        return Structure(sizes, items, self.target, self.repeats, **signals)

    @cached_property
    def item_sampling(self) -> Sampling:
        """How outcomes of items are drawn, whatever their number is."""
        return sampling_of(self.structure(np.ones(1, np.int64)))

    @cached_property
    def lease_micros(self) -> int:
        """The lease in microseconds, as the database adds it to its clock."""
        return round(self.lease * 1e6)

    @cached_property
    def ceiling(self) -> float:
        """The sort key above which a measurement costs more than it saves."""
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
        _check_new(changes)
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
    if term.is_text:
        if not isinstance(value, str):
            raise InvalidInputError(term.name, value, rule="must be text")
        if term.choices and value not in term.choices:
            raise UnknownNameError(term.name, value, term.choices)
        return value
    return _in_limits(term, value, term.stored_limits)


def _check_new(given: Mapping[str, Any]) -> None:
    """Raise InvalidInputError if a given number breaks a rule, including rules that stored campaigns may break."""
    for term in TERMS:
        if term.stored_lt is not None and term.name in given:
            _in_limits(term, given[term.name], term.limits)


def _in_limits(term: Term, value: Any, limits: Mapping[str, float]) -> float:
    rate = percent_in(value) if term.is_rate else None
    number = real(value) if rate is None else rate
    bounds = {"gt": number.__gt__, "ge": number.__ge__, "lt": number.__lt__, "le": number.__le__}
    is_right = math.isfinite(number) and not (term.is_whole and number % 1.0)
    if not is_right or not all(bounds[name](limit) for name, limit in limits.items()):
        raise InvalidInputError(term.name, value if math.isnan(number) else number, rule=term.rule)
    return int(number) if term.is_whole else number
