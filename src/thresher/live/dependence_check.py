"""The check whether the outcomes of a campaign behave as independent samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from thresher.campaign import TOLD, Arm, Pull, Terms
from thresher.live.seen_arms import question_of, seen_of
from thresher.policy.independence import FEWEST, Dependence, dependence
from thresher.policy.population import expected_means, fit_population
from thresher.storage import Snapshot

FIRST = LAST = 10_000  # pulls from the start and the end of a campaign: enough to detect a drift, and fast to read


def dependence_of(terms: Terms, arms: Sequence[Arm], pulls: Iterable[Pull]) -> Dependence:
    """Return measures of the dependence between outcomes of all arms, in the order in which they were told.

    The family must not be ``two-point``. Outcomes that do not count, and aggregates, which have no order, are left out.
    """
    told = [pull for pull in pulls if pull.state == TOLD and pull.size == 1]
    told.sort(key=lambda pull: (pull.told, pull.number))
    question, seen = question_of(terms, arms), seen_of(arms)
    means, variances = expected_means(question, seen, fit_population(question, seen))
    positions, outcomes = [pull.arm for pull in told], [pull.value for pull in told]
    return dependence(np.array(positions, np.int64), np.array(outcomes, np.float64), means, variances)


class DependenceCheck:
    """Checks the first and the last outcomes of a campaign, and repeats the check after a tenth more outcomes."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._next, self._found = FEWEST, tuple[str, ...]()

    def pulls(self, now: Snapshot, arms: Sequence[Arm]) -> list[Pull] | None:
        """Return the pulls to check, from the snapshot of all arms; None if it is too early for another check."""
        told = sum(arm.pulls for arm in arms)
        if self._terms.family == "two-point" or told < self._next:
            return None
        self._next = told + 1 + told // 10
        pulls = now.pulls(limit=FIRST)
        asked = now.ledger().pulls
        return pulls if asked <= FIRST else pulls + now.pulls(after=max(FIRST, asked - LAST), limit=LAST)

    def warnings(self, arms: Sequence[Arm], pulls: Sequence[Pull] | None) -> tuple[str, ...]:
        """Return the warnings of a check of these pulls; without pulls, those of the last check."""
        if pulls is not None:
            self._found = dependence_of(self._terms, arms, pulls).warnings
        return self._found
