"""The truth: the means of the arms, and where their outcomes come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from thresher.errors import InvalidInputError
from thresher.problem.arrays import finite, means_of
from thresher.problem.code import code_of
from thresher.problem.pool import Pool
from thresher.problem.population import Population
from thresher.problem.question import Question, numbered
from thresher.problem.sampler import Sampler, check_samplers, samplers_of
from thresher.types import Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Truth:
    r"""The truth of a simulation, which its policies are not given.

    Outcomes come from the family's distribution with these means, unless one of `population`, `pool` and `samplers` is
    given; at most one of them is.

    Parameters
    ----------
    means : ndarray of float64, shape (K,)
        :math:`\mu_k`, against which mistakes are counted. With a population they only say how many arms there are, and
        what the mean of the control is.
    concentration : float
        Of the Beta draws of ``bounded``, positive.
    population : Population, optional
        Every run draws its own means from it; not that of the control.
    pool : Pool, optional
        Recorded samples to draw from; `means` are those of the samples.
    samplers : tuple of callable, optional
        One for each arm: ``sampler(rng)`` returns an outcome, drawn by the `numpy.random.Generator` it is given.

    Raises
    ------
    InvalidInputError
        If a number is not finite or out of its range, or outcomes would come from two places.
    """

    means: Floats
    concentration: float = 4.0
    population: Population | None = None
    pool: Pool | None = None
    samplers: tuple[Sampler, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", means_of(self.means))
        object.__setattr__(self, "concentration", finite("concentration", self.concentration))
        if not self.concentration > 0:
            raise InvalidInputError("concentration", self.concentration, rule="must be positive")
        given = [key for key in ("population", "pool", "samplers") if getattr(self, key) is not None]
        if len(given) > 1:
            raise InvalidInputError(
                "source of the outcomes", given, rule="must be at most one of population, pool and samplers"
            )
        if self.samplers is not None:
            object.__setattr__(self, "samplers", samplers_of(self.samplers, numbered(self.n_arms)))

    def __reduce__(self) -> tuple[Callable[[], Truth], tuple[()]]:
        """Travel through the constructor: frozen arrays stay frozen, the type that kernels were compiled for."""
        return partial(Truth, **vars(self)), ()

    @property
    def n_arms(self) -> int:
        """K, the number of arms."""
        return int(self.means.size)

    def sources(self) -> dict[str, bytes]:
        """Return what tells this truth from another one with the same means, part by part, to be hashed."""
        population, pool = self.population, self.pool
        parts = {"population": repr(population and (population, population.values)).encode(), "samples": b""}
        if pool is not None:
            parts["samples"] = pool.values.tobytes() + repr((pool.replacement, pool.sizes.tolist())).encode()
            parts["samples"] += b"" if pool.items is None else pool.items.tobytes()
            parts["samples"] += b"" if pool.repeats == 1 else repr(pool.repeats).encode()
        if self.samplers is not None:
            different = {id(sampler): sampler for sampler in self.samplers}  # one function may be that of all arms
            codes = {key: code_of(sampler) for key, sampler in different.items()}
            parts["samplers"] = repr([codes[id(sampler)] for sampler in self.samplers]).encode()
        return parts

    def check_against(self, question: Question) -> None:
        """Raise unless this can be the truth behind a question; every sampler is called once.

        Raises
        ------
        InvalidInputError
            If the number of arms differs, or a mean, a sample or an outcome is none that the family can have.
        """
        if self.n_arms != question.n_arms:
            raise InvalidInputError(
                "number of means", self.n_arms, rule=f"must be the number of arms, {question.n_arms}"
            )
        is_drawn = self.pool is None and self.samplers is None
        question.kind.check_means(question, self.means, is_drawn=is_drawn)
        question.bar.check_truth(self.means)
        if self.pool is not None:
            self.pool.check_against(question)
        if self.samplers is not None:
            check_samplers(self.samplers, question)
