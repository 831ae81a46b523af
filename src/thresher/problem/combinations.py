"""What cannot be combined: every refusal with its reason, for simulations and campaigns alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from thresher.errors import InvalidInputError
from thresher.problem.families import FAMILIES


class Combination(NamedTuple):
    """What a question or a campaign combines; what it does not have is left out."""

    family: str
    control: str = ""
    has_items: bool = False
    guarantee: str = ""
    goal: str = ""
    policy: str = ""
    stop_price: float = 0.0
    quantile: float = 0.0
    pass_k: int = 1
    tolerance: float = 0.0
    target: str = "items"
    repeats: int = 1
    recommend: str = "final"

    @property
    def tells_all(self) -> bool:
        """Whether one outcome decides an arm."""
        return FAMILIES[self.family].tells_all

    @property
    def decides(self) -> bool:
        """Whether arms are ranked by how near each is to a decision."""
        return self.goal == "decide"

    def check(self) -> None:
        """Raise InvalidInputError if this cannot be had, with the reason."""
        for refusal in REFUSALS:
            if refusal.applies(self):
                value = getattr(self, refusal.field)
                raise InvalidInputError(refusal.field, value, rule=refusal.rule, fix=refusal.fix)


class Refusal(NamedTuple):
    """A combination that cannot be had."""

    applies: Callable[[Combination], bool]
    field: str
    rule: str
    fix: str = ""


def check_bar(where: str, value: Any, *, control: object) -> None:
    """Raise InvalidInputError if a bar is given although there is a control; `where` is what the user calls it."""
    if value is not None and control not in (None, ""):
        rule = "must be left out with a control, whose mean is the bar"
        raise InvalidInputError(where, value, rule=rule, fix="give a margin in its place")


def check_margin(margin: Any, *, control: object) -> None:
    """Raise InvalidInputError if a margin is given without a control."""
    if margin not in (0.0, "0", None) and control in (None, ""):
        raise InvalidInputError("margin", margin, rule="must come with a control", fix="name the control")


def check_items(where: str, value: Any, *, has_items: bool) -> None:
    """Raise InvalidInputError if cheap signals are given to a campaign without items."""
    if value is not None and not has_items:
        raise InvalidInputError(where, value, rule="must come with items", fix="create the campaign with items")


def check_allocation(where: str, *, has_known_bar: bool, is_independent: bool) -> None:
    """Raise InvalidInputError if the allocation of the oracle is asked for where none is known."""
    if not has_known_bar:
        raise InvalidInputError(where, True, rule="must be left out with a control: the oracle knows the bar")
    if not is_independent:
        rule = "must be left out where items are drawn without replacement: the oracle is known for independent draws"
        raise InvalidInputError(where, True, rule=rule)


REFUSALS = (
    Refusal(
        lambda one: one.decides and one.policy != "stopping",
        "policy",
        "must be stopping with the goal 'decide', which ranks arms itself",
    ),
    Refusal(
        lambda one: one.decides and one.stop_price > 0.0,
        "stop_price",
        "must be 0 with the goal 'decide', which has no price",
    ),
    Refusal(lambda one: one.decides and one.tells_all, "family", "must not be two-point with the goal 'decide'"),
    Refusal(lambda one: bool(one.control) and one.tells_all, "family", "must not be two-point with a control"),
    Refusal(lambda one: one.has_items and one.tells_all, "family", "must not be two-point with items"),
    Refusal(lambda one: one.decides and bool(one.control), "goal", "must be mistakes with a control"),
    Refusal(
        lambda one: one.quantile > 0.0 and not FAMILIES[one.family].is_coin,
        "family",
        "must be left out with a quantile: an outcome then counts as above its bar or not",
        "leave out the family or the quantile",
    ),
    Refusal(
        lambda one: one.quantile > 0.0 and bool(one.control),
        "quantile",
        "must be left out with a control, whose mean is the bar",
        "give each arm a bar in its place",
    ),
    Refusal(
        lambda one: one.pass_k > 1 and not FAMILIES[one.family].is_coin,
        "family",
        "must be bernoulli with pass_k: a trial succeeds or not",
    ),
    Refusal(
        lambda one: one.pass_k > 1 and one.quantile > 0.0,
        "quantile",
        "must be left out with pass_k: a trial succeeds or not",
    ),
    Refusal(
        lambda one: one.pass_k > 1 and bool(one.control),
        "pass_k",
        "must be 1 with a control, whose mean is the bar",
        "give each arm a bar in its place",
    ),
    Refusal(
        lambda one: one.pass_k > 1 and one.tolerance > 0.0,
        "tolerance",
        "must be 0 with pass_k: it would be around the rate of one trial, not of all",
    ),
    Refusal(
        lambda one: one.pass_k > 1 and one.has_items and one.repeats < one.pass_k,
        "pass_k",
        "must be at most repeats with items: it is estimated from the outcomes of one item, and has no guarantee",
        "give more repeats, or leave the items out",
    ),
    Refusal(
        lambda one: one.target == "population" and one.guarantee == "fdr",
        "guarantee",
        "must be calibrated, anytime or fwer with the target 'population': what other arms answered foretells the "
        "outcomes of an item, so that they have no e-values",
    ),
    Refusal(
        lambda one: one.repeats > 1 and one.guarantee == "fdr",
        "guarantee",
        "must be calibrated, anytime or fwer with repeats: outcomes of an item vary, so that those of a pool have no "
        "e-values",
    ),
    Refusal(
        lambda one: one.repeats > 1 and bool(one.control),
        "repeats",
        "must be 1 with a control: how much outcomes of one item vary is not known of a difference",
        "give each arm a bar in its place",
    ),
    Refusal(
        lambda one: one.target == "population" and bool(one.control),
        "target",
        "must be items with a control: how the two means vary together over other items is not known",
    ),
    Refusal(
        lambda one: one.has_items and bool(one.control) and one.guarantee == "fdr",
        "guarantee",
        "must be calibrated, anytime or fwer with items and a control",
    ),
    Refusal(
        lambda one: one.recommend == "peak" and bool(one.control),
        "recommend",
        "must be 'final' with a control: a pull of it moves all indices",
    ),
    Refusal(
        lambda one: one.recommend == "peak" and one.repeats > 1,
        "recommend",
        "must be 'final' with repeats of items",
    ),
)
