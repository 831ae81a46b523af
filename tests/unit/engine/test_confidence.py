import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.engine import arms_of
from thresher.engine.confidence import ANY_FALSE, ANY_MISTAKE, FALSE_SHARE, Ending, error_of, run_until_sure
from thresher.engine.confidence_reference import play
from thresher.policy import find_policy
from thresher.policy.fixed_confidence import CONFIDENCE, ConfidencePolicy
from thresher.policy.fixed_confidence.trial import ROW
from thresher.problem import Population, Problem

NAMES = [*CONFIDENCE, "lil-hdoc:epsilon=0.2,first=3", "jj-fdr:find=all", "jj-fwer:find=all", "sticky-tas:log_c=5"]


def policy_of(name: str) -> ConfidencePolicy:
    found = find_policy(name)
    assert isinstance(found, ConfidencePolicy)
    return found


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    size = draw(st.integers(1, 6))
    kind = draw(st.sampled_from(["gaussian", "bernoulli", "bounded", "population", "pool"]))
    if kind == "bernoulli":
        means = draw(st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), min_size=size, max_size=size))
        return Problem.bernoulli(means, draw(st.sampled_from([0.3, 0.5])))
    if kind == "bounded":
        means = draw(st.lists(st.sampled_from([-0.5, 0.2, 1.5]), min_size=size, max_size=size))
        return Problem.bounded(means, 0.2, low=-1.0, high=2.0)
    if kind == "population":
        return Problem.gaussian(np.zeros(size), population=Population("gaussian", 0.1, 1.0))
    if kind == "pool":
        samples = st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=9)
        return Problem.replay({f"{k}": draw(samples) for k in range(size)}, 0.5, replacement=True)
    numbers = st.lists(st.sampled_from([-2.0, -0.7, 0.0, 0.5, 0.5, 1.5]), min_size=size, max_size=size)
    bars = st.one_of(st.just(0.0), st.lists(st.sampled_from([-0.3, 0.0, 0.4]), min_size=size, max_size=size))
    sigma = st.one_of(st.just(1.0), st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=size, max_size=size))
    return Problem.gaussian(draw(numbers), draw(bars), draw(sigma))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25)
@given(problem=problems(), seed=st.integers(0, 2**40), confidence=st.sampled_from([0.2, 0.05, 1e-3]))
def test_the_compiled_loop_stops_as_the_readable_one(name: str, problem: Problem, seed: int, confidence: float) -> None:
    policy, most = policy_of(name), 300
    demand, ending = policy.demand(problem, confidence), Ending(most, policy.runs_on, ANY_MISTAKE)
    fast = run_until_sure(demand, arms_of(problem), ending, seed, 3, 1)
    slow = play(policy, problem, confidence=confidence, most=most, seed=seed, run=3)
    assert fast.pulls.tolist() == slow.counts
    assert fast.times.tolist() == [sum(slow.counts)]
    assert fast.capped.tolist() == [int(not slow.stopped)]
    assert [time for time in fast.outputs[0] if time] == slow.outputs


@pytest.mark.parametrize("name", NAMES)
def test_a_run_does_not_depend_on_the_runs_beside_it(name: str) -> None:
    policy, problem = policy_of(name), Problem.gaussian([0.6, -0.4, 0.2, -1.0])
    demand, ending = policy.demand(problem, 0.1), Ending(2_000, policy.runs_on, ANY_MISTAKE)
    several = run_until_sure(demand, arms_of(problem), ending, 5, 0, 6)
    alone = run_until_sure(demand, arms_of(problem), ending, 5, 4, 1)
    assert several.times[4] == alone.times[0]
    assert several.outputs[4].tolist() == alone.outputs[0].tolist()
    assert several.times.sum() == several.pulls.sum()


def test_no_run_goes_beyond_the_most_pulls() -> None:
    policy, problem = policy_of("hdoc"), Problem.gaussian([0.001, 1.0])
    stopped = run_until_sure(policy.demand(problem, 0.05), arms_of(problem), Ending(500, False, 0), 0, 0, 5)
    assert stopped.times.tolist() == [500] * 5
    assert stopped.capped.tolist() == [1] * 5
    assert (stopped.outputs[:, 0] > 0).all()  # the easy arm is out, the hard one is open
    assert (stopped.outputs[:, 1] == 0).all()


def test_a_rule_without_a_stop_ends_with_the_last_arm_above_the_bar() -> None:
    policy, problem = policy_of("jj-fdr"), Problem.gaussian([1.0, 0.8, -1.0])
    stopped = run_until_sure(policy.demand(problem, 0.05), arms_of(problem), Ending(5_000, True, 1), 0, 0, 20)
    np.testing.assert_array_equal(stopped.outputs.max(axis=1), stopped.times)
    assert (stopped.outputs[:, 1] > 0).all()
    assert not stopped.capped.any()
    # Without an arm above there is nothing to wait for but the most pulls.
    nothing = Problem.gaussian([-0.5, -1.0])
    ended = run_until_sure(policy.demand(nothing, 0.05), arms_of(nothing), Ending(700, True, 1), 0, 0, 3)
    assert ended.times.tolist() == [700] * 3


def rows_of(verdicts: list[int], means: list[float]) -> np.ndarray:
    rows = np.zeros(len(means), ROW)
    rows["verdict"], rows["mean"], rows["threshold"] = verdicts, means, 0.5
    return rows


def test_errors_by_hand() -> None:
    # Output: one above, one on the bar, one below; given up: one above.
    rows = rows_of([1, 1, 1, -1, 0], [0.9, 0.5, 0.1, 0.8, 0.2])
    assert error_of(ANY_MISTAKE, rows) == 1.0
    assert error_of(FALSE_SHARE, rows) == pytest.approx(2.0 / 3.0)
    assert error_of(ANY_FALSE, rows) == 1.0
    # A mean on the bar may be output or given up, except where it is the hypothesis that is tested.
    on_the_bar = rows_of([1, -1], [0.5, 0.5])
    assert error_of(ANY_MISTAKE, on_the_bar) == 0.0
    assert error_of(ANY_FALSE, on_the_bar) == 1.0
    assert error_of(FALSE_SHARE, rows_of([0, -1], [0.9, 0.1])) == 0.0
    assert error_of(ANY_MISTAKE, rows_of([0, -1], [0.9, 0.9])) == 1.0
