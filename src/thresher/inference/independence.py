r"""Tests of whether outcomes are independent samples: for drift and for serial correlation.

If the outcomes of an arm are independent and have one mean :math:`\mu_k`, then

.. math:: \sum_t a_t (X_t - \mu_{k_t}) \qquad\text{and}\qquad \sum_k \sum_i (X_{k,i} - \mu_k)(X_{k,i-1} - \mu_k)

are sums of martingale differences, whatever rule chose the pulls; here `t` runs over all outcomes in the order in which
they came and :math:`a_t = t - \bar t`. The means are not known, and with empirical ones both sums are biased: an arm is
pulled until it has left the bar, so that late outcomes lie farther from it than early ones, in every honest campaign.
What is summed instead is the expectation of each term given all that was seen, under the population fitted to the arms
(:func:`thresher.inference.chance_of_error.expected_means`). The expectation of a martingale is one of mean 0, so that
adaptive sampling does not bias it. Divided by the root of the sum of squares such a sum is about standard normal, or
shorter.

A drift is seen if all arms move in the same direction; arms that move each in its own show as serial dependence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thresher.number_text import figure
from thresher.types import Floats, Ints

ALARM = 4.5  # standard errors: for normal sums one false alarm in 150,000 looks, for each of the two
FEWEST = 100  # outcomes below which nothing is said
TURNS = -0.3  # correlation below which high and low outcomes are reported to alternate
LEAST = 0.5  # of the sum of squares, used as its variance


@dataclass(frozen=True)
class Dependence:
    """How far the outcomes are from independent samples.

    Parameters
    ----------
    outcomes : int
        On how many it rests.
    drift : float
        How much later outcomes exceed earlier ones, in standard errors.
    change : float
        About how far the means moved from the first outcome to the last, in the unit of the outcomes.
    serial : float
        How much outcomes take after the one before of the same arm, in standard errors.
    correlation : float
        About how strong that is, from -1 to 1.
    """

    outcomes: int
    drift: float
    change: float
    serial: float
    correlation: float

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the user, without full stops; empty if the tests pass."""
        if self.outcomes < FEWEST:
            return ()
        found = []
        if abs(self.drift) > ALARM:
            found.append(
                f"outcomes drift: from first to last they {'rose' if self.change > 0 else 'fell'} by about "
                f"{figure(abs(self.change), 2)} ({figure(abs(self.drift), 2)} standard errors), so verdicts are about "
                "a changing mean"
            )
        # Unlike ones make verdicts surer than shown, and with many arms whose successes are rare the sum leans a little
        # that way by itself: only where they take turns, something else than chance decides.
        if self.serial < -ALARM and self.correlation < TURNS:
            found.append(
                "outcomes of an arm are not independent: each is unlike the one before (correlation about "
                f"{figure(self.correlation, 2)}, {figure(-self.serial, 2)} standard errors), as where two sources "
                "take turns"
            )
        if self.serial > ALARM:
            found.append(
                "outcomes of an arm are not independent: each is like the one before (correlation about "
                f"{figure(self.correlation, 2)}, {figure(self.serial, 2)} standard errors), so verdicts are less "
                "certain than shown"
            )
        return tuple(found)


def dependence(arms: Ints, outcomes: Floats, means: Floats, variances: Floats) -> Dependence:
    """Return how far outcomes are from independent samples of their arms.

    Parameters
    ----------
    arms : ndarray of int64, shape (n,)
        The arm of each outcome, in the order in which they came.
    outcomes : ndarray of float64, shape (n,)
    means, variances : ndarray of float64, shape (K,)
        What the mean of each arm is expected to be given *all* that was seen of it, and the variance of that.
    """
    left = outcomes - means[arms]
    drift, change = _drift(arms, left, variances)
    serial, correlation = _serial(arms, left, variances)
    return Dependence(int(outcomes.size), drift, change, serial, correlation)


def _drift(arms: Ints, left: Floats, variances: Floats) -> tuple[float, float]:
    """Return the sum over ages, in standard errors, and how far that line rises from the first outcome to the last."""
    ages = np.arange(left.size) - 0.5 * (left.size - 1)
    # What is not known of the means is the part of the sum's variance that its expectation does not have.
    unknown = float((np.bincount(arms, ages, minlength=variances.size) ** 2 * variances).sum())
    lengths = float((ages**2).sum())
    slope = float((ages * left).sum()) / lengths if lengths > 0.0 else 0.0
    return _in_errors(ages * left, unknown), slope * left.size


def _serial(arms: Ints, left: Floats, variances: Floats) -> tuple[float, float]:
    order = np.argsort(arms, kind="stable")
    arms, left = arms[order], left[order]
    together = arms[1:] == arms[:-1]
    own = variances[arms[1:]][together]
    terms = left[1:][together] * left[:-1][together] + own
    squares = 0.5 * (left[1:][together] ** 2 + left[:-1][together] ** 2) + own
    whole = float(squares.sum())
    return _in_errors(terms), float(terms.sum()) / whole if whole > 0.0 else 0.0


def _in_errors(terms: Floats, unknown: float = 0.0) -> float:
    """Return a sum in units of the root of its squares, these less their uncertain part, at least half of them."""
    squares = float((terms**2).sum())
    return float(terms.sum()) / math.sqrt(max(squares - unknown, LEAST * squares)) if squares > 0.0 else 0.0
