from statistics import NormalDist

import numpy as np
import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem import PROBLEMS, Population, Problem, named

# The definitions, once more and by hand: K = 4 shows the signs (-1)^k, k from 1.
BY_HAND = {
    "linear:K=4": [-0.25, 0.5, -0.75, 1.0],
    "quadratic:K=4": [-0.0625, 0.25, -0.5625, 1.0],
    "constant:K=4": [-1.0, 1.0, -1.0, 1.0],
    "constant:K=4,gap=0.3": [-0.3, 0.3, -0.3, 0.3],
    "toy:K=4": [-0.5, 0.5, -0.5, 0.5],  # outcomes 0 or ±1
    "one-hard:K=4": [0.1, 1.0, -1.0, 1.0],
    "one-hard-few:K=4": [0.2, 2.0, -2.0, 2.0],
    "one-hard:K=3,hard=-0.2,easy=0.5": [-0.2, 0.5, -0.5],
    "locatelli-1": [0.1, 0.1, 0.1, 0.35, 0.45, 0.55, 0.65, 0.9, 0.9, 0.9],
    "locatelli-2": [0.2, 0.25, 0.3, 0.35, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8],
    "locatelli-3": [0.2, 0.36, 0.392, 0.3984, 0.45, 0.55, 0.6016, 0.608, 0.64, 0.8],
    "tao-1": [thousandths / 1000 for thousandths in range(405, 600, 10)],
    "tao-2": [0.45] * 5 + [0.505] * 5,
    "pool:K=4,N=8": [0.125, 0.375, 0.625, 0.875],  # 1, 3, 5 and 7 of 8 items
}


@pytest.mark.parametrize(("text", "means"), BY_HAND.items(), ids=BY_HAND.keys())
def test_the_means_are_those_of_the_definition(text: str, means: list[float]) -> None:
    assert named(text).means == pytest.approx(means, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "family", "arms", "threshold", "sigma"),
    [
        ("linear", "gaussian", 50, 0.0, 1.0),
        ("quadratic", "gaussian", 50, 0.0, 1.0),
        ("constant", "gaussian", 100, 0.0, 1.0),
        ("toy", "two-point", 10, 0.0, 0.5),
        ("locatelli-1", "bernoulli", 10, 0.5, 0.5),
        ("locatelli-2", "bernoulli", 10, 0.5, 0.5),
        ("locatelli-3", "bernoulli", 10, 0.5, 0.5),
        ("tao-1", "bernoulli", 20, 0.5, 0.5),
        ("tao-2", "bernoulli", 10, 0.5, 0.5),
        ("one-hard", "gaussian", 50, 0.0, 1.0),
        ("one-hard-few", "gaussian", 10, 0.0, 1.0),
        ("spread-costs", "gaussian", 50, 0.0, 1.0),
        ("gaussian-population", "gaussian", 200, 0.0, 1.0),
        ("beta-population", "bernoulli", 50, 0.5, 0.5),
        ("pool", "bernoulli", 40, 0.5, 0.5),
        ("shared-items", "bernoulli", 40, 0.5, 0.5),
    ],
)
def test_family_size_bar_and_noise(name: str, family: str, arms: int, threshold: float, sigma: float) -> None:
    problem = named(name)
    assert (problem.family, problem.n_arms, problem.name) == (family, arms, name)
    assert set(problem.thresholds) == {threshold}
    assert problem.sigma == pytest.approx(np.full(arms, sigma))
    assert set(problem.pull_costs) == {1.0}
    if name != "spread-costs":
        assert set(problem.costs) == {1.0}


def test_the_complexity_of_locatellis_problems_is_the_published_one() -> None:
    # H = sum (|mu - tau| + eps)^-2 with eps = 0.1: 144.9, 171.9, 231.5.
    for name, complexity in (("locatelli-1", 144.9), ("locatelli-2", 171.9), ("locatelli-3", 231.5)):
        problem = named(name)
        gaps = np.abs(problem.means - problem.thresholds) + 0.1
        assert (gaps**-2).sum() == pytest.approx(complexity, abs=0.05)


def test_locatellis_gaussian_version_has_variance_a_quarter() -> None:
    problem = named("locatelli-2:family=gaussian")
    assert problem.family == "gaussian"
    assert set(problem.sigma**2) == {0.25}
    assert problem.means.tolist() == named("locatelli-2").means.tolist()


def test_sigma_and_size_can_be_given() -> None:
    problem = named("linear:K=200,sigma=2")
    assert problem.n_arms == 200
    assert set(problem.sigma) == {2.0}
    assert problem.means[199] == 1.0
    assert problem.name == "linear:K=200,sigma=2"


def test_spread_costs_are_geometric_and_unrelated_to_the_gaps() -> None:
    problem = named("spread-costs:K=50,low=0.01,high=100")
    assert problem.means.tolist() == named("linear").means.tolist()
    assert np.sort(problem.costs) == pytest.approx(np.geomspace(0.01, 100.0, 50))
    assert abs(np.corrcoef(np.log(problem.costs), problem.gaps)[0, 1]) < 0.1


def test_populations_draw_their_means_anew() -> None:
    assert named("gaussian-population:K=7,tau=2,mean=1").population == Population("gaussian", 1.0, 2.0)
    beta = named("beta-population:K=7,a=2,b=3,threshold=0.4")
    assert beta.population == Population("beta", 2.0, 3.0)
    assert (beta.n_arms, set(beta.thresholds)) == (7, {0.4})


@pytest.mark.parametrize("text", ["linear:K=0", "constant:K=-3", "toy:K=0", "one-hard:K=0", "gaussian-population:K=0"])
def test_a_problem_has_at_least_one_arm(text: str) -> None:
    with pytest.raises(InvalidInputError, match="must be at least 1"):
        named(text)


@pytest.mark.parametrize(
    "text", ["spread-costs:low=0", "spread-costs:low=2,high=1", "linear:sigma=-1", "linear:sigma=nan"]
)
def test_parameters_that_make_no_problem_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        named(text)


def test_an_unknown_name_or_parameter_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown problem 'liner'; did you mean 'linear'"):
        named("liner")
    with pytest.raises(UnknownNameError, match="unknown parameter 'hards' of 'one-hard'; did you mean 'hard'"):
        named("one-hard:hards=2")


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_has_a_summary_and_a_source_and_builds(name: str) -> None:
    entry = PROBLEMS[name]
    assert entry.summary.endswith(".")
    assert entry.source
    assert Problem.named(name).fingerprint() == named(name).fingerprint()


def test_pools_and_shared_items_are_drawn_without_replacement() -> None:
    pool, shared = named("pool").structure, named("shared-items").structure
    assert pool is not None
    assert shared is not None
    assert (set(pool.sizes), set(shared.sizes)) == ({51}, {301})
    assert pool.items is None
    assert shared.items is not None


def test_shared_items_follow_the_rasch_model() -> None:
    # 1/(1 + exp(difficulty - ability)), averaged over the items: arm by arm the mean of 20,000 answers is within 5
    # standard errors of it (6e-7 each, two-sided), and items make the answers of different arms alike.
    arms, items = 4, 20_000
    problem = named(f"shared-items:K={arms},N={items},ability=0.7,difficulty=1.5")
    normal = NormalDist()
    abilities = [0.7 * normal.inv_cdf((k + 0.5) / arms) for k in range(arms)]
    difficulties = 1.5 * np.array([normal.inv_cdf((i + 0.5) / items) for i in range(items)])
    expected = [float(np.mean(1.0 / (1.0 + np.exp(difficulties - ability)))) for ability in abilities]
    assert problem.means == pytest.approx(expected, abs=5 * 0.5 / items**0.5)


def test_a_table_of_shared_items_depends_on_its_number_alone() -> None:
    assert named("shared-items").digests() == named("shared-items").digests()
    assert named("shared-items").digests() != named("shared-items:table=1").digests()


@pytest.mark.parametrize(
    "text", ["pool:N=0", "shared-items:N=0", "shared-items:ability=-1", "shared-items:difficulty=inf"]
)
def test_pools_without_items_or_with_a_bad_spread_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        named(text)
