r"""From the rows of a campaign to its verdicts, in one pipeline whatever the bar and the sampling are.

1. :func:`thresher.campaign.statistics.statistics_of`: what was told, as statistics of each arm;
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
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from thresher.campaign.ledger import CLOSED, NOTHING, Arm, KnownSignals, Ledger, Machine, SortKeys, Terms
from thresher.campaign.other_bar import at_bar
from thresher.campaign.outcome_checks import checked_sigma
from thresher.campaign.quantile_rows import OutcomeStatistics, with_shares
from thresher.campaign.statistics import CampaignStatistics, statistics_of
from thresher.campaign.trial_rows import of_all_trials, with_trials
from thresher.campaign.verdicts import ControlStatistics, Verdict, Verdicts, said_under
from thresher.inference import Decisions, Doubt, ItemCells, Posterior, decide, doubt_by, intervals, posterior_of
from thresher.inference.bars import QuestionBar, bar_of, sides_of
from thresher.inference.guarantees import RULES
from thresher.policy import DecisionTerms, Offer, outlook, price
from thresher.types import Floats, Ints

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
    terms, goal = machine.terms.adjusted(**given), machine.terms.goal
    if terms is not machine.terms:
        terms.combined(has_items=outcomes is not None).check()
    if bar is not None:
        arms = at_bar(machine, arms, bar)
    told = statistics_of(machine, terms, arms, outcomes, known)
    asked, judging = bar_of(told.question), _decision_terms(terms, goal)
    posterior = posterior_of(told.question, told.worth, told=told.seen, is_stopping=judging.is_stopping)
    doubts, progress = doubt_by(posterior, terms.tolerance), progress or Progress()
    decided = _decided(asked, told, terms, posterior, doubts, progress)
    rows = _rows_of(machine, terms, told, asked, decided, doubts)
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
    return checked_sigma(found, terms, told)


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
    bar: QuestionBar, told: CampaignStatistics, terms: Terms, posterior: Posterior, doubts: Doubt, progress: Progress
) -> Decisions:
    """Return the decisions on all judged arms; what is left of the pools cannot change those that are certain."""
    sides = _cheaper_sides(terms, sides_of(bar, told.seen, told.judged_means), doubts)
    return decide(
        told.question,
        told.seen,
        sides,
        posterior,
        worth=told.worth,
        risk=terms.risk,
        level=progress.levels(terms.risk, told.question.judged),
        guarantee=terms.guarantee,
        tolerance=terms.tolerance,
    ).settled(bar.certain(told.seen))


def _cheaper_sides(terms: Terms, sides: Ints, doubts: Doubt) -> Ints:
    """Return these sides, or the side whose mistake is expected to cost less where the two costs differ."""
    if terms.false_pass == terms.false_fail:
        return sides
    return np.where(sides == 0, 0, doubts.cheaper_sides(terms.false_pass, terms.false_fail))


def _rows_of(
    machine: Machine, terms: Terms, told: CampaignStatistics, bar: QuestionBar, decided: Decisions, doubts: Doubt
) -> list[Verdict]:
    """Return one row for each judged arm."""
    judged = told.question.judged
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
    keys = _keys(machine, pricing, told)
    return [
        price(keys[k], count=told.arms[k].pulls, cost=pricing.rule_of(told.arms[k]).cost, p_wrong=chance)
        for k, chance in zip(places, p_wrong.tolist(), strict=True)
    ]


def _pricing_of(machine: Machine) -> SortKeys | None:
    """Return the index whose exponential is a price: that of optimal stopping, whatever policy the campaign has."""
    if machine.terms.policy == "stopping" and machine.terms.goal == "mistakes":
        return machine.urgency
    if machine.terms.kind.tells_all:
        return None
    return SortKeys(replace(machine.terms, policy="stopping", goal="mistakes"))


def _keys(machine: Machine, pricing: SortKeys, told: CampaignStatistics) -> list[float]:
    """Return the sort keys of all arms; those of the campaign's own policy are in the rows of its arms."""
    if pricing is machine.urgency and not pricing.needs_all_arms:
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

    With items, more answers count as independent draws on top of the effective samples, which underrates them;
    all items that are left decide every arm.
    """
    question, n_told = told.question, float(told.seen.counts.sum())
    if question.kind.tells_all or not n_told:
        return None
    retired = np.array([bool(arm.retired) for arm in told.arms])
    is_open = ~retired[question.judged] & ~decided.is_decided
    found = outlook(question, told.worth, is_open, judging=judging, is_retired=retired).offer(n_told)
    unseen = question.sampling.left(question, told.seen)
    unseen[question.judged[~is_open]] = 0.0
    left = float(unseen.sum())
    if found.measurements < left or not found.n_open:
        return found
    return Offer(left, float(found.n_open), found.n_open) if question.sampling.ends_known else None
