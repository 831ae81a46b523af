r"""From the rows of a campaign to its verdicts, in one pipeline whatever the bar and the sampling are.

1. :func:`statistics_of`: what was told, as statistics of each arm;
2. :func:`thresher.inference.posterior_of`: the values that the bar may have, with weights; the posterior of each arm
   for each of them; their average gives the chance of error;
3. :func:`thresher.inference.decide`: the guarantee gives the decisions and the intervals behind them;
4. one row for each arm, from columns with the names of its fields.

People look at a running campaign and act on the first decision. So while budget is left, ``calibrated`` decides at
:math:`\text{risk} \cdot s`, where `s` is the share of the outcomes told: told / (told + those that the rest of the
budget can pay for). When the budget is spent, and in a closed campaign, it decides at the risk. An arm that was decided
when a budget was spent stays decided after an extension as long as its chance of error is at most the risk.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from thresher.campaign.ledger import CLOSED, NOTHING, Arm, KnownSignals, Ledger, Machine, SortKeys, Terms, score_table
from thresher.campaign.other_bar import at_bar
from thresher.campaign.quantile_rows import OutcomeStatistics, with_shares
from thresher.campaign.sigma_check import checked_sigma
from thresher.campaign.trial_rows import of_all_trials, with_trials
from thresher.campaign.verdicts import ControlStatistics, Verdict, Verdicts, said_under
from thresher.inference import (
    Decisions,
    Doubt,
    ItemCells,
    Posterior,
    answers_of,
    decide,
    doubt_by,
    foreseen_of,
    intervals,
    posterior_of,
    sides_of,
)
from thresher.inference.bars import QuestionBar, bar_of
from thresher.inference.guarantees import RULES
from thresher.jit import plain
from thresher.policy import ArmRule, DecisionTerms, Offer, judged_mean, outlook, price
from thresher.problem import Question, Statistics, amount_of
from thresher.types import Floats, Ints

_judged_mean = plain(judged_mean)

KEPT = 8  # campaigns that were last looked at, of which the question and the rules of the arms are kept
LEAST_SHARE = 1e-9  # of the outcomes told, before the first one
WORDS = {1: "above", -1: "below", 0: "undecided"}


class Progress(NamedTuple):
    """How far a budget is spent.

    Attributes
    ----------
    share : float
        `s` above: outcomes told, of all that the budget pays for.
    decided : collection of int
        Positions of the arms that were decided when an earlier budget was spent.
    """

    share: float = 1.0
    decided: Collection[int] = ()

    @property
    def is_spent(self) -> bool:
        """Whether nothing more can be told."""
        return self.share == 1.0

    def level(self, risk: float) -> float:
        """Return the chance of error up to which an arm is decided now."""
        return risk * max(self.share, LEAST_SHARE)

    def levels(self, risk: float, positions: Ints) -> Floats:
        """Return the same for some arms: the risk for those that were decided when a budget was spent."""
        return np.where(np.isin(positions, list(self.decided)), risk, self.level(risk))


def progress_of(ledger: Ledger, arms: Sequence[Arm], decided: Collection[int] = ()) -> Progress:
    """Return how far the budget is spent.

    What the rest pays for is reckoned at the mean cost of the arms that can be measured. Tickets in flight count as not
    told.
    """
    able = [arm for arm in arms if not arm.retired]
    rest = ledger.budget - ledger.spent
    if ledger.status == CLOSED or not able or rest < min(arm.pull_cost for arm in able):
        return Progress(1.0, decided)
    payable = rest * len(able) / max(sum(arm.pull_cost for arm in able), 1)
    if ledger.pools:
        payable = min(payable, sum(max(ledger.turns - arm.pulls, 0) for arm in able))
    return Progress(ledger.told / (ledger.told + payable) if payable else 1.0, decided)


class CampaignStatistics(NamedTuple):
    """What all arms show, a control among them.

    Attributes
    ----------
    bar : QuestionBar
        That of the question.
    arms : sequence of Arm
        With items, each with what these add to its sum.
    seen : Statistics
        Outcomes as they were told.
    worth : Statistics
        Independent outcomes that would say as much: with items, effective samples at the adjusted means.
    means : ndarray of float64, shape (K,)
        As shown: with items adjusted for them. NaN where nothing was told.
    judged_means : ndarray of float64, shape (K,)
        By which verdicts are given: those shown, or with the prior of the policy. NaN where nothing is known.
    pool : Ledger
        The number of items, and what they leave of the variance.
    """

    bar: QuestionBar
    arms: Sequence[Arm]
    seen: Statistics
    worth: Statistics
    means: Floats
    judged_means: Floats
    pool: Ledger

    @property
    def question(self) -> Question:
        """What is asked of the arms."""
        return self.bar.question


def statistics_of(
    machine: Machine, terms: Terms, arms: Sequence[Arm], outcomes: Floats | None, known: KnownSignals = NOTHING
) -> CampaignStatistics:
    """Return what these arms show.

    Parameters
    ----------
    machine : Machine
    terms : Terms
        To judge by.
    arms : sequence of Arm
    outcomes : ndarray of float64, shape (K, N) or (R, K, N)
        Of all arms on all items, NaN where there is none; None for independent draws.
    known : KnownSignals
        Outcomes of past arms, and scores of answers.
    """
    if outcomes is None:
        asked, seen = _asked(arms), seen_of(arms)
        rules = _rules_of(machine.sort_keys, asked)
        means = [_judged_mean(rule, float(arm.pulls), arm.total) for rule, arm in zip(rules, arms, strict=True)]
        return CampaignStatistics(_compared(terms, asked), arms, seen, seen, seen.means, np.array(means), Ledger())
    bar = _with_control(question_of(terms, arms, items=outcomes.shape[-1], known=known), terms)
    question = bar.question
    scores = score_table(terms, arms, outcomes)
    answers = answers_of(question, scores)
    foreseen = None if known.asked is None else foreseen_of(question, scores, known.asked)
    fit = Ledger().refit(int(answers.seen.counts.sum()), answers.fit.slope, float(answers.fit.share), answers.told.rho)
    pool = fit._replace(pools=str(outcomes.shape[-1]), repeats=terms.repeats)
    moved = [arm.refit(0.0, _shift(arm, mean)) for arm, mean in zip(arms, answers.means.tolist(), strict=True)]
    return CampaignStatistics(
        bar,
        moved,
        replace(answers.seen, foreseen=foreseen),
        answers.effective(question),
        answers.means,
        answers.means,
        pool,
    )


def _shift(arm: Arm, mean: float) -> float:
    """Return how far an adjusted mean is above the plain one; 0 where nothing was told."""
    return mean - arm.total / arm.pulls if arm.pulls else 0.0


class AskedArm(NamedTuple):
    """What the question has of an arm, which never changes once the arm is there."""

    name: str
    threshold: float
    sigma: float
    cost: float
    pull_cost: int


def _asked(arms: Sequence[Arm]) -> tuple[AskedArm, ...]:
    return tuple(AskedArm(arm.name, arm.threshold, arm.sigma, arm.cost, arm.pull_cost) for arm in arms)


@lru_cache(maxsize=KEPT)
def _compared(terms: Terms, arms: tuple[AskedArm, ...]) -> QuestionBar:
    """Return the bar of arms without items, that of a control if the terms name one; checked once."""
    return _with_control(question_of(terms, arms), terms)


@lru_cache(maxsize=KEPT)
def _rules_of(index: SortKeys, arms: tuple[AskedArm, ...]) -> list[ArmRule]:
    """Return the rules that rank and judge arms without items."""
    return [index.rule(arm.threshold, arm.sigma, arm.cost, arm.pull_cost) for arm in arms]


def _with_control(question: Question, terms: Terms) -> QuestionBar:
    return bar_of(replace(question, control=terms.control_among(question.arms)))


def question_of(
    terms: Terms, arms: Sequence[Arm | AskedArm], *, items: int = 0, known: KnownSignals = NOTHING
) -> Question:
    """Return the question that these arms ask, without a control, each with this number of items."""
    sizes = np.full(len(arms), items)
    return terms.question(
        thresholds=[arm.threshold for arm in arms],
        sigma=[arm.sigma for arm in arms],
        arms=[arm.name for arm in arms],
        costs=[arm.cost for arm in arms],
        pull_costs=[amount_of(arm.pull_cost) for arm in arms],
        structure=terms.structure(sizes, history=known.history, proxy=known.proxy) if items else None,
    )


def seen_of(arms: Sequence[Arm]) -> Statistics:
    """Return the statistics of these arms."""

    def column(name: str) -> Floats:
        return np.array([getattr(arm, name) for arm in arms], dtype=np.float64)

    return Statistics(column("pulls"), column("total"), column("squares"))


def judge(
    machine: Machine,
    arms: Sequence[Arm],
    outcomes: Floats | None = None,
    *,
    known: KnownSignals = NOTHING,
    statistics: OutcomeStatistics | None = None,
    progress: Progress | None = None,
    bar: float | None = None,
    **given: Any,
) -> Verdicts:
    """Return the verdict, the decision, the chance of error and the value of a next pull of every arm but a control.

    Parameters
    ----------
    machine : Machine
    arms : sequence of Arm
    outcomes : ndarray of float64, shape (K, N) or (R, K, N), optional
        Of all arms on all items, NaN where there is none; None in a campaign without items.
    known : KnownSignals
        Outcomes of past arms, and scores of answers.
    statistics : OutcomeStatistics, optional
        For the rows of a campaign that compares a quantile.
    progress : Progress, optional
        How far the budget is spent; spent unless given.
    bar : float, optional
        Of all arms, instead of their own.
    **given
        Terms instead of those of the campaign, see :meth:`thresher.campaign.ledger.Terms.adjusted`.
    """
    terms, goal = machine.terms, machine.terms.goal
    if any(value is not None for value in given.values()):
        terms = terms.adjusted(**given)
        terms.combined(has_items=outcomes is not None).check()
    if bar is not None:
        arms = at_bar(machine, arms, bar)
    told = statistics_of(machine, terms, arms, outcomes, known)
    judging = _decision_terms(terms, goal)
    posterior = posterior_of(told.bar, told.worth, told=told.seen, is_stopping=judging.is_stopping)
    doubts, progress = doubt_by(posterior, terms.tolerance), progress or Progress()
    decided = _decided(told, terms, posterior, doubts, progress)
    rows = _rows_of(machine, terms, told, decided, doubts)
    if terms.quantile:
        rows = with_shares(rows, arms, statistics)
    if terms.trials > 1:
        rows = [of_all_trials(row, arm.threshold, terms.trials) for row, arm in zip(rows, arms, strict=True)]
    elif terms.pass_k > 1 and outcomes is not None:
        rows = with_trials(rows, ItemCells.of(outcomes), terms.pass_k)
    control = _control_statistics(told, terms)
    offer = partial(_offer, told, decided, judging)
    is_early = RULES[terms.guarantee].is_early and not progress.is_spent
    said = said_under(terms, goal, level=progress.level(terms.risk) if is_early else None)
    found = Verdicts(rows, said=said, offer=offer, control=control).leaving_open(terms.abstain)
    return checked_sigma(found, terms, told.question, told.seen) if terms.kind.needs_sigma else found


def _decision_terms(terms: Terms, goal: str) -> DecisionTerms:
    return DecisionTerms(
        risk=terms.risk,
        guarantee=terms.guarantee,
        tolerance=terms.tolerance,
        is_stopping=bool(terms.stop_mistakes),
        goal=goal,
        policy=terms.policy,
    )


def _decided(
    told: CampaignStatistics, terms: Terms, posterior: Posterior, doubts: Doubt, progress: Progress
) -> Decisions:
    """Return the decisions on all judged arms; what is left of the pools cannot change those that are certain."""
    sides = _cheaper_sides(terms, sides_of(told.bar, told.seen, told.judged_means), doubts)
    return decide(
        told.bar,
        told.seen,
        sides,
        posterior,
        worth=told.worth,
        risk=terms.risk,
        level=progress.levels(terms.risk, told.question.judged),
        guarantee=terms.guarantee,
        tolerance=terms.tolerance,
    ).settled(told.bar.certain(told.seen))


def _cheaper_sides(terms: Terms, sides: Ints, doubts: Doubt) -> Ints:
    """Return these sides, or the side whose mistake is expected to cost less where the two costs differ."""
    if terms.false_pass == terms.false_fail:
        return sides
    return np.where(sides == 0, 0, doubts.cheaper_sides(terms.false_pass, terms.false_fail))


def _rows_of(
    machine: Machine, terms: Terms, told: CampaignStatistics, decided: Decisions, doubts: Doubt
) -> list[Verdict]:
    """Return one row for each judged arm."""
    bar, judged = told.bar, told.question.judged
    arms = [told.arms[k] for k in judged.tolist()]
    shown = bar.columns(told.seen, told.means, alpha=terms.risk)
    alpha = RULES[terms.guarantee].valid_level(terms.risk, len(arms))
    interval = bar.in_row(decided.interval, told.seen, told.means, alpha=alpha)
    valid = bar.in_row(decided.limits, told.seen, told.means, alpha=terms.risk)
    is_known = [bool(arm.pulls) for arm in arms]
    is_within = doubts.within() & (shown.thresholds == shown.thresholds)  # not before a control is measured
    # As lists: indexing NumPy scalars would dominate.
    return _rows(
        arm=[arm.name for arm in arms],
        verdict=[WORDS[side] for side in decided.sides.tolist()],
        mean=_where(is_known, told.means[judged]),
        pulls=[arm.pulls for arm in arms],
        low=interval.low.tolist(),
        high=interval.high.tolist(),
        p_wrong=decided.p_wrong.tolist(),
        price=_prices(machine, told, decided.p_wrong),
        threshold=shown.thresholds.tolist(),
        outstanding=[arm.outstanding for arm in arms],
        retired=[bool(arm.retired) for arm in arms],
        decision=decided.words(terms.passes),
        proven=decided.is_proven.tolist(),
        within=[within and known for within, known in zip(is_within.tolist(), is_known, strict=True)],
        raw_mean=_where(is_known, told.seen.means[judged]),
        certain=(bar.certain(told.seen) != 0).tolist(),
        difference=_finite(shown.differences),
        lift=_finite(shown.lifts),
        lift_low=_finite(shown.lift_limits.low),
        lift_high=_finite(shown.lift_limits.high),
        valid_low=valid.low.tolist(),
        valid_high=valid.high.tolist(),
    )


def _rows(**columns: Sequence[Any]) -> list[Verdict]:
    """Return the rows of these columns, named as the fields of a row."""
    return [Verdict(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)]


def _where(is_known: Sequence[bool], values: Floats) -> list[float | None]:
    return [value if known else None for known, value in zip(is_known, values.tolist(), strict=True)]


def _finite(values: Floats) -> list[float | None]:
    return _where(np.isfinite(values).tolist(), values)


def _prices(machine: Machine, told: CampaignStatistics, p_wrong: Floats) -> list[float]:
    """Return the value of the next measurement of each judged arm; NaN if unknown."""
    places, pricing = told.question.judged.tolist(), _pricing_of(machine)
    if pricing is None:
        return [math.nan] * len(places)
    keys, rules = _keys(machine, pricing, told), _rules_of(pricing, _asked(told.arms))
    return [
        price(keys[k], count=told.arms[k].pulls, cost=rules[k].cost, p_wrong=chance)
        for k, chance in zip(places, p_wrong.tolist(), strict=True)
    ]


def _pricing_of(machine: Machine) -> SortKeys | None:
    """Return the index whose exponential is a price: that of optimal stopping, whatever policy the campaign has."""
    if machine.terms.policy == "stopping" and machine.terms.goal == "mistakes":
        return machine.sort_keys
    return None if machine.terms.kind.tells_all else _stopping_keys(machine.terms)


@lru_cache(maxsize=KEPT)
def _stopping_keys(terms: Terms) -> SortKeys:
    return SortKeys(replace(terms, policy="stopping", goal="mistakes"))


def _keys(machine: Machine, pricing: SortKeys, told: CampaignStatistics) -> list[float]:
    """Return the sort keys of all arms; those of the campaign's own policy are in the rows of its arms."""
    if pricing is machine.sort_keys and not pricing.needs_all_arms:
        return [arm.urgency for arm in told.arms]
    return pricing.of_all(told.arms, told.pool)


def _control_statistics(told: CampaignStatistics, terms: Terms) -> ControlStatistics | None:
    """Return the statistics of the control itself; None without one."""
    if told.question.control is None:
        return None
    arm = told.arms[told.question.control.arm]
    limits = intervals(replace(told.question, control=None), told.seen, alpha=terms.risk)
    low, high = float(limits.low[arm.position]), float(limits.high[arm.position])
    mean = float(told.means[arm.position]) if arm.pulls else None
    return ControlStatistics(arm.name, mean, arm.pulls, arm.outstanding, low, high, str(terms.margin))


def _offer(told: CampaignStatistics, decided: Decisions, judging: DecisionTerms) -> Offer | None:
    """Return the extension to offer; None if nothing was measured or one outcome decides an arm.

    With items, the next answer of an open arm is worth as many independent draws as one told so far: a little less than
    it is, because the pool runs out. All items that are left decide every arm.
    """
    question, n_told = told.question, float(told.seen.counts.sum())
    if question.kind.tells_all or not n_told:
        return None
    retired = np.array([bool(arm.retired) for arm in told.arms])
    is_open = ~retired[question.judged] & ~decided.is_decided
    open_arms = question.judged[is_open]
    answers, draws = (float(each.counts[open_arms].sum()) for each in (told.seen, told.worth))
    worth = draws / answers if answers else 1.0  # of an answer, in independent draws
    found = outlook(question, told.worth, is_open, judging=judging, is_retired=retired).offer(n_told * worth)
    found = found._replace(measurements=found.measurements / worth)
    unseen = question.sampling.left(question, told.seen)
    unseen[question.judged[~is_open]] = 0.0
    left = float(unseen.sum())
    if found.measurements < left or not found.n_open:
        return found
    return Offer(left, float(found.n_open), found.n_open) if question.sampling.ends_known else None
