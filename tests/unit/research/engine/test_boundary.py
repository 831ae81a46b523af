"""Boundary tables: inside an interval the index is below the level for certain, and close to it at the ends."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.jit import kernel
from thresher.policy import IndexPolicy, Ranking, arm_index, find_policy, per_arm, rule_of
from thresher.problem import Problem
from thresher.research.engine import Arms, arms_of
from thresher.research.engine.boundary import END, ENTRIES, MOST_GROUPS, cell_of, interval_of, range_of
from thresher.research.engine.table import new_table
from thresher.types import Floats, Ints

BARS = [0.0, 0.3, -7.0, 1e6, -1e10, 1e13]
GAUSSIAN = [
    "apt",
    "apt:epsilon=0.1",
    "lsa",
    "lsa:alpha=1.35",
    "fwt",
    "fwt-sqrt",
    "fwt-gaps",
    "stopping",
    "stopping-gaps",
]
BERNOULLI = ["lsa:evidence=kl", "kl-apt", "stopping", "stopping:evidence=squared", "stopping:prior_a=2,prior_b=1"]


@kernel
def interval(
    ranking: Ranking, level: float, least: float, most: float, more: float, farthest_bar: float
) -> tuple[float, float]:
    """Return middle and reach of arm 0 from ``least + more`` pulls on, in the cell of `least` to `most` pulls."""
    return interval_of(cell_of(rule_of(ranking, 0), level, least, most, farthest_bar), more)


@kernel
def groups_of(ranking: Ranking, arms: Arms) -> Ints:
    """Return the group of every arm."""
    return new_table(ranking, arms).rows["group"].copy()


@kernel
def entries_of(counts: Ints) -> Ints:
    """Return the entry of every number of pulls."""
    found = np.empty(counts.size, np.int64)
    for i in range(counts.size):
        entries = range_of(counts[i])
        found[i] = entries.begin + (counts[i] >> entries.shift)
    return found


def ranking_of(policy: str, problem: Problem) -> Ranking:
    found = find_policy(policy)
    assert isinstance(found, IndexPolicy)
    return found.rank(problem)


def totals_inside(middle: float, reach: float, count: int, bar: float) -> Floats:
    """Return sums of outcomes that lie strictly inside an interval about the bar, as near to its ends as can be."""
    totals = []
    for end in (middle - reach, middle + reach):
        total = end + count * bar
        for _ in range(8):
            if abs(total - count * bar - middle) < reach:
                totals.append(total)
            total = math.nextafter(total, middle + count * bar)
    return np.array(totals)


def test_a_worked_case() -> None:
    # S² / (2 n) + log n = 3 after 4 pulls
    ranking = ranking_of("lsa", Problem.gaussian([0.5]))
    boundary = math.sqrt(8.0 * (3.0 - math.log(4.0)))
    middle, reach = interval(ranking, 3.0, 4.0, 4.0, 0.0, 0.0)
    assert middle == 0.0
    assert 0.997 * boundary < reach < boundary


def test_a_prior_moves_the_interval_and_a_divergence_bends_it() -> None:
    middle, _ = interval(
        ranking_of("stopping:prior_mean=0.5,prior_sd=0.5", Problem.gaussian([0.5])), 4.0, 9.0, 9.0, 0.0, 0.0
    )
    assert middle == pytest.approx(-2.0)  # four samples of value 0.5 were seen before
    middle, reach = interval(ranking_of("lsa:evidence=kl", Problem.bernoulli([0.5], 0.9)), 4.0, 30.0, 30.0, 0.0, 0.9)
    assert 1.1 * (middle + reach) < reach - middle


@given(
    policy=st.sampled_from(GAUSSIAN),
    bar=st.sampled_from(BARS),
    sigma=st.sampled_from([0.05, 1.0, 30.0]),
    cost=st.sampled_from([1e-3, 1.0, 50.0]),
    first=st.integers(1, 5000),
    size=st.sampled_from([1, 2, 16, 64]),
    level=st.floats(-4.0, 30.0),
)
def test_inside_the_formula_gives_less_than_the_level(
    policy: str, bar: float, sigma: float, cost: float, first: int, size: int, level: float
) -> None:
    ranking = ranking_of(policy, Problem.gaussian([bar + 1.0], bar, sigma, costs=[cost]))
    assert_below_inside(ranking, bar, first, size, level)


@given(
    policy=st.sampled_from(BERNOULLI),
    bar=st.sampled_from([1e-6, 0.1, 0.5, 0.9, 0.999]),
    first=st.integers(1, 5000),
    size=st.sampled_from([1, 2, 16, 64]),
    level=st.floats(-4.0, 30.0),
)
def test_inside_the_formula_gives_less_than_the_level_for_outcomes_0_and_1(
    policy: str, bar: float, first: int, size: int, level: float
) -> None:
    assert_below_inside(ranking_of(policy, Problem.bernoulli([0.5], bar)), bar, first, size, level)


def assert_below_inside(ranking: Ranking, bar: float, first: int, size: int, level: float) -> None:
    rule = rule_of(ranking, 0)
    for more in sorted({0, size // 2, size - 1}):
        middle, reach = interval(ranking, level, float(first), float(first + size - 1), float(more), abs(bar))
        for count in range(first + more, first + size):  # an entry may serve for all pulls from its first on
            for total in totals_inside(middle, reach, count, bar):
                assert arm_index(rule, float(count), total, 0.0) < level


@pytest.mark.parametrize("policy", ["apt", "lsa", "stopping"])
def test_it_does_where_the_mean_has_lost_most_of_its_digits(policy: str) -> None:
    # Means are whole multiples of 0.002 here, a twentieth of σ: the formula sees another sum than the running one.
    ranking = ranking_of(policy, Problem.gaussian([1e13 + 1.0], 1e13, 0.05))
    for count in range(2, 200):
        for level in (1.0, 2.0, 4.0, 8.0):
            assert_below_inside(ranking, 1e13, count, 1, level)


@pytest.mark.parametrize("policy", GAUSSIAN)
def test_just_outside_the_formula_gives_the_level(policy: str) -> None:
    ranking = ranking_of(policy, Problem.gaussian([0.5]))
    rule = rule_of(ranking, 0)
    for count in (3, 40, 500):
        level = arm_index(rule, float(count), 2.5 * math.sqrt(count), 0.0)
        middle, reach = interval(ranking, level, float(count), float(count), 0.0, 0.0)
        assert middle == 0.0
        assert arm_index(rule, float(count), 1.01 * reach, 0.0) >= level


def test_an_index_within_rounding_of_the_level_is_left_to_the_formula() -> None:
    ranking = ranking_of("uniform", Problem.gaussian([0.5]))
    _, reach = interval(ranking, math.nextafter(40.0, 50.0), 40.0, 40.0, 0.0, 0.0)
    assert not reach > 0.0
    middle, reach = interval(ranking, 40.001, 40.0, 40.0, 0.0, 0.0)
    assert middle == 0.0
    assert reach > 1e5


def test_every_number_of_pulls_has_an_entry_and_the_entries_follow_each_other() -> None:
    counts = np.array([*range(5000), *(END - 2**16 + np.arange(2**16))], np.int64)
    entries = entries_of(counts)
    assert (entries[:1024] == counts[:1024]).all()
    assert set(np.diff(entries[:5000])) == {0, 1}
    assert entries[-1] == ENTRIES - 1


def test_arms_of_equal_rule_share_tables_whatever_their_bars() -> None:
    bars = Problem.gaussian([0.1, 5.0, 9.0], [0.0, 4.0, 8.0])
    assert groups_of(ranking_of("stopping", bars), arms_of(bars)).tolist() == [0, 0, 0]
    prior = ranking_of("stopping:prior_mean=0.2,prior_sd=0.7", bars)  # nearer to one bar than to another
    assert groups_of(prior, arms_of(bars)).tolist() == [0, 1, 2]
    costs = Problem.gaussian([0.1, 0.2, 0.3], costs=[1.0, 2.0, 1.0])
    assert groups_of(ranking_of("lsa", costs), arms_of(costs)).tolist() == [0, 1, 0]
    rates = Problem.bernoulli([0.1, 0.2, 0.3], [0.5, 0.6, 0.5])
    assert groups_of(ranking_of("stopping", rates), arms_of(rates)).tolist() == [0, 1, 0]
    mixed = per_arm(["lsa", "apt", "fwt"])
    assert groups_of(mixed.rank(costs), arms_of(costs)).tolist() == [0, 1, 2]


def test_arms_without_tables() -> None:
    many = Problem.gaussian([0.1] * (MOST_GROUPS + 1), costs=[1.0 + k for k in range(MOST_GROUPS + 1)])
    assert groups_of(ranking_of("lsa", many), arms_of(many)).tolist() == [-1] * (MOST_GROUPS + 1)
    unknown = Problem.gaussian_unknown_variance([0.1, 0.2])
    assert groups_of(ranking_of("lsa", unknown), arms_of(unknown)).tolist() == [-1, -1]
    slow = Problem.bounded([0.1, 0.2], 0.5, low=0.0, high=1.0)
    assert groups_of(ranking_of("lsa", slow), arms_of(slow)).tolist() == [-1, -1]
    signs = Problem.gaussian([0.3, -0.3])
    assert groups_of(ranking_of("sprt", signs), arms_of(signs)).tolist() == [-1, -1]
