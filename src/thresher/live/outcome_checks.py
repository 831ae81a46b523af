"""Whether outcomes are what verdicts take them for: independent samples, with the standard deviation that was given."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from thresher.campaign import TOLD, Arm, Pull, Terms
from thresher.live.seen_arms import question_of, seen_of
from thresher.policy.independence import FEWEST, Dependence, dependence
from thresher.policy.population import expected_means, fit_population
from thresher.storage import Snapshot

FIRST = LAST = 10_000  # pulls from the start and the end of a campaign: enough to detect a drift, and fast to read
SURPRISE = 5.0  # standard errors: a campaign whose sigma is right is warned of with a chance of 3e-7
LEAST = 1.5  # times as far as it should be: less does little harm


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


def spread_warnings(terms: Terms, arms: Sequence[Arm]) -> tuple[str, ...]:
    r"""Return a warning if Gaussian outcomes are much farther from their means than `sigma` allows, else nothing.

    The sum of the squared deviations, each in units of its arm's σ, has the chi-squared distribution with
    :math:`\sum_k (n_k - 1)` degrees of freedom; its cube root is about normal (Wilson and Hilferty).
    """
    told = [arm for arm in arms if arm.pulls > 1]
    if terms.family != "gaussian" or not told:
        return ()
    degrees = sum(arm.pulls - 1 for arm in told)
    # Squares are taken about the bar.
    deviations = [arm.squares - arm.pulls * (arm.total / arm.pulls - arm.threshold) ** 2 for arm in told]
    ratio = math.fsum(max(part, 0.0) / arm.sigma**2 for part, arm in zip(deviations, told, strict=True)) / degrees
    error = 2.0 / (9.0 * degrees)
    if math.cbrt(ratio) - (1.0 - error) < SURPRISE * math.sqrt(error) or ratio < LEAST**2:
        return ()
    return (
        f"outcomes vary about {math.sqrt(ratio):.2g} times as much as sigma says, so verdicts are less certain than "
        "shown; give the right sigma, or use the family gaussian-unknown-variance",
    )
