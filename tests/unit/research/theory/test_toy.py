"""The toy problem: the exact losses, against a simulation by enumeration, and the bound that was printed."""

import math

import pytest

from thresher.errors import InvalidInputError
from thresher.research.theory.toy import toy_adaptive_bound, toy_adaptive_loss, toy_printed_bound, toy_uniform_loss


@pytest.mark.parametrize(
    ("n_arms", "budget", "uniform", "adaptive"),
    [
        (3, 12, 0.09375, 0.0113525),
        (10, 20, 1.25, 0.440493),
        (10, 40, 0.3125, 2.28486e-4),
        (100, 300, 6.25, 1.88029e-9),
    ],
)
def test_exact_losses(n_arms: int, budget: int, uniform: float, adaptive: float) -> None:
    assert toy_uniform_loss(n_arms, budget=budget) == pytest.approx(uniform, rel=1e-12)
    assert toy_adaptive_loss(n_arms, budget=budget) == pytest.approx(adaptive, rel=5e-6)


def left_over(n_arms: int, budget: int) -> float:
    """Return the mistakes of the adaptive rule by following every sequence of outcomes."""
    if n_arms == 0 or budget == 0:
        return n_arms / 2
    return 0.5 * left_over(n_arms - 1, budget - 1) + 0.5 * left_over(n_arms, budget - 1)


@pytest.mark.parametrize("n_arms", range(1, 6))
@pytest.mark.parametrize("budget", range(9))
def test_the_adaptive_loss_is_that_of_all_sequences(n_arms: int, budget: int) -> None:
    assert toy_adaptive_loss(n_arms, budget=budget) == pytest.approx(left_over(n_arms, budget), rel=1e-12)


def test_a_budget_that_the_arms_do_not_divide() -> None:
    # 3 arms, 4 pulls: one arm twice, two arms once
    assert toy_uniform_loss(3, budget=4) == pytest.approx(0.125 + 2 * 0.25)


def test_the_printed_bound_is_below_the_loss_and_the_corrected_one_is_not() -> None:
    assert toy_printed_bound(100, budget=300) == pytest.approx(1.2e-20, rel=0.02)
    assert toy_printed_bound(100, budget=300) < toy_adaptive_loss(100, budget=300)
    assert toy_adaptive_bound(100, budget=300) > toy_adaptive_loss(100, budget=300)
    # K = 10, T = 40: the step K P(Z > T) <= bound already fails, though the loss itself is smaller
    unfinished = sum(math.comb(40, ones) for ones in range(10)) / 2**40
    assert 10 * unfinished == pytest.approx(3.4e-3, rel=0.02)
    assert toy_printed_bound(10, budget=40) == pytest.approx(2.0e-3, rel=0.01)
    assert toy_printed_bound(10, budget=40) < 10 * unfinished < toy_adaptive_bound(10, budget=40)


@pytest.mark.parametrize("n_arms", [1, 2, 10, 100])
def test_the_corrected_bound_holds_at_every_budget(n_arms: int) -> None:
    for budget in range(0, 600, 7):
        assert toy_adaptive_loss(n_arms, budget=budget) <= toy_adaptive_bound(n_arms, budget=budget)


def test_a_bound_too_large_to_write_is_infinite_and_wrong_numbers_are_refused() -> None:
    assert toy_adaptive_bound(10_000, budget=10) == math.inf
    assert toy_adaptive_loss(10_000, budget=10**9) == 0.0
    with pytest.raises(InvalidInputError, match="n_arms is 0; must be at least 1"):
        toy_uniform_loss(0, budget=3)
