import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem import SMALLEST_COST, Population, Problem
from thresher.problem.families import FAMILIES

finite = st.floats(-1e6, 1e6)
positive = st.floats(1e-3, 1e3)


@st.composite
def gaussian_problems(draw: st.DrawFn) -> Problem:
    """Problems with every array given arm by arm."""
    size = draw(st.integers(1, 6))
    arrays = {
        "means": finite,
        "thresholds": finite,
        "sigma": positive,
        "costs": positive,
        "pull_costs": positive,
    }
    drawn: Any = {key: draw(st.lists(each, min_size=size, max_size=size)) for key, each in arrays.items()}
    return Problem.gaussian(**drawn)


# Constructors


def test_a_scalar_stands_for_all_arms() -> None:
    problem = Problem.gaussian([1.0, -2.0, 3.0], thresholds=0.5, sigma=2.0, costs=3.0, pull_costs=4.0)
    assert problem.n_arms == 3
    assert problem.thresholds.tolist() == [0.5, 0.5, 0.5]
    assert problem.sigma.tolist() == [2.0, 2.0, 2.0]
    assert problem.costs.tolist() == [3.0, 3.0, 3.0]
    assert problem.pull_costs.tolist() == [4.0, 4.0, 4.0]


def test_what_is_left_out_is_one_and_the_bar_is_zero() -> None:
    problem = Problem.gaussian([1.0, -2.0])
    assert problem.thresholds.tolist() == [0.0, 0.0]
    for array in (problem.sigma, problem.costs, problem.pull_costs):
        assert array.tolist() == [1.0, 1.0]
    assert problem.arms == ("1", "2")
    assert problem.name == "problem"


def test_each_constructor_gives_its_family_and_its_noise() -> None:
    made = [
        (Problem.gaussian([0.2], sigma=3.0), "gaussian", 3.0, 0.0),
        (Problem.gaussian_unknown_variance([0.2], sigma=3.0), "gaussian-unknown-variance", 3.0, 0.0),
        (Problem.bernoulli([0.2]), "bernoulli", 0.5, 0.5),
        (Problem.bounded([2.0], 3.0, low=1.0, high=5.0), "bounded", 2.0, 3.0),
        (Problem.bounded([0.2]), "bounded", 0.5, 0.5),
        (Problem.two_point([-0.5]), "two-point", 0.5, 0.0),
    ]
    for problem, family, sigma, threshold in made:
        assert problem.family == family
        assert problem.kind is FAMILIES[family]
        assert problem.sigma.tolist() == [sigma]
        assert problem.thresholds.tolist() == [threshold]


def test_a_two_point_arm_with_mean_zero_keeps_a_positive_sigma() -> None:
    assert Problem.two_point([0.0]).sigma[0] > 0


def test_gaps_are_distances_in_units_of_noise() -> None:
    # |1 - 0| / sqrt(2 * 4) and |-3 - 1| / sqrt(2)
    problem = Problem.gaussian([1.0, -3.0], thresholds=[0.0, 1.0], sigma=[2.0, 1.0])
    assert problem.gaps == pytest.approx([1 / np.sqrt(8), 4 / np.sqrt(2)])


def test_an_arm_is_above_only_if_its_mean_is_greater() -> None:
    problem = Problem.gaussian([0.1, 0.0, -0.1])
    assert problem.is_above.tolist() == [True, False, False]


def test_money_is_counted_in_millionths() -> None:
    problem = Problem.gaussian([1.0, 1.0], pull_costs=[0.1, 2.000001])
    assert problem.ticks.tolist() == [100_000, 2_000_001]
    assert problem.ticks.dtype == np.int64
    assert problem.least_budget == pytest.approx(2.100001)


def test_an_unknown_variance_takes_three_pulls_of_every_arm_first() -> None:
    assert Problem.gaussian_unknown_variance([0.0, 1.0], pull_costs=2.0).least_budget == 12.0


def test_the_arrays_of_a_problem_cannot_be_changed() -> None:
    problem = Problem.gaussian([1.0, 2.0])
    for array in (problem.means, problem.thresholds, problem.sigma, problem.costs, problem.pull_costs):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7.0


def test_a_problem_does_not_change_with_the_array_it_was_made_from() -> None:
    means = np.array([1.0, 2.0])
    problem = Problem.gaussian(means)
    means[0] = 9.0
    assert problem.means[0] == 1.0


def test_the_summary_has_name_family_and_arms() -> None:
    assert Problem.named("toy:K=4").summary() == {"name": "toy:K=4", "family": "two-point", "arms": 4}


# Notes


def test_a_mean_on_its_bar_is_allowed_and_noted() -> None:
    problem = Problem.gaussian([0.5, 0.2, 0.5], thresholds=0.5, arms=("x", "y", "z"))
    (note,) = problem.notes
    assert note == "2 arm(s) sit exactly on the bar (x, z): their mistakes count for nothing"


def test_a_long_list_of_arms_on_the_bar_is_cut() -> None:
    (note,) = Problem.gaussian(np.zeros(9)).notes
    assert "9 arm(s)" in note
    assert "(1, 2, 3, 4, 5, …)" in note


def test_there_is_no_note_without_such_an_arm_or_with_a_population() -> None:
    assert Problem.gaussian([0.1, -0.1]).notes == []
    assert Problem.named("gaussian-population:K=3").notes == []


# Checks


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"means": []}, "shape of means is (0,); must be one number for each arm, and at least one"),
        ({"means": 0.5}, "shape of means is (); must be"),
        ({"means": [[1.0, 2.0]]}, "shape of means is (1, 2); must be"),
        ({"means": ["a", "b"]}, "means[0] is 'a'; must be a number"),
        ({"means": [0.5, "1"]}, "means[1] is '1'; must be a number"),
        ({"means": [0.5, True]}, "means[1] is True; must be a number"),
        ({"means": np.array(["1", "2"])}, "means[0] is '1'; must be a number"),
        ({"costs": np.array([False, True])}, "costs[0] is False; must be a number"),
        ({"sigma": "2"}, "sigma is '2'; must be a number"),
        ({"means": [1.0, 10**400]}, "; must hold numbers only"),
        ({"means": [1.0, [2.0]]}, "means is [1.0, [2.0]]; must hold numbers only"),
        ({"means": [1.0, float("nan")]}, "means[1] is nan; must be a finite number"),
        ({"thresholds": float("inf")}, "thresholds is inf; must be a finite number"),
        (
            {"thresholds": [0.0, 0.0, 0.0]},
            "shape of thresholds is (3,); must be one number, or one for each of the 2 arms",
        ),
        ({"sigma": [1.0]}, "shape of sigma is (1,)"),
        ({"sigma": 0.0}, "sigma of arm '1' is 0; must be positive"),
        ({"sigma": [1.0, -2.0]}, "sigma of arm '2' is -2"),
        ({"costs": [0.0, 1.0]}, "cost of arm '1' is 0; must be positive"),
        ({"costs": -1.0}, "cost of arm '1' is -1"),
        ({"pull_costs": 0.0}, "pull_cost of arm '1' is 0"),
        ({"pull_costs": 1e-7}, "smallest pull cost is 1e-07; must be at least 1e-06; use a smaller unit of money"),
        (
            {"pull_costs": 6e11},
            "sum of the pull costs is 1.2e+12; must be at most 1,000,000,000,000; use a larger unit of money",
        ),
        ({"arms": ("x", "x")}, "name of two arms is 'x'; must be unique"),
        ({"arms": ("x",)}, "number of names is 1; must be the number of arms, 2"),
    ],
)
def test_what_no_problem_can_hold_is_refused_with_one_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Problem.gaussian(**({"means": [0.5, -0.5]} | wrong))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"means": [1.2]}, "mean of arm '1' is 1.2; must be between 0 and 1 (inclusive)"),
        ({"means": [0.5], "thresholds": 1.0}, "threshold of arm '1' is 1; must be between 0 and 1 (exclusive)"),
    ],
)
def test_bernoulli_refuses_what_is_no_probability(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Problem.bernoulli(**wrong)
    assert sentence in str(caught.value)


def test_sigma_is_refused_where_it_follows_from_the_family() -> None:
    with pytest.raises(InvalidInputError, match="sigma is 1; must be left out for the family 'bernoulli'"):
        Problem.of("bernoulli", means=[0.5], thresholds=0.5, sigma=1.0)


@pytest.mark.parametrize(
    ("make", "wrong", "sentence"),
    [
        (Problem.gaussian, "tresholds", "unknown keyword 'tresholds' of gaussian; did you mean 'thresholds'"),
        (Problem.bernoulli, "cost", "unknown keyword 'cost' of bernoulli; did you mean 'costs'"),
        (Problem.bounded, "lo", "unknown keyword 'lo' of bounded; did you mean 'low'?"),
        (Problem.bounded, "hi", "unknown keyword 'hi' of bounded; did you mean 'high'?"),
    ],
)
def test_an_unknown_keyword_is_named_with_the_nearest_that_there_is(make: Any, wrong: str, sentence: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        make([0.1], **{wrong: 0})
    assert sentence in str(caught.value)


def test_costs_follow_sigma() -> None:
    assert Problem.gaussian([0.1, 0.2], 0, 1, [1, 2]).costs.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "make", [Problem.gaussian, Problem.gaussian_unknown_variance, Problem.bernoulli, Problem.bounded]
)
def test_a_constructor_shows_its_keywords(make: Any) -> None:
    shown = inspect.signature(make).parameters
    assert {"means", "thresholds", "costs", "pull_costs", "arms", "population"} <= set(shown)
    assert not any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in shown.values())


@pytest.mark.parametrize("wrong", [5, None, ["linear"]])
def test_a_name_that_is_no_text_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"name of the problem is .*; must be a text such as 'linear:K=200'"):
        Problem.named(wrong)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"low": 1.0, "high": 1.0}, "low must be below high"),
        ({"low": 0.0, "high": float("nan")}, "high is nan; must be a finite number"),
        ({"concentration": 0.0}, "concentration is 0; must be positive"),
        ({"concentration": float("inf")}, "concentration is inf; must be a finite number"),
        ({"concentration": "much"}, "concentration is 'much'; must be a finite number"),
        ({"means": [0.0]}, "must be between 0 and 1 (exclusive)"),
        ({"thresholds": 1.0}, "must be between 0 and 1 (exclusive)"),
    ],
)
def test_bounded_refuses_a_range_that_is_none_and_means_on_its_ends(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Problem.bounded(**({"means": [0.5]} | wrong))
    assert sentence in str(caught.value)


def test_two_point_refuses_another_bar_than_zero() -> None:
    with pytest.raises(InvalidInputError, match="must be 0 in a two-point problem"):
        Problem.of("two-point", means=[0.5], thresholds=0.1)


def test_an_unknown_family_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'bernoulli'"):
        Problem.of("bernouli", means=[0.5])


# Replay


def test_a_replay_knows_its_truth_its_family_and_its_noise() -> None:
    problem = Problem.replay({"x": [0, 1, 1, 1], "y": [0, 0]}, thresholds=0.5)
    assert problem.family == "bernoulli"
    assert problem.means.tolist() == [0.75, 0.0]
    assert problem.arms == ("x", "y")
    assert problem.pool is not None
    assert not problem.pool.replacement

    measured = Problem.replay({"x": [1.0, 3.0], "y": [5.0]}, thresholds=2.0, replacement=True)
    assert measured.family == "gaussian"
    # The deviation of (1, 3) with 1/n is 1; one sample has none.
    assert measured.sigma.tolist() == [1.0, 1e-9]
    assert measured.pool is not None
    assert measured.pool.replacement

    spread = Problem.replay({"x": [1.0, 3.0], "y": [5.0]}, thresholds=2.0, family="bounded")
    assert (spread.low, spread.high) == (1.0, 5.0)
    assert spread.sigma.tolist() == [2.0, 2.0]


def test_a_replay_refuses_samples_that_its_family_cannot_give() -> None:
    with pytest.raises(InvalidInputError, match=r"arm 'y'.*0.5 is neither 0 nor 1"):
        Problem.replay({"x": [0, 1], "y": [1, 0.5]}, thresholds=0.5, family="bernoulli")
    with pytest.raises(InvalidInputError, match=r"arm 'x'.*3 is outside \[0, 2\]"):
        Problem.replay({"x": [1.0, 3.0]}, thresholds=1.5, family="bounded", low=0.0, high=2.0)


# Identity


@given(gaussian_problems(), st.sampled_from(["means", "thresholds", "sigma", "costs", "pull_costs"]))
def test_the_fingerprint_tells_problems_apart_and_not_their_names(problem: Problem, key: str) -> None:
    fields: dict[str, Any] = {
        name: getattr(problem, name) for name in ("means", "thresholds", "sigma", "costs", "pull_costs")
    }
    assert Problem.gaussian(**fields, name="another").fingerprint() == problem.fingerprint()
    changed = fields[key].copy()
    changed[0] += 1.0
    assert Problem.gaussian(**(fields | {key: changed})).fingerprint() != problem.fingerprint()


def test_the_fingerprint_covers_family_population_and_pool() -> None:
    samples = {"x": [0.0, 1.0], "y": [1.0, 1.0]}
    different = [
        Problem.gaussian([0.5, 1.0]),
        Problem.gaussian_unknown_variance([0.5, 1.0]),
        Problem.gaussian([0.5, 1.0], population=Population("gaussian", 0.0, 1.0)),
        Problem.gaussian([0.5, 1.0], population=Population("gaussian", 0.0, 2.0)),
        Problem.gaussian([0.5, 1.0], population=Population("table", values=(0.1, 0.2))),
        Problem.gaussian([0.5, 1.0], population=Population("table", values=(0.1, 0.3))),
        Problem.replay(samples, 0.5),
        Problem.replay(samples, 0.5, replacement=True),
        Problem.replay({"x": [1.0, 0.0], "y": [1.0, 1.0]}, 0.5),
    ]
    assert len({problem.fingerprint() for problem in different}) == len(different)


# Files of results hold these: problems must keep them from version to version.
RECORDED = [
    (Problem.named("linear"), "9b8391fa421ac7d4b701d458ca2ddc9f09df38cd69f1203f6f27872c63890d49"),
    (Problem.named("toy"), "c9a447dac806ce06a330c8dd4fd0b46a6407ca5414d5678576fc607e7cd77fc8"),
    (Problem.named("beta-population"), "b4801431f2f020b9c30436e7395570c17826b8eaa9aa7eee132fd9dc17f13981"),
    (
        Problem.bounded([2.0], 3.0, low=1, high=5, concentration=7),
        "4267cc23af103266122806ec73d5193acf7a87dd5a85e71d8ea3c4e4dfe39aa9",
    ),
    (
        Problem.bernoulli([0.5, 1.0], population=Population("table", values=(0.1, 0.3))),
        "76037d72e29f830a50cefd9ae8430fee1ca6dab22bb8f4683f2d147b44bf7edc",
    ),
    (
        Problem.replay({"x": [0, 1, 1, 1], "y": [0, 0]}, thresholds=0.5),
        "90b79e1dc5e29e3e1a0b4f0a9bc9cdfb29047ad586bde892b8b037c2bc610a76",
    ),
]


@pytest.mark.parametrize(("problem", "fingerprint"), RECORDED)
def test_the_fingerprint_is_the_one_in_files_of_results(problem: Problem, fingerprint: str) -> None:
    assert problem.fingerprint() == fingerprint


def test_the_digests_are_those_in_files_of_results() -> None:
    samples = {"x": [1.0, 3.0], "y": [5.0]}
    assert Problem.replay(samples, 2.0, family="bounded", costs=[1, 2], pull_costs=0.5).digests() == {
        "family": "bounded",
        "means": "c974e01160b670070d01313dbe502bb7",
        "thresholds": "f266388db081c55439a481be47a06e8d",
        "sigma": "f266388db081c55439a481be47a06e8d",
        "costs": "dc91ce9a50ddc828740aa26743716897",
        "pull_costs": "606e5166986dd9f186277d16e3d18bae",
        "range": "ae995513315a10d217131ad66ff615ff",
        "population": "dc937b59892604f5a86ac96936cd7ff0",
        "samples": "7f63c1971c21ca2719e30b280be6c649",
    }


@given(gaussian_problems())
def test_a_problem_that_travelled_is_the_same_and_still_cannot_be_changed(problem: Problem) -> None:
    for protocol in (4, 5):
        back = pickle.loads(pickle.dumps(problem, protocol=protocol))
        assert back.fingerprint() == problem.fingerprint()
        assert (back.name, back.arms) == (problem.name, problem.arms)
        # To compiled code a frozen array is of a type of its own: with another one the kernels would be compiled anew.
        arrays = (back.means, back.thresholds, back.sigma, back.costs, back.pull_costs)
        assert not any(array.flags.writeable for array in arrays)


def test_a_family_that_travelled_is_still_itself() -> None:
    back = pickle.loads(pickle.dumps(Problem.bernoulli([0.5])))
    assert back.kind is FAMILIES["bernoulli"]
    assert back.kind.misfit(0.5, low=0.0, high=1.0) == "0.5 is neither 0 nor 1"


@given(gaussian_problems())
def test_ticks_are_costs_to_half_a_millionth(problem: Problem) -> None:
    assert (np.abs(problem.ticks * SMALLEST_COST - problem.pull_costs) <= 0.51 * SMALLEST_COST).all()
