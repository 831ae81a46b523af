"""Whether outcomes are what verdicts take them for.

They have to be independent samples; normal ones where means are compared; and where the standard deviation is given,
as varied as it says: decisions wait until it is checked, and while outcomes contradict it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from thresher.campaign.ledger import TOLD, Arm, Pull, Terms
from thresher.campaign.statistics import CampaignStatistics, question_of, seen_of
from thresher.campaign.storage import Snapshot
from thresher.campaign.verdicts import Verdicts
from thresher.inference import (
    FEWEST,
    FEWEST_OUTCOMES,
    Dependence,
    dependence,
    exceeds_sigma,
    expected_means,
    fit_population,
    normality,
    squared_deviations,
)
from thresher.report import figure

ASSUMED = "the guarantee assumes outcomes that are about normal; for times compare a quantile (--quantile 0.5)"
BETTER = "give the right sigma, or use the family gaussian-unknown-variance, in a new campaign"
FIRST = LAST = 10_000  # pulls read from the start and from the end of a campaign: enough to detect a drift


def dependence_of(terms: Terms, arms: Sequence[Arm], pulls: Iterable[Pull]) -> Dependence:
    """Return measures of the dependence between outcomes of all arms, in the order in which they were told.

    The family must not be ``two-point``. Outcomes that do not count, and aggregates, which have no order, are left out.
    """
    told = [pull for pull in pulls if pull.state == TOLD and pull.size == 1]
    told.sort(key=lambda pull: (pull.told, pull.number))
    question, seen = question_of(terms, arms), seen_of(arms)
    means, variances = expected_means(question, seen, fit_population(question, seen))
    positions = np.array([pull.arm for pull in told], np.int64)
    outcomes, thresholds = np.array([pull.value for pull in told], float), np.array([arm.threshold for arm in arms])
    return dependence(positions, terms.scoring.scores(outcomes, thresholds[positions]), means, variances)


class OutcomeChecks:
    """Checks the first and the last outcomes of a campaign, and repeats the check after a tenth more outcomes."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._is_normal = terms.kind.is_normal
        self._next = normality.FEWEST if self._is_normal else FEWEST
        self._found: tuple[str, ...] = self._normality([])

    def pulls(self, now: Snapshot, arms: Sequence[Arm]) -> list[Pull] | None:
        """Return the pulls to check, from the snapshot of all arms; None if it is too early for another check."""
        told = sum(arm.pulls for arm in arms)
        if self._terms.kind.tells_all or told < self._next:
            return None
        self._next = told + 1 + told // 10
        pulls = now.pulls(limit=FIRST)
        asked = now.ledger().pulls
        return pulls if asked <= FIRST else pulls + now.pulls(after=max(FIRST, asked - LAST), limit=LAST)

    def warnings(self, arms: Sequence[Arm], pulls: Sequence[Pull] | None) -> tuple[str, ...]:
        """Return the warnings of a check of these pulls; without pulls, those of the last check."""
        if pulls is not None:
            self._found = (*dependence_of(self._terms, arms, pulls).warnings, *self._normality(pulls))
        return self._found

    def _normality(self, pulls: Sequence[Pull]) -> tuple[str, ...]:
        """Return that means are compared as those of normal outcomes, or warnings if these are not normal."""
        if not self._is_normal:
            return ()
        told = [pull for pull in pulls if pull.state == TOLD and pull.size == 1]
        positions, outcomes = ([getattr(pull, name) for pull in told] for name in ("arm", "value"))
        found = normality.normality_warnings(np.array(positions, np.int64), np.array(outcomes, float))
        return found or (ASSUMED,)


def checked_sigma(found: Verdicts, terms: Terms, told: CampaignStatistics) -> Verdicts:
    """Return verdicts whose decisions are withheld, with a note, unless outcomes vary as the given sigma says.

    With the term ``sigma_check="warn"`` decisions stay.
    """
    if not terms.kind.needs_sigma:
        return found
    squares, degrees = squared_deviations(told.question, told.seen)
    if exceeds_sigma(squares, degrees):
        vary = f"outcomes vary about {figure(math.sqrt(squares / degrees), 2)} times as much as sigma says"
        if terms.sigma_check == "warn":
            return found.noting([f"{vary}, so verdicts are less certain than shown; {BETTER}"])
        return found.withheld(f"no arm is decided: {vary}; {BETTER}, or decide anyway with --sigma-check warn")
    if degrees < FEWEST_OUTCOMES and terms.sigma_check == "withhold" and any(row.decision != "open" for row in found):
        return found.withheld(
            f"no arm is decided before sigma is checked by {FEWEST_OUTCOMES} outcomes beyond the first of each arm: "
            f"so far there are {degrees}; decide without the check with --sigma-check warn"
        )
    return found
