"""Whether the outcomes of a campaign behave as independent samples, looked at now and then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from thresher.campaign import TOLD, Arm, Pull, Terms
from thresher.live.judge import problem_of, seen_of
from thresher.policy.independence import FEWEST, Dependence, dependence
from thresher.policy.population import expected_means, fit_population
from thresher.storage import Need, Storage

FIRST = LAST = 10_000  # pulls from the beginning and the end of a campaign: enough to see a drift, and soon read


def dependence_of(terms: Terms, arms: Sequence[Arm], pulls: Iterable[Pull]) -> Dependence:
    """Return how far the outcomes of pulls are from independent samples, in the order in which they were told.

    Parameters
    ----------
    terms : Terms
        Not of the family ``two-point``.
    arms : sequence of Arm
        All of them, by position.
    pulls : iterable of Pull
        Those whose outcomes do not count are left out, and aggregates, which have no order.
    """
    told = [pull for pull in pulls if pull.state == TOLD and pull.size == 1]
    told.sort(key=lambda pull: (pull.told, pull.number))
    problem, seen = problem_of(terms, arms), seen_of(arms)
    means, variances = expected_means(problem, seen, fit_population(problem, seen))
    positions, outcomes = [pull.arm for pull in told], [pull.value for pull in told]
    return dependence(np.array(positions, np.int64), np.array(outcomes, np.float64), means, variances)


class Suspicion:
    """Looks at the first and the last outcomes of a campaign, and again once a tenth more have come.

    Parameters
    ----------
    storage : Storage
    campaign : int
    terms : Terms
    """

    def __init__(self, storage: Storage, campaign: int, terms: Terms) -> None:
        self._storage, self._campaign, self._terms = storage, campaign, terms
        self._next, self._found = FEWEST, tuple[str, ...]()

    def warnings(self, arms: Sequence[Arm]) -> tuple[str, ...]:
        """Return what there is to warn of.

        Parameters
        ----------
        arms : sequence of Arm
            All of them, as they are now.
        """
        told = sum(arm.pulls for arm in arms)
        if self._terms.family == "two-point" or told < self._next:
            return self._found
        self._next = told + 1 + told // 10
        pulls, _ = self._storage.pulls(self._campaign, limit=FIRST)
        asked = self._storage.look(self._campaign, Need()).state.ledger.pulls
        if asked > FIRST:
            pulls = pulls + self._storage.pulls(self._campaign, after=max(FIRST, asked - LAST), limit=LAST)[0]
        self._found = dependence_of(self._terms, arms, pulls).warnings
        return self._found
