"""lil'HDoC: HDoC with an interval that narrows as the law of the iterated logarithm allows."""

from __future__ import annotations

from thresher.errors import InvalidProblemError
from thresher.policy.confidence.policy import ANY_MISTAKE, ConfidencePolicy
from thresher.policy.confidence.trial import LIL_HDOC


def lil_hdoc(epsilon: float = 0.01, first: int = 0) -> ConfidencePolicy:
    """Return the rule of HDoC with intervals by the law of the iterated logarithm, after some first pulls of every arm.

    :cite:p:`tsai2024`, Algorithm 1. The interval is :func:`~thresher.policy.confidence.warm_up.lil_radius`, the score
    that of HDoC. What was read of the paper are its abstract and its supplement: how it chooses ε is not verified, and
    0.01 is ours, about where the first pulls are fewest for ten arms and δ = 0.05.

    Parameters
    ----------
    epsilon : float
        ε in (0, 1): the promise holds for every one.
    first : int
        First pulls of every arm, during which no arm is judged; 0 for the least number from which on the interval is
        narrower than HDoC's.
    """
    if not 0.0 < epsilon < 1.0:
        raise InvalidProblemError(f"epsilon={epsilon:g} of 'lil-hdoc'", instead="give a number between 0 and 1")
    if first < 0:
        raise InvalidProblemError(f"first={first} of 'lil-hdoc'", instead="give 0 or a positive whole number")
    return ConfidencePolicy(
        "lil-hdoc", LIL_HDOC, ANY_MISTAKE, "tsai2024, Algorithm 1", first=epsilon, second=float(first)
    )
