r"""How well populations of a kind explain what was seen of all arms: nonparametric maximum likelihood on a grid.

A population is a vector of weights `w` on a grid of G distances from the bar, half of them below it. With
:math:`L_{kg}` the likelihood of arm `k` at distance `g`, a fit maximises :math:`\sum_k \log \sum_g L_{kg} w_g` by EM.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.jit import kernel
from thresher.problem.families import Likelihood
from thresher.types import Bools, Floats

HALF = 24  # distances on each side of the bar
STEPS, NEAR_ENOUGH = 250, 0.03  # of EM; nats for all arms together
CONSTRAINED_STEPS, LEAST_GAIN = 300, 1e-4
BISECTIONS = 50


def grid(arms: Likelihood) -> Floats:
    """Return the distances, from the farthest below the bar to the farthest above it, dense near the bar."""
    near = 0.05 / np.sqrt(arms.strengths.max())
    far = 1.05 * np.abs(arms.places).max() + 10.0 * near
    radii = 8.0 * near * np.sinh(np.linspace(0.0, 1.0, HALF) * np.arcsinh(far / (8.0 * near)))
    radii[0] = 0.01 * near
    return np.concatenate([-radii[::-1], radii])


@kernel
def fit(likelihood: Floats, may: Bools) -> tuple[Floats, float]:
    """Return the weights, 0 where a distance may not be, and the log likelihood of all arms."""
    n_arms = likelihood.shape[0]
    weights = may / may.sum()
    for _ in range(STEPS):
        shares, total = _shares(likelihood, weights)
        if n_arms * np.log(np.where(may, shares, 0.0).max() / n_arms) < NEAR_ENOUGH:
            break
        weights *= shares / n_arms
    return weights, total


@kernel
def fit_against(likelihood: Floats, signed: Floats) -> float:
    r"""Return the largest log likelihood of all arms among populations with :math:`\sum_g c_g w_g \le 0`.

    The M-step of EM under the constraint has :math:`w_g = m_g / (K + \lambda c_g)`, with :math:`m_g` the arms at `g`.
    """
    n_arms, size = likelihood.shape
    weights = np.full(size, 1.0 / size)
    before = -np.inf
    for _ in range(CONSTRAINED_STEPS):
        shares, total = _shares(likelihood, weights)
        if total - before < LEAST_GAIN:
            break
        before, weights = total, weights * shares
        low, high = 0.0, -n_arms / signed.min() * (1.0 - 1e-12)
        if (signed * weights).sum() <= 0.0:
            high = 0.0
        for _ in range(BISECTIONS):
            middle, excess = 0.5 * (low + high), 0.0
            for g in range(size):
                excess += signed[g] * weights[g] / (n_arms + middle * signed[g])
            if excess > 0.0:
                low = middle
            else:
                high = middle
        weights /= n_arms + high * signed
        weights /= weights.sum()
    return total


@kernel
def _shares(likelihood: Floats, weights: Floats) -> tuple[Floats, float]:
    """Return the sum over arms of the likelihood of each distance over that of the population, and the log of all."""
    shares, total = np.zeros(weights.size), 0.0
    for k in range(likelihood.shape[0]):
        whole = 1e-300
        for g in range(weights.size):
            whole += likelihood[k, g] * weights[g]
        for g in range(weights.size):
            shares[g] += likelihood[k, g] / whole
        total += math.log(whole)
    return shares, total
