"""Normal outcomes of known σ."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thresher.martingales import gaussian_radius, joint_radius, log_e_of_sums, mixture_of
from thresher.problem.families.family import Family
from thresher.problem.families.likelihood import Likelihood
from thresher.problem.statistics import Statistics
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question

FIELLER = 12  # steps towards the ends of a lift


class Gaussian(Family):
    r"""``gaussian``: the distance of a mean from its bar is the effect :math:`\delta = (\mu - \theta)/\sigma`."""

    name: ClassVar[str] = "gaussian"
    summary: ClassVar[str] = "N(μ, σ²), σ known"
    draw: ClassVar[str] = "normal"
    law: ClassVar[str] = "normal"
    takes_sigma: ClassVar[bool] = True
    needs_sigma: ClassVar[bool] = True
    is_normal: ClassVar[bool] = True

    def likelihood(self, question: Question, seen: Statistics) -> Likelihood:
        """Return the likelihood of every arm."""
        gaps = seen.totals / np.maximum(seen.counts, 1.0) - question.thresholds
        effects = np.where(seen.counts > 0.0, gaps / question.sigma, 0.0)
        ends = np.full(question.n_arms, np.inf)
        return Likelihood(gaussian_logs, effects, seen.counts, effects, -ends, ends)

    def means_at(self, question: Question, seen: Statistics, points: Floats, arms: Ints | slice) -> Floats:
        """Return the means at some distances from the bars."""
        return np.asarray(question.thresholds[arms, None] + question.sigma[arms, None] * points)

    def variances(self, question: Question, seen: Statistics) -> Floats:
        """Return the variances that are given."""
        return question.sigma**2

    def deviations(self, question: Question, seen: Statistics) -> Floats:
        """Return the standard deviations that are given."""
        return question.sigma

    def precisions(self, question: Question) -> Floats:
        """Return the inverse variances."""
        return question.sigma**-2.0

    def noise_limits(self, question: Question, counts: Floats, totals: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for equal means: those of a sum depend on its variance alone."""
        return self.limits(question, Statistics(counts, totals, np.zeros_like(counts)), alpha)

    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits by the normal mixture."""
        radius = gaussian_radius(seen.counts, question.sigma, alpha, mixture_of(alpha))
        means = np.where(seen.counts > 0.0, seen.means, 0.0)
        return means - radius, means + radius

    def difference_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats] | None:
        """Return the image of the joint region of an arm and the control under the difference."""
        judged, (place, ratio, margin) = question.judged, question.known_control
        means = seen.means[judged] - ratio * seen.means[place] - margin
        radius = _joint_radius(question, seen, np.full(judged.size, ratio), alpha)
        return means - radius, means + radius

    def ratio_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats] | None:
        r"""Return the image of the joint region under the ratio: where :math:`|\hat\mu_k - r \hat\mu_0| \le h(r)`.

        :math:`h(r)` is half the width of the interval of :math:`\mu_k - r \mu_0`. Written as
        :math:`h^2 = R (\sigma_k^2/n_k + r^2 \sigma_0^2/n_0)` its level `R` hardly depends on `r`, so Fieller's theorem
        with the level at the last `r` gives the next one.
        """
        judged, place = question.judged, question.known_control.arm
        errors = question.sigma**2 / np.maximum(seen.counts, 1.0)
        means, base, own, other = seen.means[judged], float(seen.means[place]), errors[judged], float(errors[place])
        found = []
        for sign in (-1.0, 1.0):
            ratios = np.where(np.isnan(means), 1.0, means / base if base > 0.0 else 1.0)
            for _ in range(FIELLER if base > 0.0 else 0):
                level = _joint_radius(question, seen, np.abs(ratios), alpha) ** 2 / (own + ratios**2 * other)
                slack = base**2 - level * other
                inner = np.maximum((means * base) ** 2 - slack * (means**2 - level * own), 0.0)
                ratios = np.where(slack > 0.0, (means * base + sign * np.sqrt(inner)) / np.abs(slack), np.nan)
            found.append(ratios if base > 0.0 else np.full(means.size, np.nan))
        is_known = np.isfinite(found[0]) & np.isfinite(found[1])
        low, high = (np.where(is_known, limit, np.nan) for limit in found)
        return low, high

    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        """Return the log of the e-value by the one-sided normal mixture."""
        return log_e_of_sums(seen.totals - seen.counts * bars, seen.counts, question.sigma, rho)


def _joint_radius(question: Question, seen: Statistics, ratios: Floats, alpha: float) -> Floats:
    """Return half the width of the image of each joint region under the arm less a ratio times the control."""
    judged, place = question.judged, question.known_control.arm
    counts = np.maximum(seen.counts, 1.0)
    base = float(counts[place]), float(question.sigma[place])
    return joint_radius(counts[judged], question.sigma[judged], ratios, base, alpha, mixture_of(alpha))


def gaussian_logs(arms: Likelihood, points: Floats) -> Floats:
    r"""Return :math:`-\frac n2 (\hat\delta - \delta)^2`."""
    return np.asarray(-0.5 * arms.strengths[:, None] * (arms.leans[:, None] - points) ** 2)
