"""Test martingales as functions of arrays: what always-valid limits and e-values are made of.

Nothing here depends on questions or arms. Each module has one kind of outcome: :mod:`normal`, :mod:`beta_binomial`
(0/1, or between), :mod:`bernstein` (bounded, with their variance), :mod:`student` (normal, variance unknown),
:mod:`pools` (drawn without replacement), :mod:`foreseen` (the same, with forecasts); :mod:`joint` has two means
together, and :mod:`mixture` the mixtures that all of them use.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.martingales import normal
    from thresher.martingales.bernstein import bernstein_radius, log_e_of_bounded_sums
    from thresher.martingales.beta_binomial import bernoulli_limits, log_e_of_shares
    from thresher.martingales.foreseen import Foreseen, foresee
    from thresher.martingales.golden import least_between
    from thresher.martingales.joint import joint_radius, rate_limits
    from thresher.martingales.mixture import Mixture, mixture_of, normal_boundary, single, tuned
    from thresher.martingales.normal import gaussian_radius, log_e_of_sums, log_mixtures_of_sums
    from thresher.martingales.pools import (
        effective_counts,
        hoeffding_variances,
        log_e_of_pools,
        log_ratios_of_ones,
        ones_limits,
    )
    from thresher.martingales.student import lifted, log_side, radius_per_deviation

import_lazily(__name__)

__all__ = [
    "Foreseen",
    "Mixture",
    "bernoulli_limits",
    "bernstein_radius",
    "effective_counts",
    "foresee",
    "gaussian_radius",
    "hoeffding_variances",
    "joint_radius",
    "least_between",
    "lifted",
    "log_e_of_bounded_sums",
    "log_e_of_pools",
    "log_e_of_shares",
    "log_e_of_sums",
    "log_mixtures_of_sums",
    "log_ratios_of_ones",
    "log_side",
    "mixture_of",
    "normal",
    "normal_boundary",
    "ones_limits",
    "radius_per_deviation",
    "rate_limits",
    "single",
    "tuned",
]
