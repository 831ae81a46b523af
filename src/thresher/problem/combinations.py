"""What cannot be combined: every refusal with its reason, for simulations and campaigns alike.

What one policy cannot play is not here: a policy says so itself (:meth:`thresher.policy.Policy.why_not`). Neither is
which families use a term: :mod:`thresher.registries` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from thresher.errors import InvalidInputError
from thresher.problem.families import FAMILIES

NO_MARGIN = (None, 0.0, "0")


class Combination(NamedTuple):
    """What a question or a campaign combines; what it does not have, or what is not known yet, is left out.

    Attributes
    ----------
    has_items : bool, optional
        Whether arms have a finite pool of items; None where that is not known yet.
    bar, margin
        As they are given.
    is_another_bar : bool
        The bar is for outcomes that were told before, in place of the bar of the campaign.
    history, proxy
        Cheap signals as they are given: outcomes of past arms, and scores of answers.
    shares_items : bool
        The policy uses what the answers of arms say about each other.
    is_table : bool
        The items are a table of recorded outcomes, which a simulation replays.
    has_outcomes : bool
        A simulation has outcomes of its own: recorded ones, or those of samplers.
    items : int
        The size of the pool that a plan puts behind each arm.
    cost : str
        Where the cost of a measurement is read after it.
    judge_agreement : float
        Of the judge that a plan assumes.
    allocation : bool
        The allocation of the oracle is asked for.
    """

    family: str = ""
    has_control: bool = False
    has_items: bool | None = None
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
    bar: Any = None
    is_another_bar: bool = False
    margin: Any = None
    history: Any = None
    proxy: Any = None
    shares_items: bool = False
    is_table: bool = False
    has_outcomes: bool = False
    items: int = 0
    cost: str = ""
    judge_agreement: float = 0.0
    allocation: bool = False

    @property
    def tells_all(self) -> bool:
        """Whether one outcome decides an arm."""
        return bool(self.family) and FAMILIES[self.family].tells_all

    @property
    def is_coin(self) -> bool:
        """Whether outcomes are 0 or 1."""
        return bool(self.family) and FAMILIES[self.family].is_coin

    @property
    def decides(self) -> bool:
        """Whether arms are ranked by how near each is to a decision."""
        return self.goal == "decide"

    @property
    def refusal(self) -> Refusal | None:
        """Why this cannot be had, or None."""
        return next((refusal for refusal in REFUSALS if refusal.applies(self)), None)

    def check(self, **called: str) -> None:
        """Raise InvalidInputError if this cannot be had, with the reason; `called` is what the user calls a field."""
        if (refusal := self.refusal) is not None:
            field = refusal.field
            fix = refusal.fix.format_map(self._asdict())
            raise InvalidInputError(called.get(field, field), getattr(self, field), rule=refusal.rule, fix=fix)


class Refusal(NamedTuple):
    """A combination that cannot be had."""

    applies: Callable[[Combination], bool]
    field: str
    rule: str
    fix: str = ""


NEEDS_ITEMS = (
    "must come with items",
    "create the campaign with items, or simulate a CSV file with the columns arm, item and value",
)
REFUSALS = (
    # A bar, and what comes with it
    Refusal(
        lambda one: one.bar is not None and one.has_control,
        "bar",
        "must be left out with a control, whose mean is the bar",
        "give a margin in its place",
    ),
    Refusal(
        lambda one: one.is_another_bar and one.quantile > 0.0,
        "bar",
        "must be left out with a quantile: every outcome was counted as above or below the bar of its arm",
        "create another campaign and import the outcomes",
    ),
    Refusal(
        lambda one: one.margin not in NO_MARGIN and not one.has_control,
        "margin",
        "must come with a control",
        "name the control",
    ),
    Refusal(
        lambda one: bool(one.cost) and one.has_control,
        "cost",
        "must be left out with a control: a campaign begins with its control, and an arm whose cost is not known is "
        "added with its first outcome",
        "give pull_cost in its place",
    ),
    # The family
    Refusal(
        lambda one: one.is_table and one.family not in ("bernoulli", "bounded"),
        "family",
        "must be 'bernoulli' or 'bounded' for a table of arms and items",
    ),
    Refusal(
        lambda one: one.is_table and one.repeats > 1 and not one.is_coin,
        "family",
        "must be left out of a table with repeats, whose outcomes are 0 or 1",
    ),
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
    Refusal(lambda one: one.has_control and one.tells_all, "family", "must not be two-point with a control"),
    Refusal(lambda one: bool(one.has_items) and one.tells_all, "family", "must not be two-point with items"),
    Refusal(lambda one: one.decides and one.has_control, "goal", "must be mistakes with a control"),
    # What an outcome counts as
    Refusal(
        lambda one: one.quantile > 0.0 and bool(one.family) and not one.is_coin,
        "family",
        "must be left out with a quantile: an outcome then counts as above its bar or not",
        "leave out the family or the quantile",
    ),
    Refusal(
        lambda one: one.quantile > 0.0 and one.has_control,
        "quantile",
        "must be left out with a control, whose mean is the bar",
        "give each arm a bar in its place",
    ),
    Refusal(
        lambda one: one.pass_k > 1 and not one.is_coin,
        "family",
        "must be bernoulli with pass_k: a trial succeeds or not",
    ),
    Refusal(
        lambda one: one.pass_k > 1 and one.quantile > 0.0,
        "quantile",
        "must be left out with pass_k: a trial succeeds or not",
    ),
    Refusal(
        lambda one: one.pass_k > 1 and one.has_control,
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
        lambda one: one.pass_k > 1 and bool(one.has_items) and one.repeats < one.pass_k,
        "pass_k",
        "must be at most repeats with items: it is estimated from the outcomes of one item, and has no guarantee",
        "give more repeats, or leave the items out",
    ),
    # Items, what they are a sample of, how often they are asked, and what is known of them
    Refusal(
        lambda one: one.target == "population" and one.has_items is False,
        "target",
        "must be items in a campaign without items",
    ),
    Refusal(
        lambda one: one.repeats > 1 and one.has_items is False,
        "repeats",
        "must be 1 in a campaign without items, where every outcome is a new draw",
        "give items, or leave out repeats",
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
        lambda one: one.repeats > 1 and one.has_control,
        "repeats",
        "must be 1 with a control: how much outcomes of one item vary is not known of a difference",
        "give each arm a bar in its place",
    ),
    Refusal(
        lambda one: one.target == "population" and one.has_control,
        "target",
        "must be items with a control: how the two means vary together over other items is not known",
    ),
    Refusal(
        lambda one: bool(one.has_items) and one.has_control and one.guarantee == "fdr",
        "guarantee",
        "must be calibrated, anytime or fwer with items and a control",
    ),
    Refusal(lambda one: one.history is not None and one.has_items is False, "history", *NEEDS_ITEMS),
    Refusal(lambda one: one.proxy is not None and one.has_items is False, "proxy", *NEEDS_ITEMS),
    Refusal(
        lambda one: one.history is not None and one.quantile > 0.0,
        "history",
        "must be left out where a quantile is compared: past arms have no bar by which their outcomes count",
    ),
    # What a simulation, a plan or theory does
    Refusal(
        lambda one: one.recommend == "peak" and one.has_control,
        "recommend",
        "must be 'final' with a control: a pull of it moves all indices",
    ),
    Refusal(
        lambda one: one.recommend == "peak" and one.repeats > 1,
        "recommend",
        "must be 'final' with repeats of items",
    ),
    Refusal(
        lambda one: one.recommend == "peak" and one.shares_items,
        "recommend",
        "must be 'final' with shared items: their indices move without a pull",
        "or use {policy}:structure=pool",
    ),
    Refusal(
        lambda one: one.items > 0 and one.has_outcomes,
        "items",
        "must be left out: this problem has its own outcomes",
    ),
    Refusal(
        lambda one: one.judge_agreement > 0.0 and not one.is_coin,
        "judge_agreement",
        "must come with outcomes 0 and 1",
        "say --family bernoulli",
    ),
    Refusal(
        lambda one: one.judge_agreement > 0.0 and (one.has_control or one.has_outcomes),
        "judge_agreement",
        "must be left out with a control, and for a problem with its own outcomes",
    ),
    Refusal(
        lambda one: one.allocation and one.has_control,
        "allocation",
        "must be left out with a control: the oracle knows the bar",
    ),
    Refusal(
        lambda one: one.allocation and bool(one.has_items),
        "allocation",
        "must be left out where items are drawn without replacement: the oracle is known for independent draws",
    ),
)
