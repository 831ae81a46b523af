r"""The values that the bar may have if it is the unknown mean of a control.

A control that does badly by chance moves the differences of all arms together. A population that is fitted to these as
if they were independent takes all arms for better ones. So the control is treated as one more member
of the population. The population is fitted to all arms, the control among them, about a common reference: the mean of
all outcomes, each weighted by its precision where σ is given. The posterior of the control's mean, by the other arms'
share as for any arm, is cut into fifteen parts, smaller ones in the tails. The median of each is a mean :math:`\mu_0`
of the control, and :math:`c \mu_0 + m` a bar that is known. The posterior of an arm is the average of those for these
bars. Fifteen parts of equal probability would end at a tail of 1/30: an arm that is known much better than the control
would then have a chance of error of 0 where it is 3 %.

Where arm and control answered the same items, a value of the control's mean also says how far off its outcomes are, and
what the arm shares of that (:func:`thresher.inference.bars.control_statistics.given_control`).

Where arms have σ of their own the population is one of standardised distances :math:`(\mu_k - r)/\sigma_k`. This is an
approximation: the control is then taken for an arm that is as many deviations from the reference as the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from thresher.inference.bars.control_statistics import given_control
from thresher.inference.chance_of_error import Posterior
from thresher.problem import Question, Statistics
from thresher.types import Floats, Ints

TAIL = (0.0, 0.001, 0.005, 0.02, 0.06, 0.14, 0.26, 0.42)  # levels of the posterior up to its middle part
SHORT_TAIL, MANY = (0.0, 0.01, 0.08, 0.3), 1000  # with more arms than this, fewer parts, which is faster

PosteriorAt = Callable[[Question, Statistics], Posterior]


class PossibleBar(NamedTuple):
    """One value that the bar may have: the judged arms as arms with a known bar.

    Attributes
    ----------
    weight : float
        How likely the bar has this value; those of all values add up to 1.
    question : Question
        Without a control.
    seen : Statistics
    """

    weight: float
    question: Question
    seen: Statistics


def possible_controls(question: Question, seen: Statistics, posterior_at: PosteriorAt) -> list[PossibleBar]:
    """Return the values that the bar may have, by the mean of the control.

    Parameters
    ----------
    question : Question
        With a control.
    seen : Statistics
        Of all arms, or outcomes of independent draws that would say as much.
    posterior_at : callable
        Returns the posterior of the distances from known bars.
    """
    control = question.known_control
    judged, (means, weights) = question.judged, control_means(question, seen, posterior_at)
    return [
        PossibleBar(weight, *_with_bar(question, given_control(question, seen, mean), judged, control.bar(mean)))
        for mean, weight in zip(means.tolist(), weights.tolist(), strict=True)
    ]


def control_means(question: Question, seen: Statistics, posterior_at: PosteriorAt) -> tuple[Floats, Floats]:
    """Return the means that the control may have, in increasing order, and how likely each is."""
    place, reference = question.known_control.arm, _reference(question, seen)
    found = posterior_at(*_with_bar(question, seen, np.arange(question.n_arms), reference))
    control = Posterior(1, lambda _: found.find_cells(slice(place, place + 1)))
    tail = np.array(TAIL if question.n_arms <= MANY else SHORT_TAIL)
    ends = np.concatenate([tail, 1.0 - tail[::-1]])
    levels = 0.5 * (ends[1:] + ends[:-1])
    return np.array([reference + float(control.quantile(level)[0]) for level in levels]), np.diff(ends)


def _reference(question: Question, seen: Statistics) -> float:
    """Return the mean of all outcomes; where σ is given, weighted by their precisions."""
    precisions = question.kind.precisions(question)
    known = float((precisions * seen.counts).sum())
    return float((precisions * seen.totals).sum()) / known if known > 0.0 else float(question.thresholds[0])


def _with_bar(question: Question, seen: Statistics, arms: Ints, bar: float) -> tuple[Question, Statistics]:
    """Return some arms as arms with one known bar, which is moved into the range of the family."""
    bar = float(question.inside(bar))
    _, squares = seen.about(question, np.full(question.n_arms, bar))
    plain = replace(
        question, control=None, structure=None, thresholds=np.full(arms.size, bar), sigma=question.sigma[arms],
        costs=question.costs[arms], pull_costs=question.pull_costs[arms], arms=tuple(question.arms[k] for k in arms),
    )  # fmt: skip
    return plain, Statistics(seen.counts[arms], seen.totals[arms], squares[arms])
