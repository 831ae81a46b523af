r"""Test martingales for Gaussian outcomes of unknown variance: the t-test with a heavy-tailed mixture of effects.

Let :math:`S = \sum (X_i - m)`, :math:`V = \sum (X_i - m)^2` and :math:`r = S / \sqrt{n V}`. Up to their unit, the
outcomes depend on the effect :math:`\delta = (\mu - m)/\sigma` alone. With the right Haar measure on σ their likelihood
ratio :math:`L_n(\delta)/L_n(0)` is a martingale if :math:`\mu = m`, whatever σ is, in the filtration of the outcomes up
to their unit :cite:p:`perezortiz2024,wang2024`. So is every mixture over δ. With :math:`\delta \sim N(0, 1/\rho)` it is

.. math:: M_n^\rho = \sqrt{\frac{\rho}{n + \rho}} \Big(1 - \frac{n r^2}{n + \rho}\Big)^{-n/2} .

It is bounded, so a Gaussian mixture refutes nothing at the first outcomes. A Cauchy distribution of scale `s` is the
mixture of :math:`N(0, 1/\rho)` over :math:`\rho = Z^2/s^2`, `Z` standard normal; its martingale is unbounded from the
second outcome on :cite:p:`rouder2009`. With many outcomes smaller effects matter, so δ is a mixture of Cauchy
distributions of the scales :data:`SCALES` (as in :mod:`thresher.martingales.mixture`). Here ρ takes the values
:data:`PRECISIONS` with weights :data:`WEIGHTS`: a mixture over finitely many values is exactly a martingale, which a
numerical integral is not.

All of this uses one arm alone. By Ville's inequality the chance that :math:`M_n` *ever* reaches :math:`1/\alpha` is at
most α, and that does not depend on a filtration.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.types import Floats

# Scales and weights of the Cauchy distributions of effects: the usual scale of the Bayesian t-test, and smaller ones.
SCALES, SHARES = (math.sqrt(0.5), math.sqrt(0.5) / 20.0, math.sqrt(0.5) / 250.0), (0.7, 0.25, 0.05)
NODES = 75  # values of ρ
FEWEST = 3  # outcomes with an interval; with two, one that is useful never exists
STEPS = 60  # halvings of the logarithm of a squared distance


def _mixture() -> tuple[Floats, Floats]:
    """Return the values of ρ and their weights: the distribution of Z²/s², Z standard normal, in cells of log Z/s."""
    edges = np.concatenate([[0.0], np.geomspace(1e-9 / max(SCALES), 8.0 / min(SCALES), NODES)])
    below = [
        sum(w * math.erf(s * edge / math.sqrt(2.0)) for s, w in zip(SCALES, SHARES, strict=True)) for edge in edges
    ]
    middles = np.concatenate([[0.5 * edges[1]], np.sqrt(edges[1:-1] * edges[2:])])
    weights = np.diff(below)
    return middles**2, weights / weights.sum()


PRECISIONS, WEIGHTS = _mixture()


def log_mixture(counts: Floats, distances: Floats, samples: Floats | None = None) -> Floats:
    r"""Return :math:`\log M_n`, shape (K,): how strongly the outcomes refute that their mean is `m`.

    Parameters
    ----------
    counts : ndarray of float64, shape (K,)
        :math:`n \ge 1`.
    distances : ndarray of float64, shape (K,)
        :math:`y = (\hat\mu - m)^2 / \hat\sigma^2 \ge 0`, possibly infinite.
    samples : ndarray of float64, shape (K,), optional
        Effective samples :math:`\nu` of a finite pool, of which the mean is known better than of independent
        outcomes: the inverse covariance of the outcomes given the mean of the pool makes `y` count :math:`\nu/n` times,
        and the effects :math:`\nu` in place of `n`.
    """
    return _mixed(_parts(counts, distances, counts if samples is None else samples))


def log_side(counts: Floats, effects: Floats, samples: Floats | None = None) -> Floats:
    r"""Return the logarithm of an e-process against :math:`\mu \le m`, shape (K,).

    The mixture over positive effects alone, and 0 (minus infinity here) where the empirical mean is not above `m`. With
    :math:`\rho` given, the posterior of μ is Student's t with `n` degrees of freedom, so its part above `m` is

    .. math:: 2 F_{t_n}\Big(\frac{n r}{\sqrt{n + \rho - n r^2}}\Big) M_n^\rho .

    Validity: for each :math:`\delta_0 \le 0` the ratio of the mixture to :math:`L_n(\delta_0)` is a martingale under
    :math:`\delta_0`, so the least of these ratios is an e-process for all of them. Where :math:`r > 0`,
    :math:`L_n(\delta_0)` is largest at :math:`\delta_0 = 0`, and the least ratio is the number returned.

    Parameters
    ----------
    counts : ndarray of float64, shape (K,)
        :math:`n \ge 1`.
    effects : ndarray of float64, shape (K,)
        :math:`(\hat\mu - m) / \hat\sigma`, possibly infinite.
    samples : ndarray of float64, shape (K,), optional
        As in :func:`log_mixture`.
    """
    from scipy.special import stdtr

    known = counts if samples is None else samples
    distances = effects**2 * (known / counts)
    share = np.where(np.isinf(distances), 1.0, distances / np.where(np.isinf(distances), 1.0, 1.0 + distances))
    slack = known[:, None] * (1.0 - share)[:, None] + PRECISIONS
    sides = 2.0 * stdtr(counts[:, None], np.sqrt(known * counts * share)[:, None] / np.sqrt(slack))
    return np.where(effects > 0.0, _mixed(_parts(counts, effects**2, known) + np.log(sides)), -np.inf)


def radius_per_deviation(counts: Floats, alpha: float, samples: Floats | None = None) -> Floats:
    r"""Return half the width of the intervals in units of :math:`\hat\sigma`, shape (K,); NaN below three outcomes.

    The distance at which :math:`M_n` reaches :math:`1/\alpha`; it depends on `n`, α and the effective samples alone.
    """
    known = counts if samples is None else samples
    (distinct, worth), places = np.unique(np.stack([counts, known]), axis=1, return_inverse=True)
    places, bar = places.reshape(-1), math.log(1.0 / alpha)
    counted = np.maximum(distinct, 1.0)
    low, high = np.full(distinct.size, -40.0), np.full(distinct.size, 80.0)
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        is_refuted = log_mixture(counted, np.exp(middle), np.maximum(worth, 1.0)) >= bar
        low, high = np.where(is_refuted, low, middle), np.where(is_refuted, middle, high)
    # Where even the farthest mean is not refuted there is no interval.
    return np.where((distinct >= FEWEST) & (high < 80.0), np.exp(0.5 * high), np.nan)[places]


def _parts(counts: Floats, distances: Floats, samples: Floats) -> Floats:
    """Return the logarithm of each weighted part of the mixture, shape (K, NODES)."""
    n, far = counts[:, None], (distances * (samples / counts))[:, None]
    shrunk = PRECISIONS / (samples[:, None] + PRECISIONS)
    with np.errstate(invalid="ignore", over="ignore"):
        grown = np.log1p(far) - np.log1p(far * shrunk)
    grown = np.where(np.isinf(far), -np.log(shrunk), grown)
    return np.asarray(0.5 * np.log(shrunk) + 0.5 * n * grown + np.log(WEIGHTS))


def _mixed(parts: Floats) -> Floats:
    top = parts.max(axis=1)
    return np.asarray(top + np.log(np.exp(parts - top[:, None]).sum(axis=1)))


def lifted(logs: Floats) -> Floats:
    r"""Return :math:`\log\big((E - 1 - \log E)/\log^2 E\big)` of :math:`\log E`, and :math:`\log \frac12` for E ≤ 1.

    That is the mixture over κ in (0, 1) of :math:`\kappa p^{\kappa - 1}` with :math:`p = 1/E`: it integrates to 1 over
    `p` from 0 to 1, and at :math:`p = 1` it is ½.
    """
    grown = np.maximum(
        logs, 1e-3
    )  # below this, cancellation: there the value is ½ within 1 in 3,000, and a slightly lower one is used
    exact = grown + np.log1p(-(1.0 + grown) * np.exp(-grown)) - 2.0 * np.log(grown)
    return np.asarray(np.where(logs > 1e-3, exact, math.log(0.5)))
