"""Whether outcomes are what verdicts take them for.

They have to be independent samples, and normal ones where means are compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from thresher.campaign.ledger import TOLD, Arm, Pull, Terms
from thresher.campaign.storage import Snapshot
from thresher.campaign.verdict_pipeline import question_of, seen_of
from thresher.inference import FEWEST, Dependence, dependence, expected_means, fit_population, normality

ASSUMED = "the guarantee assumes outcomes that are about normal; for times compare a quantile (--quantile 0.5)"
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
    """Checks the first and the last outcomes of a campaign, and repeats the check after a tenth more outcomes.

    Attributes
    ----------
    due : float
        How many outcomes there are when the next check is due; infinite if there is nothing to check.
    found : tuple of str
        The warnings of the last check.
    """

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._is_normal = terms.kind.is_normal
        self.due = math.inf if terms.kind.tells_all else normality.FEWEST if self._is_normal else FEWEST
        self.found: tuple[str, ...] = self._normality([])

    def pulls(self, now: Snapshot, told: int) -> list[Pull]:
        """Return the pulls to check, and set when the next check is due; `told` is how many outcomes there are."""
        self.due = told + 1 + told // 10
        pulls = now.pulls(limit=FIRST)
        asked = now.ledger().pulls
        return pulls if asked <= FIRST else pulls + now.pulls(after=max(FIRST, asked - LAST), limit=LAST)

    def check(self, arms: Sequence[Arm], pulls: Sequence[Pull]) -> None:
        """Check these pulls, of the snapshot of all arms."""
        self.found = (*dependence_of(self._terms, arms, pulls).warnings, *self._normality(pulls))

    def _normality(self, pulls: Sequence[Pull]) -> tuple[str, ...]:
        """Return that means are compared as those of normal outcomes, or warnings if these are not normal."""
        if not self._is_normal:
            return ()
        told = [pull for pull in pulls if pull.state == TOLD and pull.size == 1]
        positions, outcomes = ([getattr(pull, name) for pull in told] for name in ("arm", "value"))
        found = normality.normality_warnings(np.array(positions, np.int64), np.array(outcomes, float))
        return found or (ASSUMED,)
