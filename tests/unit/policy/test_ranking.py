import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference.evidence import evidence_in_flight, squared_evidence
from thresher.policy import ArmRule, arm_index, find_index_policy, index_in_flight, rule_of, verdict_of
from thresher.problem import Problem


def rule(policy: str, problem: Problem, arm: int = 0) -> ArmRule:
    """Return how a policy ranks and judges an arm of a problem."""
    return rule_of(find_index_policy(policy).rank(problem), arm)


BAR_AT_HALF = Problem.gaussian([1.0], thresholds=0.5)


def test_the_rule_of_an_arm_is_its_place_in_the_ranking() -> None:
    problem = Problem.gaussian([1.0, 2.0], thresholds=[0.1, 0.2], sigma=[1.0, 2.0], costs=[3.0, 4.0])
    one = rule("lsa:alpha=2", problem, 1)
    assert (one.threshold, one.precision, one.cost, one.parameter) == (0.2, 0.125, 4.0, 2.0)


# In flight


@given(st.integers(1, 100), st.floats(-50.0, 50.0), st.integers(1, 100))
def test_outstanding_pulls_count_with_the_evidence_that_they_will_bring(n: int, total: float, outstanding: int) -> None:
    told = squared_evidence(float(n), total, 0.5, 0.5)
    expected = evidence_in_flight(told, float(n), float(outstanding)) + math.log(n + outstanding)
    found = index_in_flight(rule("lsa", BAR_AT_HALF), float(n), total, 0.0, float(outstanding))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(st.integers(1, 100), st.floats(-50.0, 50.0))
def test_without_outstanding_pulls_it_is_the_index(n: int, total: float) -> None:
    for name in ("lsa", "stopping", "fwt-sqrt"):
        one = rule(name, BAR_AT_HALF)
        assert index_in_flight(one, float(n), total, 0.0, 0.0) == arm_index(one, float(n), total, 0.0)


def test_arms_never_asked_come_first_then_arms_never_told_by_their_outstanding_pulls() -> None:
    one = rule("lsa", BAR_AT_HALF)
    order = [index_in_flight(one, 0.0, 0.0, 0.0, float(outstanding)) for outstanding in range(1000)]
    assert order[0] == -math.inf
    assert order == sorted(order)
    assert len(set(order)) == len(order)
    told = index_in_flight(one, 1.0, 0.5, 0.0, 0.0)
    assert order[-1] < told


# Verdicts


def test_above_means_strictly_above() -> None:
    one = rule("lsa", BAR_AT_HALF)
    assert verdict_of(one, 2.0, 1.0000001) == 1
    assert verdict_of(one, 2.0, 1.0) == -1
    assert verdict_of(one, 2.0, 0.9) == -1


def test_an_arm_without_a_sample_shows_nothing() -> None:
    assert verdict_of(rule("lsa", BAR_AT_HALF), 0.0, 0.0) == 0


def test_a_toy_arm_that_has_shown_only_zeros_shows_nothing() -> None:
    one = rule("apt", Problem.two_point([0.5]))
    assert verdict_of(one, 5.0, 0.0) == 0
    assert verdict_of(one, 5.0, 1.0) == 1
    assert verdict_of(one, 5.0, -1.0) == -1


@given(st.integers(1, 40), st.data(), st.sampled_from([0.1, 0.2, 0.3, 0.7]))
def test_the_pseudo_sample_at_the_bar_changes_no_verdict(n: int, data: st.DataObject, threshold: float) -> None:
    ones = data.draw(st.integers(0, n))
    problem = Problem.bernoulli([0.5], thresholds=threshold)
    kl, squared = rule("stopping", problem), rule("lsa", problem)
    assert verdict_of(kl, float(n), float(ones)) == verdict_of(squared, float(n), float(ones))


def test_a_prior_enters_the_verdict() -> None:
    # 16 samples at -0.2 and two with sum 3: (3 - 3.2) / 18 < 0
    problem = Problem.gaussian([1.0], sigma=2.0)
    assert verdict_of(rule("lsa", problem), 2.0, 3.0) == 1
    assert verdict_of(rule("lsa:prior_mean=-0.2,prior_sd=0.5", problem), 2.0, 3.0) == -1
