"""The non-adaptive oracle: figures of the paper's problems, and what must hold for every problem."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.error_rates import bernoulli_loss
from thresher.research.theory.oracle_allocation import oracle
from thresher.research.theory.rounding import whole_oracle

SQUARE = (np.arange(1, 51) / 50) ** 2
LINEAR = np.arange(1, 51) / 50
BUDGETS = (250, 500, 1000, 2000, 4000, 8000)

gaps = st.lists(st.one_of(st.just(0.0), st.floats(1e-3, 1e2)), min_size=1, max_size=10)


def test_the_allocation_of_figure_1() -> None:
    found = oracle(SQUARE / math.sqrt(2), budget=500)
    assert (~found.sampled).sum() == 20
    np.testing.assert_allclose(found.counts[[20, 25, 29, 39, 49]], [8.2, 26.9, 24.0, 13.2, 7.2], atol=0.05)
    assert found.counts.argmax() == 25
    assert found.bound == pytest.approx(26.17, abs=5e-3)
    assert found.loss == pytest.approx(11.44, abs=5e-3)


def test_the_allocation_of_figure_1_with_the_gaps_of_the_appendix() -> None:
    found = oracle(SQUARE, budget=500)
    assert (~found.sampled).sum() == 16
    assert found.counts.argmax() == 21
    assert found.counts.max() == pytest.approx(29.2, abs=0.05)
    assert found.counts[49] == pytest.approx(4.4, abs=0.05)


@pytest.mark.parametrize(
    ("means", "losses", "atol"),
    [
        (LINEAR, [9.378, 6.417, 4.075, 2.293, 1.279, 0.617], 6e-4),
        (SQUARE, [13.67, 11.44, 9.364, 7.567, 6.053, 4.773], 6e-3),
    ],
)
def test_true_losses_on_the_problems_of_the_paper(means: list[float], losses: list[float], atol: float) -> None:
    found = [oracle(np.array(means) / math.sqrt(2), budget=budget).loss for budget in BUDGETS]
    np.testing.assert_allclose(found, losses, atol=atol)


def test_bounds_on_the_problems_of_the_paper() -> None:
    found = [oracle(SQUARE / math.sqrt(2), budget=budget).bound for budget in BUDGETS]
    np.testing.assert_allclose(found, [30.98, 26.17, 21.61, 17.53, 14.05, 11.16], atol=6e-3)


@pytest.mark.parametrize(
    ("gaps", "budget", "bound", "given_up"),
    [
        (LINEAR, 1e3, 6.595, 3),
        (LINEAR, 1e4, 0.3899, 0),
        (SQUARE, 1e4, 8.150, 6),
        (SQUARE, 1e5, 3.543, 2),
        (SQUARE, 1e6, 1.335, 1),
        (SQUARE, 1e7, 0.3184, 0),
    ],
)
def test_equation_5_at_large_budgets(gaps: list[float], budget: float, bound: float, given_up: int) -> None:
    found = oracle(gaps, budget=budget)
    assert found.bound == pytest.approx(bound, abs=6e-4)
    assert (~found.sampled).sum() == given_up


def test_pull_costs_by_hand() -> None:
    # Arm 2 costs twice as much: in money its exponent is 4/2 = 2. aρ = 1, 2; C = (T + log(1/2)/2)/(3/2)
    found = oracle([1.0, 2.0], pull_costs=[1.0, 2.0], budget=3.0)
    level = (3.0 - math.log(2) / 2) / 1.5
    np.testing.assert_allclose(found.counts, [level, (level + math.log(2)) / 4])
    assert found.counts @ [1.0, 2.0] == pytest.approx(3.0)


def test_a_bernoulli_loss_goes_with_it() -> None:
    means = np.array([0.2, 0.6, 0.9])
    counts = whole_oracle(np.abs(means - 0.5) * math.sqrt(2), budget=30)
    assert counts.sum() == 30
    # Hoeffding's bound, which the oracle minimises, holds for 0/1 outcomes too.
    bound = np.exp(-counts * 2 * (means - 0.5) ** 2).sum()
    assert 0.0 < bernoulli_loss(counts, means, 0.5) <= bound


@given(gaps=gaps, budget=st.floats(0.0, 1e5), scale=st.floats(1e-5, 1e5), data=st.data())
def test_what_must_hold_on_every_problem(gaps: list[float], budget: float, scale: float, data: st.DataObject) -> None:
    costs = data.draw(st.lists(st.floats(1e-5, 1e5), min_size=len(gaps), max_size=len(gaps)))
    found = oracle(gaps, costs, budget=budget)
    assert found.loss <= found.bound * (1 + 1e-12)
    spent = budget if any(gaps) else 0.0
    assert found.counts.sum() == pytest.approx(spent, rel=1e-9)
    assert np.all(found.counts[np.array(gaps) == 0.0] == 0.0)
    dearer = oracle(gaps, np.array(costs) * scale, budget=budget)
    np.testing.assert_allclose(dearer.counts, found.counts, rtol=1e-6, atol=1e-6 * budget)
    assert dearer.bound == pytest.approx(scale * found.bound, rel=1e-6)
    order = data.draw(st.permutations(range(len(gaps))))
    shuffled = oracle(np.array(gaps)[order], np.array(costs)[order], budget=budget)
    np.testing.assert_allclose(shuffled.counts, found.counts[order], rtol=1e-9, atol=1e-9 * budget)


@given(gaps=gaps, budget=st.floats(1.0, 1e5), unit=st.floats(1e-3, 1e3))
def test_only_evidence_and_money_count(gaps: list[float], budget: float, unit: float) -> None:
    found = oracle(gaps, budget=budget)
    # Gaps that are larger by the root of `unit` need `unit` times fewer samples.
    finer = oracle(np.array(gaps) * math.sqrt(unit), budget=budget / unit)
    np.testing.assert_allclose(finer.counts * unit, found.counts, rtol=1e-6, atol=1e-6 * budget)
    # The unit of money does not matter.
    money = oracle(gaps, pull_costs=unit, budget=budget * unit)
    np.testing.assert_allclose(money.counts, found.counts, rtol=1e-6, atol=1e-6 * budget)


@pytest.mark.parametrize("budget", [0, 1e-9, 1.0, 1e9, 1e60])
def test_extreme_numbers_give_finite_answers(budget: float) -> None:
    gaps = [0.0, 1e-60, 1e-8, 1.0, 1e8, 1e60]
    found = oracle(gaps, np.geomspace(1e-5, 1e5, 6), np.geomspace(1e5, 1e-5, 6), budget=budget)
    assert np.all(np.isfinite(found.counts))
    assert 0.0 <= found.loss <= found.bound < math.inf
