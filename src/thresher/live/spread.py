"""Whether outcomes vary as much as the standard deviation that was given for them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thresher.campaign import Arm, Terms

SURPRISE = 5.0  # standard errors: a campaign whose sigma is right is warned of with a chance of 3e-7
LEAST = 1.5  # times as far as it should be: less does little harm


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
