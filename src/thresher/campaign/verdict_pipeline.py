"""From the rows of a campaign to its verdicts, in one pipeline whatever the bar and the sampling are.

1. :func:`thresher.campaign.statistics.statistics_of`: what was told, as statistics of each arm;
2. :func:`thresher.inference.posterior_of`: the values that the bar may have, with weights; the posterior of each arm
   for each of them; their average gives the chance of error;
3. :func:`thresher.inference.decide`: the guarantee gives the decisions and the intervals behind them;
4. :func:`thresher.campaign.verdict_rows.rows_of`: one row for each arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from thresher.campaign.ledger import NOTHING, Arm, KnownSignals, Machine, Progress, Terms
from thresher.campaign.other_bar import at_bar
from thresher.campaign.quantile_rows import OutcomeStatistics, with_shares
from thresher.campaign.sigma_check import checked_sigma
from thresher.campaign.statistics import CampaignStatistics, statistics_of
from thresher.campaign.trial_rows import of_all_trials, with_trials
from thresher.campaign.verdict_rows import rows_of
from thresher.campaign.verdicts import ControlStatistics, Verdicts, said_under
from thresher.inference import Decisions, Doubt, ItemCells, Posterior, decide, doubt_by, intervals, posterior_of
from thresher.inference.bars import QuestionBar, bar_of, sides_of
from thresher.inference.guarantees import RULES
from thresher.policy import DecisionTerms, Offer, outlook
from thresher.types import Floats, Ints


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
    """Return the verdict on every arm but a control, what is decided, how sure it is, and the value of a next pull.

    Parameters
    ----------
    machine : Machine
    arms : sequence of Arm
    outcomes : ndarray of float64, shape (K, N) or (R, K, N), optional
        Of all arms on all items, NaN where there is none; None in a campaign without items.
    known : KnownSignals
        What past arms answered, and scores of answers.
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
    terms.combined(has_items=outcomes is not None).check()
    if bar is not None:
        arms = at_bar(machine, arms, bar)
    told = statistics_of(machine, terms, arms, outcomes, known)
    asked, judging = bar_of(told.question), _decision_terms(terms, goal)
    posterior = posterior_of(told.question, told.worth, told=told.seen, is_stopping=judging.is_stopping)
    doubts, progress = doubt_by(posterior, terms.tolerance), progress or Progress()
    decided = _decided(asked, told, terms, posterior, doubts, progress)
    rows = rows_of(machine, terms, told, asked, decided, doubts)
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


def _control_statistics(told: CampaignStatistics, terms: Terms) -> ControlStatistics | None:
    """Return what is known of the control itself; None without one."""
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
