import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.policy import RuleSetup, State, Stop, find_policy
from thresher.policy.literature.fixed_confidence.sticky_tas import distance_to_best, forced_share, shift_of
from thresher.policy.rule import new_state
from thresher.problem import Problem
from thresher.research.simulation import simulate


def seen(counts: list[int], gaps: list[float], sigma: float = 1.0) -> tuple[RuleSetup, State]:
    """Return what the rule is told, and the state in which arms have shown these means, counted from the bar."""
    known = find_policy("sticky-tas").bind(Problem.gaussian(gaps, 0.0, sigma), Stop(100.0, alpha=0.05)).known
    state = new_state(len(counts), 1, 1)
    state.counts[:], state.totals[:] = counts, np.array(counts) * np.array(gaps)
    return known, state


def test_the_distance_to_means_with_another_best_arm_by_hand() -> None:
    # Two arms: the lower one up, the higher one down, to their weighted mean (4 * 1 + 1 * 0) / 5 = 0.8:
    # (1 * 0.8² + 4 * 0.2²) / 2 = 0.4
    assert distance_to_best(*seen([1, 4], [0.0, 1.0]), 0) == pytest.approx(0.4)
    assert distance_to_best(*seen([1, 4], [0.0, 1.0]), 1) == 0.0
    # At or above the bar: from -1 to at least 0 with no arm higher, 9 * 1² / 2.
    assert distance_to_best(*seen([9, 5], [-1.0, -2.0]), 0) == pytest.approx(4.5)
    # The third arm is above the mean of all three, (0 + 1 + 10 * 0.6) / 12 = 0.58, but below that of the first two
    # once it is let go: here it stays higher than 0.5, so that all three are pooled.
    assert distance_to_best(*seen([1, 1, 10], [0.0, 1.0, 0.6]), 0) == pytest.approx(
        0.5 * ((7 / 12) ** 2 + (5 / 12) ** 2 + 10 * (0.6 - 7 / 12) ** 2)
    )
    assert distance_to_best(*seen([1, 4], [0.0, 1.0], sigma=2.0), 0) == pytest.approx(0.1)


def test_shares_below_the_least_are_raised_at_the_cost_of_all_others() -> None:
    # All on the second of three arms, each at least 0.1: 0.1, 0.8, 0.1.
    assert shift_of(*seen([1, 1, 1], [-1.0, 1.0, -1.0]), 1, 1.0, 0.1) == pytest.approx(0.2)
    # None above, gaps 1 and 2: shares 0.8 and 0.2, nothing to raise.
    assert shift_of(*seen([1, 1], [-1.0, -2.0]), -1, 1.25, 0.1) == pytest.approx(0.0)
    assert forced_share(10.0, 3.0) == pytest.approx(20.0**-0.5)


@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_a_worked_run(mean: float) -> None:
    # One arm with evidence n / 2: 9.5 <= 1 + 2 log 19 + log 20 = 9.88 at n = 19, 10 > 9.99 at n = 20.
    result = simulate(Problem.bernoulli([mean]), "sticky-tas", alpha=0.05, runs=1)
    assert result.spent("sticky-tas").tolist() == [[20.0]]
    assert len(result.outputs("sticky-tas")) == int(mean)


def test_it_sticks_to_the_first_of_equal_answers() -> None:
    result = simulate(Problem.gaussian([1.0, 1.0, 1.0]), "sticky-tas", alpha=1e-50, runs=30)
    first, second, third = result.pulls("sticky-tas")[0]
    # Every run of every random seed comes back to the first arm; without sticking each has a third of the pulls.
    assert first > 2.0 * max(second, third)


def test_a_constant_too_small_for_the_promise_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="log_c"):
        find_policy("sticky-tas:log_c=0.5")
