"""The question: arms, their thresholds, what mistakes and pulls cost, and the family of the outcomes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidProblemError
from thresher.problem import family as families
from thresher.problem.arrays import demand_inside, demand_positive, finite, means_of, numbers_of, per_arm
from thresher.problem.family import Family
from thresher.problem.keywords import suggests_keywords
from thresher.problem.pool import Pool, pool_of
from thresher.problem.population import Population
from thresher.types import Bools, Floats, Ints

SMALLEST_COST = 1e-6  # money is counted in whole millionths, so that no order of payments changes a sum
MOST_MONEY = 1e12  # in millionths this still fits a 64-bit whole number, nine times over


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    r"""K arms, of each of which it is asked whether its mean is above its threshold.

    A scalar stands for all arms. Use the constructors (:meth:`gaussian`, :meth:`bernoulli`, …),
    :func:`thresher.problem.load` for a file or :func:`thresher.problem.named` for a problem of the literature.

    Parameters
    ----------
    family : str
        A name of ``thresher.problem.FAMILIES``.
    means : ndarray of float64, shape (K,)
        :math:`\mu_k`, the truth, which policies do not see.
    thresholds : ndarray of float64, shape (K,)
        :math:`\theta_k`. The right answer is ``above`` iff :math:`\mu_k > \theta_k`; where they are equal no answer
        is a mistake.
    sigma : ndarray of float64, shape (K,)
        :math:`\sigma_k > 0`; follows from the family except for the two Gaussian ones.
    costs, pull_costs : ndarray of float64, shape (K,)
        :math:`a_k > 0`, what a mistake costs; :math:`m_k > 0`, what a pull takes from the budget (counted in
        millionths).
    low, high, concentration : float
        Range and concentration of the Beta draws of ``bounded``.
    pool : Pool, optional
        Real samples to draw from instead of the family's distribution.
    population : Population, optional
        Where every run draws its own means from; `means` then only says how many arms there are.
    arms : tuple of str
        Names of the arms; ``"1"``, ``"2"``, … unless given.
    name : str
        What results call this problem.

    Raises
    ------
    InvalidProblemError
        If a number is not finite or out of its range, or a length is not K.
    """

    family: str
    means: Floats
    thresholds: Floats
    sigma: Floats
    costs: Floats
    pull_costs: Floats
    low: float = 0.0
    high: float = 1.0
    concentration: float = 4.0
    pool: Pool | None = None
    population: Population | None = None
    arms: tuple[str, ...] = ()
    name: str = "problem"
    kind: Family = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", families.family(self.family))
        object.__setattr__(self, "means", means_of(self.means))
        for key in ("low", "high", "concentration"):
            object.__setattr__(self, key, finite(getattr(self, key)))
        for key in ("thresholds", "sigma", "costs", "pull_costs"):
            object.__setattr__(self, key, per_arm(key, getattr(self, key), self.n_arms))
        if not self.arms:
            object.__setattr__(self, "arms", tuple(str(k) for k in range(1, self.n_arms + 1)))
        self._check_ranges()

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], Problem], tuple[dict[str, Any]]]:
        """Travel through the constructor: frozen arrays stay frozen, the type that kernels were compiled for."""
        return _rebuild, ({key: getattr(self, key) for key in self.__dataclass_fields__ if key != "kind"},)

    def _check_ranges(self) -> None:
        # Thresholds before means: a live problem has its means on the bar, and its user gave the bar.
        if not self.low < self.high or not self.concentration > 0:
            raise InvalidProblemError(
                f"range [{self.low:g}, {self.high:g}], concentration {self.concentration:g}",
                instead="low must be below high and the concentration positive",
            )
        demand_positive("sigma", self.sigma)
        demand_positive("costs", self.costs)
        demand_positive("pull_costs", self.pull_costs)
        if (self.pull_costs < SMALLEST_COST).any():
            raise InvalidProblemError(f"a pull cost below {SMALLEST_COST:g}", instead="use a smaller unit of money")
        if self.pull_costs.sum() > MOST_MONEY:
            raise InvalidProblemError(
                f"pull costs that add up to more than {MOST_MONEY:g}", instead="use a larger unit of money"
            )
        if len(self.arms) != self.n_arms:
            raise InvalidProblemError(f"{len(self.arms)} names for {self.n_arms} arms", instead="give every arm one")
        if len(set(self.arms)) != self.n_arms:
            [(twice, _)] = Counter(self.arms).most_common(1)
            raise InvalidProblemError(f"two arms named {twice[:40]!r}", instead="give every arm a name of its own")
        if self.kind is families.BERNOULLI:
            demand_inside("thresholds", self.thresholds, 0.0, 1.0, closed=False)
            demand_inside("means", self.means, 0.0, 1.0, closed=True)
        elif self.kind is families.BOUNDED:
            demand_inside("thresholds", self.thresholds, self.low, self.high, closed=False)
            demand_inside("means", self.means, self.low, self.high, closed=self.pool is not None)
        elif self.kind is families.TWO_POINT and (self.thresholds != 0).any():
            raise InvalidProblemError(
                "a two-point problem with a threshold other than 0", instead="leave thresholds at 0"
            )

    @property
    def n_arms(self) -> int:
        """K, the number of arms."""
        return int(self.means.size)

    @property
    def gaps(self) -> Floats:
        r"""Normalised gaps :math:`\Delta_k = |\mu_k - \theta_k| / \sqrt{2 \sigma_k^2}`, shape (K,)."""
        return np.abs(self.means - self.thresholds) / np.sqrt(2.0 * self.sigma**2)

    @property
    def is_above(self) -> Bools:
        """The right answers, shape (K,)."""
        return self.means > self.thresholds

    @property
    def ticks(self) -> Ints:
        """Pull costs in whole millionths, shape (K,)."""
        return np.rint(self.pull_costs / SMALLEST_COST).astype(np.int64)

    @property
    def least_budget(self) -> float:
        """What it costs to pull every arm as often as it must be first."""
        return float(self.ticks.sum() * self.kind.first_pulls) * SMALLEST_COST

    @property
    def notes(self) -> list[str]:
        """What a reader of results should know about this problem."""
        if self.population is not None:
            return []
        tied = [self.arms[k] for k in np.flatnonzero(self.means == self.thresholds)]
        shown = ", ".join(tied[:5]) + (", …" if len(tied) > 5 else "")
        return (
            [f"{len(tied)} arm(s) sit exactly on the bar ({shown}): their mistakes count for nothing"] if tied else []
        )

    def fingerprint(self) -> str:
        """Return a hash of all that is in the problem: equal for equal problems, whatever they are called."""
        return hashlib.sha256(repr(self.digests()).encode()).hexdigest()

    def digests(self) -> dict[str, str]:
        """Return the family and a hash of everything else that is in the problem, part by part."""
        parts = {key: getattr(self, key).tobytes() for key in ("means", "thresholds", "sigma", "costs", "pull_costs")}
        parts["range"] = repr((self.low, self.high, self.concentration)).encode()
        parts["population"] = repr(self.population and (self.population, self.population.values)).encode()
        pool = self.pool
        parts["samples"] = (
            pool.values.tobytes() + repr((pool.replacement, pool.sizes.tolist())).encode() if pool else b""
        )
        return {"family": self.family} | {key: hashlib.sha256(part).hexdigest()[:32] for key, part in parts.items()}

    def summary(self) -> dict[str, Any]:
        """Name, family and number of arms, for results and logs."""
        return {"name": self.name, "family": self.family, "arms": self.n_arms}

    @classmethod
    @suggests_keywords
    def gaussian(
        cls,
        means: ArrayLike,
        thresholds: ArrayLike = 0.0,
        sigma: ArrayLike = 1.0,
        costs: ArrayLike | None = None,
        *,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        population: Population | None = None,
        name: str = "problem",
    ) -> Problem:
        """Return a problem with normal outcomes of known σ."""
        return cls.of(
            "gaussian", means=means, thresholds=thresholds, sigma=sigma, costs=costs, pull_costs=pull_costs,
            arms=arms, population=population, name=name,
        )  # fmt: skip

    @classmethod
    @suggests_keywords
    def gaussian_unknown_variance(
        cls,
        means: ArrayLike,
        thresholds: ArrayLike = 0.0,
        sigma: ArrayLike = 1.0,
        costs: ArrayLike | None = None,
        *,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        population: Population | None = None,
        name: str = "problem",
    ) -> Problem:
        """Return a problem with normal outcomes whose σ the policies do not know."""
        return cls.of(
            "gaussian-unknown-variance", means=means, thresholds=thresholds, sigma=sigma, costs=costs,
            pull_costs=pull_costs, arms=arms, population=population, name=name,
        )  # fmt: skip

    @classmethod
    @suggests_keywords
    def bernoulli(
        cls,
        means: ArrayLike,
        thresholds: ArrayLike = 0.5,
        costs: ArrayLike | None = None,
        *,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        population: Population | None = None,
        name: str = "problem",
    ) -> Problem:
        """Return a problem with outcomes 0 and 1."""
        return cls.of(
            "bernoulli", means=means, thresholds=thresholds, costs=costs, pull_costs=pull_costs,
            arms=arms, population=population, name=name,
        )  # fmt: skip

    @classmethod
    @suggests_keywords
    def bounded(
        cls,
        means: ArrayLike,
        thresholds: ArrayLike = 0.5,
        costs: ArrayLike | None = None,
        *,
        low: float = 0.0,
        high: float = 1.0,
        concentration: float = 4.0,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        population: Population | None = None,
        name: str = "problem",
    ) -> Problem:
        """Return a problem with outcomes in [low, high]."""
        return cls.of(
            "bounded", means=means, thresholds=thresholds, costs=costs, pull_costs=pull_costs, low=low, high=high,
            concentration=concentration, arms=arms, population=population, name=name,
        )  # fmt: skip

    @classmethod
    @suggests_keywords
    def two_point(
        cls,
        means: ArrayLike,
        costs: ArrayLike | None = None,
        *,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        name: str = "problem",
    ) -> Problem:
        """Return the paper's toy: outcome 0 or 2μ, each with probability ½; the threshold is 0."""
        return cls.of(
            "two-point", means=means, thresholds=0.0, costs=costs, pull_costs=pull_costs, arms=arms, name=name
        )

    @staticmethod
    def named(text: str) -> Problem:
        """Return a problem of the literature by its name, such as ``linear:K=200``."""
        from thresher.problem.catalogue import named

        return named(text)

    @staticmethod
    def load(path: Path | str) -> Problem:
        """Return the problem in a JSON, TOML or CSV file."""
        from thresher.problem.files import load

        return load(path)

    @classmethod
    def live(cls, family: str, *, thresholds: ArrayLike, arms: Sequence[str], **more: Any) -> Problem:
        """Return a problem whose means nobody knows, as in a live campaign: they stand on the bar."""
        bars = per_arm("thresholds", thresholds, len(arms))
        return cls.of(family, means=bars, thresholds=bars, arms=tuple(arms), **more)

    @classmethod
    @suggests_keywords
    def replay(
        cls,
        samples: Mapping[str, Sequence[float]],
        thresholds: ArrayLike,
        *,
        family: str | None = None,
        replacement: bool = False,
        sigma: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        pull_costs: ArrayLike | None = None,
        low: float | None = None,
        high: float | None = None,
        name: str = "problem",
    ) -> Problem:
        """Return a problem that draws from real samples, given arm by arm.

        Unless a family is named it is ``bernoulli`` if every sample is 0 or 1, else ``gaussian`` with the σ of each
        arm's samples. The truth is the mean of each arm's samples, the range of ``bounded`` that of all samples.
        """
        pool = pool_of(samples, replacement=replacement)
        family = family or ("bernoulli" if np.isin(pool.values, (0.0, 1.0)).all() else "gaussian")
        if family.startswith("gaussian") and sigma is None:
            sigma = np.maximum(pool.deviations, 1e-9)
        if family == "bounded":
            low = float(pool.values.min()) if low is None else low
            high = float(pool.values.max()) if high is None else high
        made = cls.of(
            family, means=pool.means, thresholds=thresholds, sigma=sigma, costs=costs, pull_costs=pull_costs,
            low=0.0 if low is None else low, high=1.0 if high is None else high, pool=pool, arms=tuple(samples),
            name=name,
        )  # fmt: skip
        _demand_fit(made, pool)
        return made

    @classmethod
    @suggests_keywords
    def of(
        cls,
        family: str,
        *,
        means: ArrayLike,
        thresholds: ArrayLike = 0.0,
        sigma: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        pull_costs: ArrayLike | None = None,
        low: float = 0.0,
        high: float = 1.0,
        concentration: float = 4.0,
        pool: Pool | None = None,
        population: Population | None = None,
        arms: Sequence[str] = (),
        name: str = "problem",
    ) -> Problem:
        """Return a problem of any family, with the family's own σ where none is given."""
        kind = families.family(family)
        truth = means_of(means)
        if kind.noise != "given":
            if sigma is not None:
                raise InvalidProblemError(
                    f"sigma given for the family {family!r}", instead="leave it out: it follows from the family"
                )
            half = max(0.5 * (finite(high) - finite(low)), 1e-300)
            rules: dict[str, ArrayLike] = {"half": 0.5, "range": half, "mean": np.maximum(np.abs(truth), 1e-300)}
            sigma = rules[kind.noise]
        return cls(
            family=family,
            means=truth,
            thresholds=numbers_of("thresholds", thresholds),
            sigma=numbers_of("sigma", 1.0 if sigma is None else sigma),
            costs=numbers_of("costs", 1.0 if costs is None else costs),
            pull_costs=numbers_of("pull_costs", 1.0 if pull_costs is None else pull_costs),
            low=low,
            high=high,
            concentration=concentration,
            pool=pool,
            population=population,
            arms=tuple(arms),
            name=name,
        )


def _rebuild(fields: dict[str, Any]) -> Problem:
    return Problem(**fields)


def _demand_fit(problem: Problem, pool: Pool) -> None:
    values = np.unique(pool.values)
    # Of more than two different values one is neither 0 nor 1; of values out of a range the least or the greatest is.
    for value in [*values[:3], values[-1]]:
        why = families.misfit(problem.kind, float(value), low=problem.low, high=problem.high)
        if why is not None:
            arm = int(np.searchsorted(pool.starts, np.argmax(pool.values == value), side="right")) - 1
            raise InvalidProblemError(
                f"a sample of arm {problem.arms[arm]!r}: {why}", instead="name another family, or mend the sample"
            )
