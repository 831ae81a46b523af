"""Hypothesis strategies: random problems, policies and budgets, small enough for the readable reference loop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from thresher.policy import IndexPolicy, find_index_policy, per_arm
from thresher.problem import Population, Problem, Structure

seeds = st.integers(0, 2**63 - 1)
MOST_ARMS = 7
PULL_COSTS = (0.1, 0.25, 1.0, 1.5, 3.0)
PLAIN = ("apt", "apt:epsilon=0.1", "lsa", "lsa:alpha=1.35", "fwt", "fwt-sqrt", "fwt-gaps", "uniform", "stopping")


def _list(values: st.SearchStrategy[float], size: int) -> st.SearchStrategy[list[float]]:
    return st.lists(values, min_size=size, max_size=size)


@st.composite
def _numbers(draw: st.DrawFn, size: int) -> dict[str, Any]:
    """Return mistake costs and pull costs, or nothing."""
    chosen: dict[str, Any] = {}
    if draw(st.booleans()):
        chosen["costs"] = draw(_list(st.sampled_from([0.01, 0.5, 1.0, 20.0]), size))
    if draw(st.booleans()):
        chosen["pull_costs"] = draw(_list(st.sampled_from(PULL_COSTS), size))
    return chosen


@st.composite
def gaussian_problems(draw: st.DrawFn, *, unknown_variance: bool = False) -> Problem:
    """Return a problem with Gaussian outcomes; means may sit on the bar, or come from a population."""
    size = draw(st.integers(1, MOST_ARMS))
    means = draw(_list(st.sampled_from([-2.0, -0.5, -0.1, 0.0, 0.05, 0.3, 1.0]), size))
    thresholds = draw(st.one_of(st.just(0.0), _list(st.sampled_from([-0.5, 0.0, 0.3]), size)))
    sigma = draw(st.one_of(st.just(1.0), _list(st.sampled_from([0.3, 1.0, 2.0]), size)))
    build = Problem.gaussian_unknown_variance if unknown_variance else Problem.gaussian
    population = draw(st.sampled_from([None, None, Population("gaussian", 0.1, 0.5)]))
    return build(means, thresholds, sigma, population=population, **draw(_numbers(size)))


@st.composite
def bernoulli_problems(draw: st.DrawFn) -> Problem:
    """Return a problem with outcomes 0 and 1: ties between indices abound."""
    size = draw(st.integers(1, MOST_ARMS))
    means = draw(_list(st.sampled_from([0.0, 0.1, 0.45, 0.5, 0.55, 0.9, 1.0]), size))
    thresholds = draw(st.one_of(st.just(0.5), _list(st.sampled_from([0.1, 0.5, 0.9]), size)))
    population = draw(
        st.sampled_from([None, None, Population("beta", 0.7, 1.3), Population("table", values=(0.0, 0.5, 0.9))])
    )
    return Problem.bernoulli(means, thresholds, population=population, **draw(_numbers(size)))


@st.composite
def bounded_problems(draw: st.DrawFn) -> Problem:
    """Return a problem with outcomes in a range."""
    size = draw(st.integers(1, MOST_ARMS))
    means = draw(_list(st.sampled_from([-0.8, 0.0, 0.5, 1.7]), size))
    return Problem.bounded(means, 0.2, low=-1.0, high=2.0, **draw(_numbers(size)))


@st.composite
def two_point_problems(draw: st.DrawFn) -> Problem:
    """Return a problem of the paper's two-point family."""
    size = draw(st.integers(1, MOST_ARMS))
    return Problem.two_point(draw(_list(st.sampled_from([-1.0, 0.5]), size)), **draw(_numbers(size)))


@st.composite
def replay_problems(draw: st.DrawFn) -> Problem:
    """Return a problem that draws from pools, most of them small enough to be exhausted."""
    samples = draw(
        st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=12), min_size=1, max_size=MOST_ARMS)
    )
    named = {f"arm {k}": values for k, values in enumerate(samples)}
    return Problem.replay(named, 0.5, replacement=draw(st.booleans()), **draw(_numbers(len(named))))


@st.composite
def pool_problems(draw: st.DrawFn) -> Problem:
    """Return a problem of which every run draws its own pools, mostly small enough to be used up."""
    problem = draw(st.one_of(bernoulli_problems(), gaussian_problems(), bounded_problems()))
    sizes = draw(st.lists(st.integers(1, 30), min_size=problem.n_arms, max_size=problem.n_arms))
    structure = Structure(np.array(sizes, dtype=np.int64))
    return replace(problem, question=replace(problem.question, structure=structure))


def problems() -> st.SearchStrategy[Problem]:
    """Return problems of every family, with populations, pools, costs and pull costs."""
    return st.one_of(
        gaussian_problems(),
        gaussian_problems(unknown_variance=True),
        bernoulli_problems(),
        bounded_problems(),
        two_point_problems(),
        replay_problems(),
        pool_problems(),
    )


@st.composite
def policies_for(draw: st.DrawFn, problem: Problem) -> IndexPolicy:
    """Return an index policy for a problem: with parameters, a prior, or an index for each arm."""
    names = [name for name in PLAIN if _goes_with(name, problem)]
    if problem.family == "bernoulli":
        names += ["lsa:evidence=kl", "stopping:evidence=squared", "stopping:prior_a=2,prior_b=1"]
    if problem.family == "gaussian":
        names += ["stopping:prior_mean=0.2,prior_sd=0.7"]
    if problem.structure is not None and problem.family != "two-point":
        names += ["stopping:structure=none", "lsa:structure=pool"]
    if problem.population is None and problem.family != "two-point":
        names += ["sprt"]
    if draw(st.integers(0, 4)) == 0:
        mixed = [name for name in PLAIN if _goes_with(name, problem) and not name.startswith("stopping")]
        return per_arm([draw(st.sampled_from(mixed)) for _ in range(problem.n_arms)])
    return find_index_policy(draw(st.sampled_from(names)))


def _goes_with(name: str, problem: Problem) -> bool:
    if problem.family == "two-point":
        return not name.startswith("stopping")
    return not (name.startswith("apt:") and problem.family == "gaussian-unknown-variance")


@st.composite
def budgets_for(draw: st.DrawFn, problem: Problem, *, most_pulls: float = 40.0) -> list[float]:
    """Return one to four increasing budgets, from the least one to `most_pulls` times that."""
    least = problem.least_budget
    shares = draw(st.lists(st.floats(1.0, most_pulls), min_size=1, max_size=4))
    return sorted({round(least * share, 3) for share in shares})
