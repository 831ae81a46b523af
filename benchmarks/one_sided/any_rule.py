r"""The fewest mistakes that any verdict makes on one population if it loses at most 1 % on another one.

Every run draws the means of its arms from one of two populations: P, all above the bar, or Q, on both sides. Given what
was seen, the verdicts that minimise :math:`a R_P + R_Q` are known: each arm on its likelier side, the two populations
weighed by their likelihoods and :math:`a : 1`. With :math:`V(a)` this minimum and :math:`S` the mistakes of the sign,

.. math:: R_Q \le 1.01\, S_Q \quad\Longrightarrow\quad R_P \ge \frac{V(a) - 1.01\, S_Q}{a}

for every rule and every `a`, even for a rule that is told P and Q. The `a` is chosen on the first half of the runs and
the bound computed on the second half. Mistakes are counted by their expectation given what was seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.one_sided.ends import ends_of
from thresher.problem import Problem
from thresher.problem.population import Population
from thresher.report.markdown import markdown_table
from thresher.types import Floats

LOGS = np.linspace(-7.0, 4.0, 45)  # of the weights of P that are tried
MAY_LOSE = 0.01
ONE_SIDED = tuple(np.linspace(0.02, 0.3, 15))
# arms, pulls of each, runs, and Q in standard errors: the worst for the rules of those that were tried
CASES = (
    (10, 5, 4000, (-0.02, 0.7)),
    (40, 5, 1600, (-0.02, 0.7)),
    (40, 20, 1200, (-0.1, 1.0, 1.0)),
    (200, 5, 400, (-0.02, 0.7)),
    (200, 20, 200, (-0.1, 1.0, 1.0, 1.0)),
)


class Bound(NamedTuple):
    """Mistakes of the sign on P and on Q, and the bound on the mistakes on P over those of the sign."""

    sign_p: float
    sign_q: float
    bound: float
    error: float


def drawn_from(values: Sequence[float], n_arms: int) -> Problem:
    """Return Gaussian arms, σ = 1, whose means every run draws from a table."""
    return Problem.gaussian(np.zeros(n_arms), population=Population("table", values=tuple(map(float, values))))


def bound(p: Sequence[float], q: Sequence[float], *, n_arms: int, budget: int, runs: int, seed: int) -> Bound:
    """Return the bound for a one-sided population `p` and another one."""
    (best_p, sign_p), (best_q, sign_q) = (_mistakes(v, p, q, n_arms, budget, runs, seed) for v in (p, q))
    weights, half = np.exp(LOGS)[:, None], runs // 2
    terms = best_p, (best_q - (1.0 + MAY_LOSE) * sign_q) / weights
    first = [term[:, :half] for term in terms]
    careful = sum(t.mean(axis=1) for t in first) - 2.0 * np.sqrt(sum(t.var(axis=1) for t in first) / half)
    chosen = int(np.argmax(careful))
    second = [term[chosen, half:] for term in terms]
    error = np.sqrt(sum(t.var() for t in second) / (runs - half))
    sign = sign_p.mean()
    return Bound(float(sign), float(sign_q.mean()), float(sum(t.mean() for t in second) / sign), float(error / sign))


def _mistakes(
    drawn: Sequence[float], p: Sequence[float], q: Sequence[float], n_arms: int, budget: int, runs: int, seed: int
) -> tuple[Floats, Floats]:
    """Return the mistakes of the best verdicts, shape (weights, runs), and those of the sign, shape (runs,)."""
    problem = drawn_from(drawn, n_arms)
    ends = ends_of(problem, budget=budget, runs=runs, seed=seed)
    fits_p, fits_q = (_likelihoods(ends.counts, ends.totals, values) for values in (p, q))
    above = fits_q[0] / fits_q.sum(axis=0)
    truth = np.ones_like(above) if drawn is p else above
    logs = (np.log(fits_p.sum(axis=0)) - np.log(fits_q.sum(axis=0))).sum(axis=1)
    best = []
    for log in LOGS:
        share = 1.0 / (1.0 + np.exp(-np.clip(logs + log, -700.0, 700.0)))[:, None]
        best.append(np.abs((share + (1.0 - share) * above > 0.5) - truth).sum(axis=1))
    return np.array(best), np.abs(ends.is_above(problem) - truth).sum(axis=1)


def _likelihoods(counts: Floats, totals: Floats, values: Sequence[float]) -> Floats:
    """Return the likelihood of the part of a population above the bar and of the rest, shape (2, runs, K)."""
    table = np.asarray(values)
    each = np.exp(-0.5 * counts[..., None] * ((totals / counts)[..., None] - table) ** 2) / table.size
    return np.stack([each[..., table > 0.0].sum(axis=-1), each[..., table <= 0.0].sum(axis=-1)])


def limit(scale: float, seed: int, _: Path | None = None) -> None:
    """Print the bound for several numbers of arms and pulls."""
    rows = []
    for n_arms, per_arm, runs, errors in CASES:
        q = tuple(np.array(errors) * per_arm**-0.5)
        found = bound(ONE_SIDED, q, n_arms=n_arms, budget=n_arms * per_arm, runs=max(4, int(scale * runs)), seed=seed)
        named = " or ".join(f"{value:.3f}" for value in q)
        mistakes = [f"{found.sign_p:.1f}", f"{found.sign_q:.1f}"]
        rows.append([str(n_arms), str(per_arm), named, *mistakes, f"{found.bound:.2f} ± {found.error:.2f}"])
    print(markdown_table(["arms", "per arm", "Q", "sign on P", "sign on Q", "P, any rule / sign"], rows, left=(2,)))
