"""Whether outcomes look normally distributed: their skewness, their outliers, and how many values they have.

Each outcome is taken in units of the standard deviation of its arm, about the mean of its arm. Skewness and excess
kurtosis of all of them together have the standard errors √(6/N) and √(24/N) for normal outcomes; arms with few outcomes
make both smaller, so that false alarms are rarer still.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.number_text import figure
from thresher.types import Floats, Ints

FEWEST = 30  # outcomes below which nothing is said
OF_AN_ARM = 5  # outcomes below which an arm is left out
SKEWED, SKEW_ERRORS = 0.5, 5.0  # the least skewness that is warned of, and the least in standard errors
HEAVY, TAIL_ERRORS = 1.0, 7.0  # the same for excess kurtosis; at most 2 false alarms in 20,000 samples
FEW_VALUES = 5


def normality_warnings(arms: Ints, outcomes: Floats) -> tuple[str, ...]:
    """Return warnings, without full stops, if outcomes are far from normal; nothing if they are not.

    Parameters
    ----------
    arms : ndarray of int64, shape (N,)
        Position of the arm of each outcome.
    outcomes : ndarray of float64, shape (N,)
    """
    if outcomes.size < FEWEST:
        return ()
    values = np.unique(outcomes).size
    if 1 < values <= FEW_VALUES:
        return (f"the guarantee assumes normal outcomes, and these have {values} values; use the family bounded",)
    residuals = _standardised(arms, outcomes)
    if residuals.size < FEWEST:
        return ()
    skew, tails = float((residuals**3).mean()), float((residuals**4).mean()) - 3.0
    found = []
    if abs(skew) > max(SKEWED, SKEW_ERRORS * math.sqrt(6.0 / residuals.size)):
        found.append(f"skewed (skewness {figure(skew, 2)})")
    if tails > max(HEAVY, TAIL_ERRORS * math.sqrt(24.0 / residuals.size)):
        found.append(f"full of outliers (excess kurtosis {figure(tails, 2)})")
    if not found:
        return ()
    return (
        f"the guarantee assumes normal outcomes, and these are {' and '.join(found)}, so more decisions may be wrong "
        "than it says; compare a quantile in a new campaign (--quantile 0.5)",
    )


def _standardised(arms: Ints, outcomes: Floats) -> Floats:
    """Return the deviations of outcomes from the mean of their arm, in standard deviations of that arm."""
    counts = np.bincount(arms)
    sizes = np.maximum(counts, 1)
    deviations = outcomes - (np.bincount(arms, outcomes) / sizes)[arms]
    spreads = np.sqrt(np.bincount(arms, deviations**2) / np.maximum(counts - 1, 1))
    is_used = (counts[arms] >= OF_AN_ARM) & (spreads[arms] > 0.0)
    return np.asarray(deviations[is_used] / spreads[arms][is_used])
