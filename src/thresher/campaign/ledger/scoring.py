r"""How an outcome counts: as itself, by a quantile as above its bar or not, or as one of several trials.

A campaign compares a mean with a bar. By default it is the mean of the outcomes, and the bar is the arm's threshold.
By the quantile `q` every outcome :math:`X` counts as :math:`1\{X > \theta\}`, and the bar of their mean is
:math:`1 - q`: the q-quantile is above the threshold exactly if :math:`P(X > \theta) > 1 - q`. An outcome equal to the
threshold counts as not above it. Whatever the distribution of the outcomes, these are 0/1 outcomes, so that every
guarantee for them holds.

Where all of `k` independent trials must succeed with a probability above `q`, one trial must succeed with a probability
above :math:`q^{1/k}`. Outcomes count as themselves, and that is the bar of their mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from thresher.campaign.ledger.rows import Arm, Pull
from thresher.problem import Question, per_arm, real
from thresher.types import Floats

if TYPE_CHECKING:
    from thresher.campaign.ledger.terms import Terms

DIGITS = 12  # 1 - 0.9 is 0.1, not 0.09999999999999998


class Scoring(Protocol):
    """How outcomes count."""

    @property
    def takes_aggregates(self) -> bool:
        """Whether the sum of several outcomes is enough."""
        ...

    def misfit(self, terms: Terms, outcome: float) -> str | None:
        """Return why an outcome is not valid, or None if it is."""
        ...

    def bars(self, thresholds: Any) -> Any:
        """Return the bar of the mean score of each arm, given its threshold."""
        ...

    def thresholds(self, question: Question, given: Any) -> Floats:
        """Return the threshold of each arm of a question, from the given bars."""
        ...

    def scores(self, outcomes: Floats, thresholds: Floats | float) -> Floats:
        """Return the scores of outcomes; NaN where there is none."""
        ...

    def add(self, arm: Arm, outcome: float) -> Arm:
        """Return an arm with one more outcome in its statistics."""
        ...

    def add_pull(self, arm: Arm, pull: Pull) -> Arm:
        """Return an arm with the outcome, or the aggregate, of a pull in its statistics."""
        ...


class MeanScoring:
    """An outcome counts as itself."""

    takes_aggregates = True

    def misfit(self, terms: Terms, outcome: float) -> str | None:
        """Return why an outcome is not possible in the family, or None if it is."""
        return terms.kind.misfit(outcome, low=terms.low, high=terms.high)

    def bars(self, thresholds: Any) -> Any:
        """Return the thresholds."""
        return thresholds

    def thresholds(self, question: Question, given: Any) -> Floats:  # noqa: ARG002
        """Return the thresholds of the question."""
        return question.thresholds

    def scores(self, outcomes: Floats, thresholds: Floats | float) -> Floats:  # noqa: ARG002
        """Return the outcomes."""
        return outcomes

    def add(self, arm: Arm, outcome: float) -> Arm:
        """Return an arm with one more outcome in its statistics."""
        return arm.add_outcome(outcome)

    def add_pull(self, arm: Arm, pull: Pull) -> Arm:
        """Return an arm with the outcome, or the aggregate, of a pull in its statistics."""
        return pull.add_to(arm)


class QuantileScoring:
    """An outcome counts 1 if it is above the threshold of its arm, else 0.

    Parameters
    ----------
    quantile : float
        In (0, 1).
    """

    takes_aggregates = False

    def __init__(self, quantile: float) -> None:
        self.bar = round(1.0 - quantile, DIGITS)

    def misfit(self, terms: Terms, outcome: float) -> str | None:  # noqa: ARG002
        """Return why an outcome is not valid: any finite number is."""
        return None if math.isfinite(outcome) else f"{outcome} is not a finite number"

    def bars(self, thresholds: Any) -> Any:
        """Return the share of outcomes above its threshold that an arm is compared with."""
        is_one = not isinstance(thresholds, (Sequence, np.ndarray))
        return self.bar if is_one else [self.bar] * len(thresholds)

    def thresholds(self, question: Question, given: Any) -> Floats:
        """Return the thresholds that were given: any finite numbers."""
        return per_arm("thresholds", given, question.n_arms)

    def scores(self, outcomes: Floats, thresholds: Floats | float) -> Floats:
        """Return 1 for outcomes above the threshold and 0 for others; NaN where there is none."""
        return np.where(np.isnan(outcomes), np.nan, outcomes > thresholds)

    def add(self, arm: Arm, outcome: float) -> Arm:
        """Return an arm with the score of one more outcome in its statistics."""
        score = 1.0 if outcome > arm.threshold else 0.0
        return arm.add(1, score, (score - self.bar) ** 2)

    def add_pull(self, arm: Arm, pull: Pull) -> Arm:
        """Return an arm with the score of the outcome of a pull in its statistics."""
        assert pull.value is not None
        assert pull.size == 1
        return self.add(arm, pull.value)


class TrialsScoring(MeanScoring):
    """An outcome counts as itself; the bar of their mean is that of one of `k` trials that must all succeed.

    Parameters
    ----------
    k : int
        At least 2.
    """

    def __init__(self, k: int) -> None:
        self._k = k

    def bars(self, thresholds: Any) -> Any:
        """Return the rate at which one trial has to succeed, given the chance that all do; beyond 0 and 1 the same."""
        if isinstance(thresholds, (Sequence, np.ndarray)) and not isinstance(thresholds, str):
            return [self.bars(each) for each in thresholds]
        given = real(thresholds)
        return given ** (1.0 / self._k) if 0.0 < given < 1.0 else thresholds

    def thresholds(self, question: Question, given: Any) -> Floats:
        """Return the thresholds that were given."""
        return per_arm("thresholds", given, question.n_arms)

    def add(self, arm: Arm, outcome: float) -> Arm:
        """Return an arm with one more outcome in its statistics."""
        return arm.add(1, outcome, (outcome - self.bars(arm.threshold)) ** 2)

    def add_pull(self, arm: Arm, pull: Pull) -> Arm:
        """Return an arm with the outcome, or the aggregate, of a pull in its statistics."""
        assert pull.value is not None
        bar = self.bars(arm.threshold)
        ones, zeros = pull.value, pull.size - pull.value  # of 0/1 outcomes the sum says all
        return arm.add(pull.size, pull.value, ones * (1.0 - bar) ** 2 + zeros * bar**2)


def score_table(terms: Terms, arms: Sequence[Arm], outcomes: Floats) -> Floats:
    """Return the scores of the outcomes of all arms on all items, shape (K, N), or (R, K, N) with repeats."""
    return terms.scoring.scores(outcomes, np.array([[arm.threshold] for arm in arms]))


def scoring_of(quantile: float, pass_k: int = 1) -> Scoring:
    """Return how outcomes count: by a quantile (0 for the mean), or this many trials together."""
    if quantile:
        return QuantileScoring(quantile)
    return TrialsScoring(pass_k) if pass_k > 1 else MeanScoring()
