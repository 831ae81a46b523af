r"""What more budget would decide: how many of the open arms, for how many more measurements.

Each open arm is measured on in a simulation, with means drawn from its posterior under the fitted population, until it
is decided or has had its share. On the family's scale (:mod:`thresher.policy.likelihood`) the empirical place of an arm
is then about normal. The prior of each arm stays as it is now.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.policy.decisions import Decisions
from thresher.policy.intervals import gaussian_radius
from thresher.policy.likelihood import likelihood_of
from thresher.policy.population import Beliefs, beliefs, fit_population
from thresher.policy.seen import Seen
from thresher.problem import Question
from thresher.types import Bools, Floats, Ints

MOST_ARMS = 100  # open arms that are simulated; more of them are sampled
RUNS = 24  # of each
SMOOTHING = 1.0  # standard errors
LOOKS = 24  # at which a decision is looked for
FARTHEST = 64.0  # times as many measurements as an arm has had on average


class Outlook(NamedTuple):
    """What more measurements of the open arms would decide.

    Attributes
    ----------
    n_open : int
        Arms that are open now.
    measurements : ndarray of float64, shape (L,)
        More measurements in all, increasing, if each open arm is measured until it is decided or has had its share.
    decided : ndarray of float64, shape (L,)
        How many of the open arms these are expected to decide.
    """

    n_open: int
    measurements: Floats
    decided: Floats

    def after(self, measurements: float) -> float:
        """Return how many of the open arms so many more measurements are expected to decide."""
        return float(np.interp(measurements, [0.0, *self.measurements], [0.0, *self.decided]))

    def to_decide(self, share: float = 0.9) -> float:
        """Return how many more measurements decide this share of the open arms; NaN if no number tried does."""
        enough = np.flatnonzero(self.decided >= share * self.n_open)
        if self.n_open == 0 or enough.size == 0:
            return 0.0 if self.n_open == 0 else float("nan")
        last = int(enough[0])
        known = [0.0, *self.decided[: last + 1]], [0.0, *self.measurements[: last + 1]]
        return float(np.interp(share * self.n_open, *known))


def outlook(
    question: Question,
    seen: Seen,
    decided: Decisions,
    *,
    risk: float = 0.05,
    guarantee: str = "calibrated",
    seed: int = 0,
) -> Outlook:
    """Return what more measurements of the open arms would decide; a tolerance is not counted on.

    Parameters
    ----------
    question : Question
        Not of the family ``two-point``.
    seen : Seen
    decided : Decisions
    risk, guarantee
        See :func:`thresher.policy.decisions.decide`; ``fdr`` is taken for ``anytime``.
    seed : int
        Of the simulation.
    """
    rng = np.random.default_rng(seed)
    arms = np.flatnonzero(~decided.is_decided)
    chosen = arms if arms.size <= MOST_ARMS else rng.choice(arms, MOST_ARMS, replace=False)
    steps = np.geomspace(1.0, max(FARTHEST * float(seen.counts.mean()), 2.0), LOOKS)
    if arms.size == 0:
        return Outlook(0, steps, np.zeros(LOOKS))
    times = _first_decisions(question, seen, chosen, steps, risk, guarantee, rng)
    scale = arms.size / chosen.size
    measurements = [scale * float(np.minimum(times, step).mean(axis=1).sum()) for step in steps]
    reached = [scale * float((times <= step).mean(axis=1).sum()) for step in steps]
    return Outlook(int(arms.size), np.array(measurements), np.array(reached))


def _first_decisions(
    question: Question, seen: Seen, chosen: Ints, steps: Floats, risk: float, guarantee: str, rng: np.random.Generator
) -> Floats:
    """Return after how many more measurements each run of each arm is decided, shape (arms, RUNS); else infinity."""
    population = fit_population(question, seen)
    arms = likelihood_of(question, seen).part(chosen)
    known = _smoothed(beliefs(question, seen, population, chosen), float(np.median(np.maximum(arms.strengths, 1.0))))
    worth = np.where(arms.strengths > 0.0, arms.strengths / np.maximum(seen.counts[chosen], 1.0), 1.0)[:, None]
    sums = np.repeat((arms.strengths * arms.places)[:, None], RUNS, axis=1)
    posterior = known.likelihood * known.prior
    posterior /= posterior.sum(axis=1, keepdims=True)
    effects = np.stack([rng.choice(known.centres, RUNS, p=row) for row in posterior])
    times, before = np.full(effects.shape, np.inf), 0.0
    for step in steps:
        more = (step - before) * worth
        sums += more * effects + np.sqrt(more) * rng.normal(size=effects.shape)
        strengths, before = arms.strengths[:, None] + step * worth, step
        is_decided = _are_decided(known, sums / strengths, strengths, question.n_arms, risk, guarantee)
        times = np.where(np.isinf(times) & is_decided, step, times)
    return times


def _smoothed(known: Beliefs, strength: float) -> Beliefs:
    """Return the same with priors smoothed by a normal kernel of a typical standard error.

    A maximum-likelihood fit is a few spikes, and what later outcomes will show between them must not be excluded.
    """
    distances = (known.centres[:, None] - known.centres) * np.sqrt(strength) / SMOOTHING
    kernel = np.exp(-0.5 * distances**2) * known.widths
    kernel /= kernel.sum(axis=1, keepdims=True)
    return known._replace(prior=known.prior @ kernel)


def _are_decided(known: Beliefs, places: Floats, strengths: Floats, n_arms: int, risk: float, guarantee: str) -> Bools:
    """Return whether arms at these places of the scale are decided, shape (arms, RUNS).

    For ``calibrated`` by the larger of the population's and the arm's own chance of error: decisions that a fitted
    population makes early are often taken back when it is fitted anew.
    """
    if guarantee != "calibrated":
        alpha = risk / n_arms if guarantee == "fwer" else risk
        return np.asarray(np.abs(places) >= gaussian_radius(strengths[:, 0], np.ones(strengths.size), alpha)[:, None])
    likelihood = np.exp(-0.5 * strengths[:, :, None] * (places[:, :, None] - known.centres) ** 2)
    half, is_decided = known.centres.size // 2, np.ones(places.shape, np.bool_)
    for prior in (known.prior, known.alone):
        mass = likelihood * prior[:, None, :]
        above = mass[:, :, half:].sum(axis=2) / np.maximum(mass.sum(axis=2), 1e-300)
        is_decided &= np.where(places > 0.0, 1.0 - above, above) <= risk
    return is_decided
