"""Shared items: the fit and the adjusted mean worked by hand, and what must hold of every table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference.item_effects import LEAST_SHARE, Effects, adjusted_total, effects_on, fit_items, fit_of
from thresher.inference.proxies import STEEPEST
from thresher.inference.signals import Signals, signals_in
from thresher.policy import Stop, find_policy
from thresher.policy.rule import new_state
from thresher.policy.shared_items import judge_by_adjusted_mean
from thresher.problem import Problem
from thresher.research.engine.reference_items import SharedItems
from thresher.types import Bools, Floats

NAN = np.nan


def nothing_cheap(outcomes: Floats) -> Signals:
    """Return neither history nor proxy."""
    return signals_in(np.ones(outcomes.shape, np.bool_), None, None)


def effects_without_scores(
    k: int, outcomes: Floats, items: Bools, mean: float, sums: Floats, counts: Floats, slope: float
) -> Effects:
    """Return the effects on an arm without a proxy."""
    scores, slopes = nothing_cheap(outcomes).scores, np.zeros(outcomes.shape[0])
    return effects_on(k, outcomes, items, scores, mean, sums, counts, slope, slopes)


def fitted(outcomes: Floats) -> tuple[float, float, Floats, Floats, Floats]:
    n_arms, n_items = outcomes.shape
    means, sums, counts = np.empty(n_arms), np.empty(n_items), np.empty(n_items)
    told, slopes = (~np.isnan(outcomes)).sum(axis=1), np.empty(outcomes.shape[0])
    fit = fit_items(outcomes, told, nothing_cheap(outcomes), means, sums, counts, slopes, np.empty(n_arms))
    return fit.slope, fit.share, means, sums, counts


def adjusted_mean(k: int, outcomes: Floats, items: Bools, slope: float) -> float:
    _, _, means, sums, counts = fitted(outcomes)
    told = outcomes[k][~np.isnan(outcomes[k])]
    effects = effects_without_scores(k, outcomes, items, means[k], sums, counts, slope)
    return float(adjusted_total(float(told.size), told.sum(), effects) / told.size)


def test_a_fit_by_hand() -> None:
    # Residuals of both arms: ½ and −½. Items have the sums 1 and −1 and two answers each; without the own residual the
    # sum is ±½, and shrunk by λ = 2 the effect is ±½ / 3 = ±1/6.
    outcomes = np.array([[1.0, 0.0, NAN], [1.0, 0.0, NAN]])
    slope, share, means, sums, counts = fitted(outcomes)
    assert means.tolist() == [0.5, 0.5]
    assert sums.tolist() == [1.0, -1.0, 0.0]
    assert counts.tolist() == [2.0, 2.0, 0.0]
    # Σ d·l = 4 · ½ · 1/6 = 1/3; its variance is 2 · 4 · (1/12)², so that 1/3 is 1.41 standard deviations: not enough.
    assert (slope, share) == (0.0, 1.0)


def test_what_the_sums_give() -> None:
    # β = 2/4 = ½; r = 1 − ½ (2·2 − ½·4) / 10 = 0.9; two standard deviations are 2 √(2 · 0.4) = 1.79.
    assert list(fit_of(2.0, 4.0, 10.0, 0.4)) == pytest.approx([0.5, 0.9])
    assert fit_of(2.0, 4.0, 10.0, 0.6) == (0.0, 1.0)
    assert fit_of(-2.0, 4.0, 10.0, 0.0) == (0.0, 1.0)
    assert list(fit_of(4.0, 1.0, 10.0, 0.0)) == pytest.approx([STEEPEST, LEAST_SHARE])
    assert fit_of(0.0, 0.0, 0.0, 0.0) == (0.0, 1.0)


def test_effects_by_hand() -> None:
    # Arm 1 was told both items and finds the first easy. For arm 0, which drew only that one and has the residual 0,
    # the effects with β = 1 are (½ − 0)/(2 − 1 + 2) = 1/6 of the first and −½/(1 + 2) = −1/6 of the second.
    outcomes, items = np.array([[1.0, NAN], [1.0, 0.0]]), np.ones((2, 2), np.bool_)
    _, _, means, sums, counts = fitted(outcomes)
    found = effects_without_scores(0, outcomes, items, means[0], sums, counts, 1.0)
    assert list(found) == pytest.approx([1 / 6, 0.0])
    # It drew an easy item: its adjusted mean is lower by what the item is easier than both on average.
    assert adjusted_mean(0, outcomes, items, 1.0) == pytest.approx(1.0 - 1 / 6)
    # An item that the arm does not have does not count in its mean.
    items[0, 1] = False
    assert list(effects_without_scores(0, outcomes, items, means[0], sums, counts, 1.0)) == pytest.approx(
        [1 / 6, 1 / 6]
    )


def test_an_arm_does_not_adjust_itself() -> None:
    # Both arms were told both items: without the own residual ±½, what is left of the sums ±1 is ±½, over 2 − 1 + 2.
    outcomes, items = np.array([[1.0, 0.0, NAN], [1.0, 0.0, NAN]]), np.ones((2, 3), np.bool_)
    items[0, 1], outcomes[0, 1] = False, NAN
    outcomes[0, 2] = 0.0
    _, _, means, sums, counts = fitted(outcomes)
    # Arm 0 was told the items 0 and 2, with the residuals ½ and −½; no other arm has answered the last.
    found = effects_without_scores(0, outcomes, items, means[0], sums, counts, 1.0)
    assert list(found) == pytest.approx([0.5 / 3.0 + 0.0, 0.5 / 3.0 / 2.0])


def test_effects_are_fitted_after_two_outcomes_per_arm_and_whenever_outcomes_have_grown_by_a_half() -> None:
    problem = Problem.crossed(np.tile([0.0, 1.0], (10, 40)), 0.4)
    twin = SharedItems(find_policy("stopping").bind(problem, Stop(800.0)).known)
    assert [pulls for pulls in range(1, 103) if twin.refit(pulls)] == [20, 30, 45, 68, 102]


def test_an_adjusted_total_by_hand() -> None:
    assert adjusted_total(4.0, 3.0, Effects(0.5, 0.1)) == pytest.approx(3.0 - 0.5 + 0.4)


def test_the_residual_of_a_single_outcome_is_left_out_of_the_regression() -> None:
    some = np.array([[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0], [NAN, NAN, NAN, NAN]])
    single = some.copy()
    single[3, 0] = 1.0
    _, _, _, sums, counts = fitted(single)
    assert (sums[0], counts[0]) == (1.5, 4.0)
    # Three arms with d = ±½: the effects are 2d/(3 − 1 + 2) on three items, and 2d/(4 − 1 + 2) on the one that the
    # fourth arm answered too.
    d, effects = 0.5, np.array([1.0 / 5.0, 1.0 / 4.0, 1.0 / 4.0, 1.0 / 4.0])
    products, squares = 3 * d * effects.sum(), 3 * (effects**2).sum()
    assert fitted(single)[0] == pytest.approx(min(products / squares, STEEPEST))


def tables(most_arms: int = 6, most_items: int = 15) -> st.SearchStrategy[Floats]:
    sizes = st.tuples(st.integers(1, most_arms), st.integers(1, most_items), st.integers(0, 10**6))
    return sizes.map(lambda each: np.random.default_rng(each[2]).choice(np.array([0.0, 1.0, 0.3]), each[:2]))


@given(table=tables(), slope=st.floats(0.0, 1.5))
def test_with_every_item_answered_the_adjusted_mean_is_the_mean(table: Floats, slope: float) -> None:
    for k in range(table.shape[0]):
        found = adjusted_mean(k, table, np.ones(table.shape, np.bool_), slope)
        assert found == pytest.approx(table[k].mean(), abs=1e-12)


@given(table=tables(), seed=st.integers(0, 1000))
def test_an_arm_that_was_told_all_it_has_is_its_mean_whatever_others_have_answered(table: Floats, seed: int) -> None:
    random = np.random.default_rng(seed)
    outcomes, items = table.copy(), random.random(table.shape) < 0.7
    items[:, 0] = True
    outcomes[~items] = NAN
    outcomes[1:][random.random(outcomes[1:].shape) < 0.5] = NAN
    assert adjusted_mean(0, outcomes, items, 1.0) == pytest.approx(outcomes[0][items[0]].mean(), abs=1e-12)


@given(table=tables(), order=st.randoms())
def test_the_names_of_arms_do_not_matter_to_the_fit(table: Floats, order: object) -> None:
    outcomes = table.copy()
    outcomes[np.random.default_rng(1).random(table.shape) < 0.4] = NAN
    one, other = fitted(outcomes), fitted(outcomes[::-1].copy())
    assert one[:2] == pytest.approx(other[:2])


def test_items_that_matter_are_found_and_items_that_do_not_are_left_alone() -> None:
    random = np.random.default_rng(3)
    difficulties, found = random.normal(0.0, 2.0, 300), []
    for effect in (1.0, 0.0):
        rates = 1.0 / (1.0 + np.exp(-effect * difficulties - random.normal(size=(20, 1))))
        outcomes = (random.random(rates.shape) < rates).astype(np.float64)
        outcomes[random.random(rates.shape) < 0.8] = NAN
        found.append(fitted(outcomes)[:2])
    assert 0.5 < found[0][0] <= STEEPEST
    assert found[0][1] < 0.9
    # Chance of a false alarm about 2.3 %, with this seed none.
    assert found[1] == (0.0, 1.0)


def test_a_certain_side_stands_against_the_adjusted_mean() -> None:
    # The first arm was told the six items that are easy for the others, and only hard ones are left: its adjusted mean
    # is below the bar of 0.45. But five ones of ten items are above it, whatever comes.
    table = np.array([[1.0] * 5 + [0.0] * 5] + [[1.0] * 6 + [0.0] * 4] * 11)
    rule = find_policy("stopping").bind(Problem.crossed(table, 0.45), Stop(120.0))
    state = new_state(12, rule.memory, 12, 10)
    state.outcomes[:] = table
    state.outcomes[0, 6:] = NAN
    state.counts[:], state.totals[:] = [6] + [10] * 11, [5.0] + [6.0] * 11
    _, _, means, sums, counts = fitted(state.outcomes)
    slope = fitted(state.outcomes)[0]
    effects = effects_without_scores(0, state.outcomes, rule.known.items, means[0], sums, counts, slope)
    assert adjusted_total(6.0, 5.0, effects) / 6.0 < 0.45
    judge_by_adjusted_mean(rule.known, state)
    assert state.verdicts.tolist() == [1] * 12
