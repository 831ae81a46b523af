r"""Verdicts that look at all arms.

`npmle`: the likelier side under the fitted population. `gate`: all arms above, if a population with all means above the
bar fits nearly as well as any and one with all means below much worse, or the mirror image. `confident`: against the
sign, if every population under which the sign is the better bet for this arm fits all arms worse by this many nats.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.one_sided.ends import Ends
from benchmarks.one_sided.fits import HALF, fit, fit_against, grid
from thresher.jit import kernel
from thresher.problem import Problem
from thresher.problem.statistics import Statistics
from thresher.types import Bools, Floats

RULES = ("npmle", "gate .3, 6", "gate .05, 10", "confident .5", "confident 1")


class Evidence(NamedTuple):
    """What the fits say of one run.

    Attributes
    ----------
    loss_above, loss_below : float
        Nats that a population loses whose means are all above, or all below the bar.
    above : ndarray of float64, shape (K,)
        How likely each mean is above the bar under the fitted population.
    against : ndarray of float64, shape (K,)
        Nats that a population loses under which the sign is the better bet for the arm; 0 if the fitted one is such.
    """

    loss_above: float
    loss_below: float
    above: Floats
    against: Floats


@kernel
def _evidence(likelihood: Floats, is_above: Bools) -> Evidence:
    n_arms, size = likelihood.shape
    up = np.arange(size) >= HALF
    weights, most = fit(likelihood, np.ones(size, np.bool_))
    _, if_above = fit(likelihood, up)
    _, if_below = fit(likelihood, ~up)
    above, against = np.empty(n_arms), np.zeros(n_arms)
    for k in range(n_arms):
        own = likelihood[k] * weights
        above[k] = own[HALF:].sum() / max(own.sum(), 1e-300)
        signed = np.where(up == is_above[k], -likelihood[k], likelihood[k])
        if (above[k] > 0.5) != is_above[k] and signed.min() < -1e-9:
            against[k] = most - fit_against(likelihood, signed)
    return Evidence(most - if_above, most - if_below, above, against)


def verdicts(problem: Problem, ends: Ends) -> dict[str, Bools]:
    """Return which arms each rule judges above, shape (runs, K) each."""
    signs = ends.is_above(problem)
    found: dict[str, list[Bools]] = {rule: [] for rule in RULES}
    for counts, totals, sign in zip(ends.counts, ends.totals, signs, strict=True):
        arms = problem.kind.likelihood(problem.question, Statistics(counts, totals, counts))
        for rule, judged in judge(_evidence(arms.at(grid(arms)), sign), sign).items():
            found[rule].append(judged)
    return {rule: np.array(rows) for rule, rows in found.items()}


def judge(seen: Evidence, sign: Bools) -> dict[str, Bools]:
    """Return which arms of one run each rule judges above, shape (K,) each."""
    return {
        "npmle": np.where(seen.above == 0.5, sign, seen.above > 0.5),
        "gate .3, 6": _gate(seen, sign, nearly=0.3, much=6.0),
        "gate .05, 10": _gate(seen, sign, nearly=0.05, much=10.0),
        "confident .5": sign ^ (seen.against > 0.5),
        "confident 1": sign ^ (seen.against > 1.0),
    }


def _gate(seen: Evidence, sign: Bools, *, nearly: float, much: float) -> Bools:
    if seen.loss_above < nearly and seen.loss_below > much:
        return np.ones_like(sign)
    if seen.loss_below < nearly and seen.loss_above > much:
        return np.zeros_like(sign)
    return sign
