import math

import numpy as np
import pytest
from scipy.stats import norm

from reproduction.feasible import FeasiblePolicy, FeasibleProblem, box, half_space, simulate_feasible
from reproduction.feasible.policy import MD_APT, UNIFORM
from thresher.errors import InvalidInputError, UnknownNameError

PROBLEM = FeasibleProblem(means=np.array([(0.6, 0.7), (1.2, 0.5), (0.5, 1.6)]), region=box([0.0] * 2, [1.0] * 2))


def test_rows_have_shares_and_pulls_with_their_standard_errors() -> None:
    result = simulate_feasible(PROBLEM, ["md-apt", "uniform"], budgets=[30, 12], runs=50, say=lambda _: None)
    rows = result.rows()
    assert [(row.policy, row.budget) for row in rows] == [
        ("md-apt", 12), ("md-apt", 30), ("uniform", 12), ("uniform", 30),
    ]  # fmt: skip
    share = result.failures("md-apt")[:, 1].mean()
    assert rows[1].failure == share
    assert rows[1].failure_stderr == pytest.approx(math.sqrt(share * (1 - share) / 50))
    assert sum(rows[1].pulls) == pytest.approx(30)
    assert rows[3].pulls == (10.0, 10.0, 10.0)
    assert rows[3].pulls_stderr == (0.0, 0.0, 0.0)
    assert len(result.to_frame()) == 4


def test_a_standard_error_of_pulls_by_hand() -> None:
    result = simulate_feasible(PROBLEM, "md-apt", budgets=[30], runs=2, seed=4)
    singles = [simulate_feasible(PROBLEM, "md-apt", budgets=[30], runs=1, seed=4).pulls("md-apt")[0]]
    singles.append(2 * result.pulls("md-apt")[0] - singles[0])
    np.testing.assert_allclose(result.pulls_stderr("md-apt")[0], np.abs(singles[0] - singles[1]) / 2)


def test_the_number_of_workers_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reproduction.feasible.simulate.PULLS_PER_CHUNK", 200)
    one, two = (simulate_feasible(PROBLEM, "md-sar", budgets=[40], runs=17, workers=n) for n in (1, 2))
    np.testing.assert_array_equal(one.failures("md-sar"), two.failures("md-sar"))
    np.testing.assert_array_equal(one.pulls("md-sar"), two.pulls("md-sar"))


def test_the_chance_of_failure_is_the_exact_one_under_uniform_allocation() -> None:
    # Two coordinates and two arms, four pulls each: sd 1/2. Inside by (1, 2) and outside by 1 in one coordinate.
    region = half_space([1.0, 0.0], 0.0)
    problem = FeasibleProblem(means=np.array([(-0.5, 3.0), (0.25, 0.0)]), region=region)
    right = norm.cdf(1.0) * norm.cdf(0.5)
    runs = 20_000
    found = simulate_feasible(problem, "uniform", budgets=[8], runs=runs, seed=11).rows()[0].failure
    # Four standard errors: a false alarm has probability 6e-5, were the seed not fixed.
    assert abs(found - (1 - right)) < 4 * math.sqrt(right * (1 - right) / runs)
    # It can fail: an arm forgiven, or the noise of the other coordinate, changes far more.
    assert abs((1 - norm.cdf(1.0)) - (1 - right)) > 8 * math.sqrt(right * (1 - right) / runs)


def test_forgiven_arms_do_not_fail() -> None:
    problem = FeasibleProblem(means=np.array([(0.0,), (0.05,)]), region=half_space([1.0], 0.02), tolerance=0.1)
    assert simulate_feasible(problem, "uniform", budgets=[2], runs=100).rows()[0].failure == 0.0


def test_0_1_outcomes_are_0_or_1() -> None:
    # One pull of each arm: the mean is a corner of the unit square; (0, 0) alone is inside.
    problem = FeasibleProblem(
        means=np.array([(0.0, 0.0), (0.4, 0.0)]), region=half_space([1.0, 1.0], 0.35), family="bernoulli"
    )
    found = simulate_feasible(problem, "uniform", budgets=[2], runs=10_000, seed=2).rows()[0].failure
    # Failure: the second arm gives 0, chance 0.6. Four standard errors: 6e-5.
    assert abs(found - 0.6) < 4 * math.sqrt(0.24 / 10_000)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"budgets": []}, InvalidInputError, "at least one budget"),
        ({"budgets": [10.5]}, InvalidInputError, "whole pulls"),
        ({"budgets": [2]}, InvalidInputError, "at least 3"),
        ({"runs": 0}, InvalidInputError, "at least 1"),
        ({"runs": 1.5}, InvalidInputError, "whole number"),
        ({"seed": -1}, InvalidInputError, "2\\^63"),
        ({"policies": []}, InvalidInputError, "policy is missing"),
        ({"policies": "md-abt"}, UnknownNameError, "md-apt"),
        ({"problem": "linear"}, UnknownNameError, "katz-samuels"),
    ],
)
def test_bad_input_is_a_sentence(change: dict[str, object], error: type[Exception], said: str) -> None:
    asked = {"problem": PROBLEM, "policies": "md-apt", "budgets": [10], "runs": 1} | change
    with pytest.raises(error, match=said):
        simulate_feasible(**asked)  # type: ignore[arg-type]


def test_two_policies_of_one_name_are_refused() -> None:
    twice = [FeasiblePolicy("mine", MD_APT, "ours"), FeasiblePolicy("mine", UNIFORM, "ours")]
    with pytest.raises(InvalidInputError, match="name of two policies"):
        simulate_feasible(PROBLEM, twice, budgets=[10], runs=1)


def test_a_result_knows_its_policies() -> None:
    with pytest.raises(UnknownNameError, match="md-sar"):
        simulate_feasible(PROBLEM, "md-apt", budgets=[10], runs=1).pulls("md-sar")
