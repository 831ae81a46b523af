import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.feasible import FEASIBLE, FeasibleProblem, Region, box, find_feasible_policy, half_space
from reproduction.feasible.reference import play
from reproduction.feasible.simulate import FeasibleJob
from tests.support.contracts.strategies import seeds
from thresher.streams import arm_key, normal, run_key, word_at

POLICIES = (*FEASIBLE, "md-ucbe:scale=10", "md-ucbe:scale=0.1,horizon=60", "md-sar:horizon=60")
REGIONS = {
    1: [half_space([2.0], 1.0), box([0.0], [1.0])],
    2: [
        box([0.0, 0.0], [1.0, 1.0]),
        Region(np.array([[1.0, -1.0], [1.0, 1.0]]), np.array([0.0, 1.5]), unit_rows=False),
    ],
    3: [Region(np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]]), np.zeros(2)), half_space([1.0, 1.0, 1.0], 1.5)],
}


@st.composite
def feasible_problems(draw: st.DrawFn) -> FeasibleProblem:
    size, n_arms = draw(st.integers(1, 3)), draw(st.integers(2, 6))
    values = st.sampled_from([0.0, 0.1, 0.45, 0.5, 0.9, 1.0])
    means = draw(st.lists(st.lists(values, min_size=size, max_size=size), min_size=n_arms, max_size=n_arms))
    return FeasibleProblem(
        means=np.array(means),
        region=draw(st.sampled_from(REGIONS[size])),
        tolerance=draw(st.sampled_from([0.0, 0.1])),
        family=draw(st.sampled_from(["gaussian", "bernoulli"])),
        sigma=draw(st.sampled_from([0.2, 1.0])),
    )


@pytest.mark.parametrize("name", POLICIES)
@given(problem=feasible_problems(), seed=seeds, extra=st.lists(st.integers(1, 50), min_size=1, max_size=3))
def test_the_compiled_loop_pulls_as_the_readable_one(
    name: str, problem: FeasibleProblem, seed: int, extra: list[int]
) -> None:
    policy, budgets = find_feasible_policy(name), sorted({problem.n_arms + each for each in extra})
    judged = FeasibleJob(problem, policy, tuple(budgets), seed).run(3, 1)
    for b, budget in enumerate(budgets):
        played = play(policy, problem, budget=budget, seed=seed, run=3)
        assert judged.pulls[b].tolist() == played.counts.tolist()
        assert judged.pulls_squared[b].tolist() == (played.counts**2).tolist()
        assert judged.failures[0, b] == played.fails(problem)


def test_uniform_allocation_takes_the_arms_in_turn() -> None:
    problem = FeasibleProblem(means=np.zeros((3, 2)), region=box([-1.0, -1.0], [1.0, 1.0]))
    assert play(find_feasible_policy("uniform"), problem, budget=8, seed=0, run=0).order == [0, 1, 2] * 2 + [0, 1]


def test_each_coordinate_of_each_pull_has_a_place_of_its_own() -> None:
    problem = FeasibleProblem(means=np.array([(0.0, 5.0), (1.0, 1.0)]), region=half_space([1.0, 1.0], 1.0), sigma=2.0)
    played = play(find_feasible_policy("uniform"), problem, budget=4, seed=7, run=2)
    key = np.uint64(arm_key(np.uint64(run_key(7, 2)), 0))
    noise = [normal(np.uint64(word_at(key, place))) for place in range(4)]
    np.testing.assert_allclose(played.sums[0], [2.0 * (noise[0] + noise[2]), 10.0 + 2.0 * (noise[1] + noise[3])])


def test_policies_use_common_random_numbers() -> None:
    problem = FeasibleProblem(means=np.array([(0.2, 0.4), (0.6, 1.2)]), region=box([0.0, 0.0], [1.0, 1.0]))
    first = play(find_feasible_policy("uniform"), problem, budget=2, seed=3, run=1)
    other = play(find_feasible_policy("md-apt"), problem, budget=2, seed=3, run=1)
    np.testing.assert_array_equal(first.sums, other.sums)


def test_on_one_coordinate_md_apt_is_apt() -> None:
    # With the bar from above, {x <= 0}: √n (|mean| + ε), worked out anew from the outcomes.
    problem = FeasibleProblem(means=np.array([(0.3,), (-0.2,), (1.0,)]), region=half_space([1.0], 0.0), tolerance=0.1)
    played = play(find_feasible_policy("md-apt"), problem, budget=60, seed=5, run=0)
    keys = [np.uint64(arm_key(np.uint64(run_key(5, 0)), k)) for k in range(3)]
    counts, sums = [0] * 3, [0.0] * 3
    for pull, k in enumerate(played.order):
        indices = [math.sqrt(counts[i]) * (abs(sums[i] / counts[i]) + 0.1) if counts[i] else -1.0 for i in range(3)]
        assert k == int(np.argmin(indices)), pull
        sums[k] += problem.means[k, 0] + normal(np.uint64(word_at(keys[k], counts[k])))
        counts[k] += 1


@pytest.mark.parametrize("name", FEASIBLE)
def test_a_row_does_not_change_with_other_budgets(name: str) -> None:
    problem = FeasibleProblem(means=np.array([(0.2, 0.4), (0.6, 1.2), (0.9, 0.9)]), region=box([0.0] * 2, [1.0] * 2))
    policy = find_feasible_policy(name)
    several, alone = (FeasibleJob(problem, policy, budgets, 5).run(0, 20) for budgets in ((10, 30, 60), (30,)))
    np.testing.assert_array_equal(several.failures[:, 1], alone.failures[:, 0])
    np.testing.assert_array_equal(several.pulls[1], alone.pulls[0])
