"""The named problems: those of the paper, of the literature, and some where `stopping` is not the best."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem.population import Population
from thresher.problem.problem import Problem
from thresher.problem.spec import bind, parse_spec
from thresher.streams import uniform_table
from thresher.types import Floats


@dataclass(frozen=True)
class NamedProblem:
    """A problem of the literature: how to build it and where it comes from."""

    name: str
    build: Callable[..., Problem]
    source: str

    @property
    def summary(self) -> str:
        """The first line of the builder's docstring."""
        return (self.build.__doc__ or "").strip().splitlines()[0]


PROBLEMS: dict[str, NamedProblem] = {}


def _problem(name: str, source: str) -> Callable[[Callable[..., Problem]], Callable[..., Problem]]:
    def enter(build: Callable[..., Problem]) -> Callable[..., Problem]:
        PROBLEMS[name] = NamedProblem(name, build, source)
        return build

    return enter


def named(text: str) -> Problem:
    """Return the problem of a name such as ``linear`` or ``linear:K=200``.

    Raises
    ------
    UnknownNameError
        If there is no such problem or parameter.
    InvalidInputError
        If a parameter is invalid.
    """
    if not isinstance(text, str):
        raise InvalidInputError("name of the problem", text, rule="must be a text such as 'linear:K=200'")
    spec = parse_spec(text)
    if spec.name not in PROBLEMS:
        raise UnknownNameError("problem", spec.name, PROBLEMS)
    build = PROBLEMS[spec.name].build
    return replace(build(**bind(build, spec)), name=text)


def _alternating(sizes: Floats) -> Floats:
    signs = np.where(np.arange(1, sizes.size + 1) % 2 == 0, 1.0, -1.0)
    return np.asarray(signs * sizes)


def _steps(K: int) -> Floats:
    if K < 1:
        raise InvalidInputError("K", K, rule="must be at least 1")
    return np.arange(1, K + 1) / K


@_problem("linear", "ouhamma2021, appendix G")
def linear(K: int = 50, sigma: float = 1.0) -> Problem:
    """Gaussian arms, μ_k = (−1)^k k/K."""
    return Problem.gaussian(_alternating(_steps(K)), sigma=sigma)


@_problem("quadratic", "ouhamma2021, Figure 1 and appendix G")
def quadratic(K: int = 50, sigma: float = 1.0) -> Problem:
    """Gaussian arms, μ_k = (−1)^k (k/K)²."""
    return Problem.gaussian(_alternating(_steps(K) ** 2), sigma=sigma)


@_problem("constant", "ouhamma2021, Figure 3 left")
def constant(K: int = 100, gap: float = 1.0, sigma: float = 1.0) -> Problem:
    """Gaussian arms, all equally far from the bar: μ_k = (−1)^k gap."""
    return Problem.gaussian(_alternating(gap * np.ones(_steps(K).size)), sigma=sigma)


@_problem("toy", "ouhamma2021, section 4")
def toy(K: int = 10) -> Problem:
    """Two-point arms on {0, x_k}, x_k = (−1)^k: one non-zero outcome determines the verdict."""
    return Problem.two_point(_alternating(0.5 * np.ones(_steps(K).size)))


def _locatelli(means: list[float], family: str) -> Problem:
    if family == "gaussian":
        return Problem.gaussian(means, thresholds=0.5, sigma=0.5)
    return Problem.of(family, means=means, thresholds=0.5)


@_problem("locatelli-1", "locatelli2016, experiment 1 (three groups)")
def locatelli_1(family: str = "bernoulli") -> Problem:
    """Ten arms in three groups, θ = ½ (family=gaussian: variance ¼)."""
    return _locatelli([0.1] * 3 + [0.35, 0.45, 0.55, 0.65] + [0.9] * 3, family)


@_problem("locatelli-2", "locatelli2016, experiment 2 (arithmetic)")
def locatelli_2(family: str = "bernoulli") -> Problem:
    """Ten arms in an arithmetic progression, θ = ½ (family=gaussian: variance ¼)."""
    return _locatelli([0.2, 0.25, 0.3, 0.35, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8], family)


@_problem("locatelli-3", "locatelli2016, experiment 3 (geometric)")
def locatelli_3(family: str = "bernoulli") -> Problem:
    """Ten arms in a geometric progression towards the bar, θ = ½ (family=gaussian: variance ¼)."""
    low = [0.4 - 0.2**i for i in range(1, 5)]
    high = [0.6 + 0.2 ** (5 - i) for i in range(1, 5)]
    return _locatelli([*low, 0.45, 0.55, *high], family)


@_problem("kano-1", "kano2019, Threshold 1 (set-up read in a public reproduction)")
def kano_1() -> Problem:
    """Ten Bernoulli arms in three groups, θ = ½: the means of locatelli-1."""
    return locatelli_1()


@_problem("kano-2", "kano2019, Threshold 2 (set-up read in a public reproduction)")
def kano_2() -> Problem:
    """Six Bernoulli arms in steps of 0.1 from 0.1, θ = 0.35."""
    return Problem.bernoulli([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], thresholds=0.35)


@_problem("kano-3", "kano2019, Threshold 3 (set-up read in a public reproduction)")
def kano_3() -> Problem:
    """Ten Bernoulli arms near θ = ½: three at 0.55, seven at 0.45."""
    return Problem.bernoulli([0.55] * 3 + [0.45] * 7)


@_problem("tao-1", "tao2019, arithmetic progression (set-up quoted from memory, not verified in the paper)")
def tao_1() -> Problem:
    """Twenty Bernoulli arms, μ_i = 0.405 + (i−1)/100, θ = ½."""
    return Problem.bernoulli([0.405 + i / 100 for i in range(20)])


@_problem("tao-2", "tao2019, two groups (set-up quoted from memory, not verified in the paper)")
def tao_2() -> Problem:
    """Ten Bernoulli arms: five at 0.45, five at 0.505, θ = ½."""
    return Problem.bernoulli([0.45] * 5 + [0.505] * 5)


@_problem("one-hard", "thresher: a case where `stopping` loses")
def one_hard(K: int = 50, hard: float = 0.1, easy: float = 1.0) -> Problem:
    """One Gaussian arm near the bar among easy ones: 0.1, the rest ±1."""
    means = _alternating(easy * np.ones(_steps(K).size))
    means[0] = hard
    return Problem.gaussian(means)


@_problem("one-hard-few", "thresher: a case where `stopping` loses")
def one_hard_few(K: int = 10, hard: float = 0.2, easy: float = 2.0) -> Problem:
    """One Gaussian arm near the bar among a few very easy ones: 0.2, the rest ±2."""
    return one_hard(K=K, hard=hard, easy=easy)


@_problem("spread-costs", "thresher: mistake costs that differ by a factor of 100")
def spread_costs(K: int = 50, low: float = 1.0, high: float = 100.0) -> Problem:
    """Linear means with mistake costs from low to high, even in the logarithm, unrelated to the gaps."""
    if not 0 < low <= high:
        raise InvalidInputError("range of the costs", [low, high], rule="must have 0 < low <= high")
    means = _alternating(_steps(K))
    # Steps of the golden ratio spread the costs without order or clusters.
    places = np.argsort(np.modf(np.arange(1, K + 1) * 0.6180339887498949)[0])
    costs = np.empty(K)
    costs[places] = np.geomspace(low, high, K)
    return Problem.gaussian(means, costs=costs)


@_problem("gaussian-population", "thresher: new means in every run")
def gaussian_population(K: int = 200, tau: float = 0.5, mean: float = 0.0, sigma: float = 1.0) -> Problem:
    """Gaussian arms whose means every run draws again from N(mean, tau²), θ = 0."""
    return Problem.gaussian(np.zeros(_steps(K).size), sigma=sigma, population=Population("gaussian", mean, tau))


@_problem("beta-population", "chen2013, section 5 with a = b = 1, K = 50")
def beta_population(K: int = 50, a: float = 1.0, b: float = 1.0, threshold: float = 0.5) -> Problem:
    """Bernoulli arms whose means every run draws again from Beta(a, b)."""
    means = np.full(_steps(K).size, 0.5)
    return Problem.bernoulli(means, thresholds=threshold, population=Population("beta", a, b))


@_problem("pool", "thresher: a pool of 0/1 items for each arm, drawn without replacement")
def pool(K: int = 40, N: int = 51) -> Problem:
    """Pools of N items, drawn without replacement; arm k has round(N (k − ½)/K) ones, θ = ½."""
    if N < 1:
        raise InvalidInputError("N", N, rule="must be at least 1")
    ones = np.rint(N * (_steps(K) - 0.5 / K)).astype(int)
    return Problem.replay({f"{k}": [1] * m + [0] * (N - m) for k, m in enumerate(ones, start=1)}, 0.5)


@_problem("shared-items", "thresher: a table of answers from a Rasch model (lord1980)")
def shared_items(K: int = 40, N: int = 301, ability: float = 0.7, difficulty: float = 1.5, table: int = 0) -> Problem:
    """K arms answer the same N items; 0/1 answers with log-odds of ability less difficulty, θ = ½."""
    if N < 1:
        raise InvalidInputError("N", N, rule="must be at least 1")
    for name, spread in (("ability", ability), ("difficulty", difficulty)):
        if not 0.0 <= spread < math.inf:
            raise InvalidInputError(name, spread, rule="must be 0 or a positive number")
    arms, items = ability * _normal_quantiles(K), difficulty * _normal_quantiles(N)
    chances = 1.0 / (1.0 + np.exp(items[None, :] - arms[:, None]))
    return Problem.crossed((uniform_table(table, K, N) < chances).astype(np.float64), 0.5)


def _normal_quantiles(number: int) -> Floats:
    """Return the quantiles of a standard normal distribution at (i − ½)/number, shape (number,)."""
    normal = NormalDist()
    return np.array([normal.inv_cdf(place - 0.5 / number) for place in _steps(number)])
