r"""Whether outcomes vary more than a given standard deviation allows: a test that is valid at every look.

The deviations of an arm's outcomes from their running mean, :math:`\sqrt{(n-1)/n} (X_n - \bar X_{n-1})/\sigma`, are
independent standard normal numbers if σ is right, whatever the mean is and however the next arm is chosen. Their
squares add up to the squared deviations of all outcomes from the means of their arms. If the true standard deviation is
:math:`\tau \sigma`, the likelihood ratio after `d` of them with the sum of squares `Q` is

.. math:: \tau^{-d} \exp(\tfrac Q2 (1 - \tau^{-2}))

The mean of these ratios over several :math:`\tau > 1` is a martingale that begins at 1 if σ is right. By Ville's
inequality it ever reaches :math:`1/\alpha` with a probability of at most α.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.problem import Question, Statistics

FALSE_ALARM = 0.001  # largest chance that a campaign with the right σ is ever warned of
FEWEST_OUTCOMES = 20  # degrees of freedom that find a σ of half the truth most of the time
RATIOS = np.array([1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0])


def squared_deviations(question: Question, seen: Statistics) -> tuple[float, int]:
    """Return the sum of the squared deviations from the means of their arms in units of σ, and its degrees of freedom.

    Parameters
    ----------
    question : Question
        Of the family ``gaussian``, whose thresholds the squares are taken about.
    seen : Statistics
    """
    counts = np.maximum(seen.counts, 1.0)
    gaps = seen.totals / counts - question.thresholds
    squares = np.maximum(seen.squares - seen.counts * gaps**2, 0.0) / question.sigma**2
    is_told = seen.counts > 1.0
    return math.fsum(squares[is_told].tolist()), int((seen.counts[is_told] - 1.0).sum())


def log_evidence(squares: float, degrees: int) -> float:
    """Return the logarithm of the evidence that σ is too small: 0 at the start, large if it is."""
    logs = 0.5 * squares * (1.0 - RATIOS**-2) - degrees * np.log(RATIOS)
    largest = float(logs.max())
    return largest + math.log(float(np.exp(logs - largest).mean()))


def exceeds_sigma(squares: float, degrees: int) -> bool:
    """Return whether outcomes vary more than σ allows; ever true with a chance of at most 0.001 if σ is right."""
    return degrees > 0 and log_evidence(squares, degrees) >= -math.log(FALSE_ALARM)
