"""The normal mixture: outcomes of known σ, or sub-Gaussian ones."""

from __future__ import annotations

import math

import numpy as np

from thresher.martingales.mixture import Mixture, normal_boundary, parts_of
from thresher.types import Floats


def gaussian_radius(counts: Floats, sigma: Floats, alpha: float, mixture: Mixture) -> Floats:
    r"""Return half the width of the intervals for Gaussian (or sub-Gaussian) outcomes of known σ, shape (K,).

    With one value of ρ it is

    .. math:: \frac{\sigma}{n} \sqrt{(n + \rho) \log \frac{n + \rho}{\rho \alpha^2}} ,

    the two-sided normal mixture :cite:p:`robbins1970,howard2021`: :math:`\mu - m \sim N(0, \sigma^2/\rho)` mixes the
    likelihood ratios.
    """
    counted = np.maximum(counts, 1.0)
    radius = sigma / counted * normal_boundary(counted, alpha, mixture)
    return np.where(counts > 0.0, radius, np.nan)


def log_mixtures_of_sums(sums: Floats, variances: Floats, mixture: Mixture) -> Floats:
    r"""Return the log of :math:`\sum_j w_j \sqrt{\rho_j/(V + \rho_j)} \, e^{S^2/(2(V + \rho_j))}`, of both sides.

    `sums` and `variances` are in units of σ and σ², shape (K,) each.
    """
    wide, penalties = parts_of(variances, mixture)
    return mixture.of(0.5 * sums**2 / wide - penalties)


def log_e_of_sums(sums: Floats, counts: Floats, sigma: Floats, rho: float) -> Floats:
    r"""Return the log of :math:`2 \Phi(S/\sqrt{n+\rho}) \sqrt{\rho/(n+\rho)} \, e^{S^2/(2(n+\rho))}`, S in units of σ.

    The mixture of :math:`e^{\delta S - n \delta^2/2}` over :math:`\delta \sim |N(0, 1/\rho)|`.
    """
    from scipy.special import log_ndtr

    scaled = sums / sigma / np.sqrt(counts + rho)
    return np.asarray(math.log(2.0) + log_ndtr(scaled) + 0.5 * np.log(rho / (counts + rho)) + 0.5 * scaled**2)
