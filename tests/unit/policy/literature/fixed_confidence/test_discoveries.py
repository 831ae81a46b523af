import math

import pytest

from thresher.policy.literature.fixed_confidence.discoveries import (
    RANKS,
    corrected,
    discovery_level,
    discovery_memory,
    discovery_radius,
    family_level,
    largest_step,
    rank_of,
)
from thresher.policy.rule import new_state


def test_a_worked_interval() -> None:
    # n = 2: the last logarithm is log(1 + log 1) = 0; 2 * 2.3026 + 6 * 0.8340 = 9.6094.
    assert discovery_radius(2.0, 1.0, 0.1) == pytest.approx(math.sqrt(9.6094 / 2.0), abs=1e-4)
    assert discovery_radius(2.0, 0.5, 0.1) == pytest.approx(0.5 * math.sqrt(9.6094 / 2.0), abs=1e-4)
    assert discovery_radius(1.0, 1.0, 0.9) == 0.0  # there the formula is the root of a negative number


def test_the_corrected_level() -> None:
    assert corrected(0.05) == pytest.approx(0.05 / (6.4 * 6.57925), rel=1e-5)


def test_the_rank_is_the_least_level_that_clears_the_bar() -> None:
    for gap in (0.2, 0.45, 0.5, 0.55, 0.9):
        clear = [k for k in range(1, 9) if gap >= discovery_radius(60.0, 1.0, 0.01 * k / 8)]
        assert rank_of(gap, 60.0, 1.0, 0.01, 8) == (min(clear) if clear else 9)
    assert rank_of(-1.0, 60.0, 1.0, 0.01, 8) == 9


def test_the_step_of_benjamini_and_hochberg_by_hand() -> None:
    def step(*ranks: int) -> int:
        state = new_state(len(ranks), discovery_memory(len(ranks)), 1)
        state.memory[RANKS:] = ranks
        return int(largest_step(state))

    assert step(3, 3, 5, 9) == 0  # two arms at 3, three at 5: never k at k
    assert step(2, 2, 9, 9) == 2
    assert step(1, 9, 9) == 1
    assert step(2, 9, 9) == 0
    assert step(3, 3, 3) == 3  # all three at once, none alone
    assert step(0, 0, 1) == 1  # 0 is an arm never pulled


def test_the_level_of_the_family_by_hand() -> None:
    # K = 2, one found, δ' = 0.0011874: 2 - 0.99762 + 4/3 * 1.00475 * log(5 * 10.718 / 0.0011874) = 15.36.
    assert family_level(2, 1, 0.0011874) == pytest.approx(15.36, abs=5e-3)


def test_the_levels_of_sampling() -> None:
    assert discovery_level(0.05, 30, False, False) == 1.0
    assert discovery_level(0.05, 30, False, True) == 60.0
    assert discovery_level(0.05, 1, False, True) == pytest.approx(5.0 / 2.4 * math.log(20.0))
    assert discovery_level(0.05, 30, True, True) == 30.0
    assert discovery_level(0.05, 0, True, True) == 1.0
