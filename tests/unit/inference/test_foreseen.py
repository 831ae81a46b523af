"""Guarantees that use signals: error rates over all orders of small pools, and the numbers by hand."""

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from thresher.inference import AskedItems, Intervals, e_values, foreseen_of, intervals
from thresher.jit import plain
from thresher.martingales import Foreseen, foresee
from thresher.martingales.foreseen import BETS, BOLDEST, log_products
from thresher.martingales.mixture import mixture_of
from thresher.martingales.pools import log_given, mixed_prior
from thresher.problem import Question, Statistics, Structure
from thresher.types import Floats, Ints

ONES = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
PARTS = np.array([0.0, 0.1, 0.2, 0.55, 0.9, 1.0])
LATE = 3  # tickets after which late scores are told


def question_of(truth: Floats, bar: float, k: int, **signals: Any) -> Question:
    family = "bernoulli" if set(truth.ravel().tolist()) <= {0.0, 1.0} else "bounded"
    return Question.of(family, thresholds=np.full(k, bar), structure=Structure(np.full(k, truth.shape[-1]), **signals))


def seen_after(question: Question, outcomes: Floats, orders: Ints, told: int, asked: AskedItems) -> Statistics:
    """Return what was seen of arms after their first outcomes."""
    table = np.full(orders.shape, np.nan)
    np.put_along_axis(table, orders[:, :told], np.take_along_axis(outcomes, orders[:, :told], axis=1), axis=1)
    gaps = table - question.thresholds[:, None]
    sums, squares = np.nansum(table, axis=1), np.nansum(gaps**2, axis=1)
    counts = np.full(len(orders), float(told))
    return Statistics(counts, sums, squares, foreseen=foreseen_of(question, table, asked))


def asked_of(orders: Ints, scores_told: Floats, n_past: int = 0) -> AskedItems:
    tickets = np.empty(orders.shape)
    np.put_along_axis(tickets, orders, np.arange(1.0, orders.shape[1] + 1.0) * np.ones((len(orders), 1)), axis=1)
    return AskedItems(orders, tickets, np.full(len(orders), np.inf), np.zeros(n_past), scores_told)


def signals_of(kind: str, truth: Floats, orders: Ints) -> tuple[Floats | None, Floats, Floats | None]:
    """Return scores, after how many tickets they were told, and past arms."""
    told, rows = np.zeros(orders.shape), np.tile(truth, (len(orders), 1))
    if kind == "past arms":
        past = np.array([truth, 1.0 - truth, np.roll(truth, 2)])
        return None, np.full(orders.shape, np.inf), past
    if kind == "right":
        return rows, told, None
    if kind == "inverted":
        return 1.0 - rows, told, None
    if kind == "noise":
        return np.random.default_rng(3).random(orders.shape[1]) * np.ones((len(orders), 1)), told, None
    told[:, 1:] = LATE  # the score of the first item is there before
    scores = np.zeros(orders.shape)
    values = np.take_along_axis(rows, orders[:, :LATE], axis=1) if kind.endswith("copies") else 1.0
    np.put_along_axis(scores, orders[:, :LATE], values, axis=1)
    scores[:, 0] = 0.0
    return scores, np.zeros(orders.shape) if kind.startswith("forged") else told, None


def paths_of(truth: Floats, kind: str, bar: float) -> list[tuple[Question, Statistics]]:
    """Return what is seen of every order of the items, one arm each, after 1, 2, … outcomes."""
    orders = np.array(list(permutations(range(truth.size))))
    scores, told, past = signals_of(kind, truth, orders)
    question = question_of(truth, bar, len(orders), proxy=scores, history=past)
    asked, rows = asked_of(orders, told, 0 if past is None else len(past)), np.tile(truth, (len(orders), 1))
    return [(question, seen_after(question, rows, orders, n, asked)) for n in range(1, truth.size + 1)]


KINDS = ("right", "inverted", "noise", "past arms", "late copies", "late names")


@pytest.mark.by_day("0 and 1-past arms", "0 and 1-late copies", "parts-inverted", "parts-late names")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("truth", "alpha"), [(ONES, 0.4), (PARTS, 0.4)], ids=["0 and 1", "parts"])
def test_an_interval_ever_leaves_the_mean_out_for_at_most_alpha_of_all_orders(
    kind: str, truth: Floats, alpha: float
) -> None:
    mean, is_out = truth.mean(), np.zeros(math.factorial(truth.size), np.bool_)
    for question, seen in paths_of(truth, kind, 0.45):
        assert seen.foreseen is not None
        low, high = intervals(question, seen, alpha=alpha)
        is_out |= (low > mean + 1e-9) | (high < mean - 1e-9)
    assert low == pytest.approx(mean)
    assert high == pytest.approx(mean)
    assert is_out.mean() <= alpha  # exact: every order is as likely as any other


@pytest.mark.parametrize("kind", ["forged names", "forged copies"])
def test_scores_that_were_told_late_and_count_as_early_break_the_promise(kind: str) -> None:
    """The test below can fail: this is what the same scores do if the time at which they were told is ignored."""
    paths = [e_values(question, seen, risk=0.05) for question, seen in paths_of(ONES, kind, float(ONES.mean()))]
    assert max(np.exp(path.below).mean() for path in paths) > 1.3


@pytest.mark.by_day("0 and 1-right", "0 and 1-late names", "parts-past arms", "parts-late copies", "parts-noise")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("truth", [ONES, PARTS], ids=["0 and 1", "parts"])
def test_an_e_value_of_a_true_hypothesis_is_at_most_1_on_average_at_a_stopping_time(kind: str, truth: Floats) -> None:
    # The bar is the mean, so that "at most the bar" and "at least the bar" are both true.
    paths = [e_values(question, seen, risk=0.05) for question, seen in paths_of(truth, kind, float(truth.mean()))]
    for logs in ([path.above for path in paths], [path.below for path in paths]):
        values = np.exp(np.array(logs))
        assert values.mean(axis=1).max() <= 1.0 + 1e-9
        is_large = values >= 1.3
        stops = np.where(is_large.any(axis=0), is_large.argmax(axis=0), len(values) - 1)
        assert values[stops, np.arange(stops.size)].mean() <= 1.0 + 1e-9


def test_a_product_by_hand() -> None:
    """Two items with the scores 1 and 0, which become 1 and -1; the first coefficient is 0.5 · 0.5 / 1.

    So the forecasts are 0.25 and -0.25 about 0. The first outcome, 1, is of the first item. For a sum of 1 the items
    have the mean 0.5, what is left is 1 - 0.25 - 0.5 = 0.25, and it could have been -0.75: the boldest bet is 1.2.
    """
    asked = asked_of(np.array([[0, 1]]), np.zeros((1, 2)))
    question = question_of(np.array([1.0, 0.0]), 0.5, 1, proxy=np.array([[1.0, 0.0]]))
    found = foreseen_of(question, np.array([[1.0, np.nan]]), asked)
    assert found is not None
    assert (found.shifts, found.above, found.below) == tuple(np.full((1, 1), 0.25) for _ in range(3))
    product = found.log_e_above(np.array([2.0]), np.array([1.0]))
    assert np.exp(product) == pytest.approx((1.0625 + 1.125 + 1.25 + 1.3) / 4)


def random_case(seed: int, k: int, size: int) -> tuple[Question, Floats, AskedItems]:
    rng = np.random.default_rng(seed)
    truth = (rng.random((k, size)) < 0.6).astype(np.float64)
    scores = np.where(rng.random((k, size)) < 0.8, truth, 1.0 - truth) * 5.0 - 1.0
    scores[rng.random((k, size)) < 0.2] = np.nan
    past = (rng.random((6, size)) < truth.mean(axis=0)).astype(np.float64)
    orders = np.array([rng.permutation(size) for _ in range(k)])
    told = np.where(rng.random((k, size)) < 0.7, 0.0, rng.integers(0, size, (k, size)))
    return question_of(truth, 0.5, k, proxy=scores, history=past), truth, asked_of(orders, told, 6)


def test_forecasts_depend_on_nothing_that_came_later() -> None:
    question, truth, asked = random_case(1, 5, 60)
    whole = seen_after(question, truth, asked.order, 60, asked).foreseen
    assert whole is not None
    for n in (1, 7, 20, 59):
        # After n outcomes all others are different, and so are all scores that were told after n tickets.
        later = np.ones(truth.shape, np.bool_)
        np.put_along_axis(later, asked.order[:, :n], False, axis=1)
        assert question.structure is not None
        assert question.structure.proxy is not None
        proxy = np.where(asked.proxy >= n, -question.structure.proxy, question.structure.proxy)
        assert not np.array_equal(proxy, question.structure.proxy, equal_nan=True) or n == 59
        other = question_of(truth, 0.5, 5, proxy=proxy, history=question.structure.history)
        changed = seen_after(other, np.where(later, 1.0 - truth, truth), asked.order, 60, asked).foreseen
        assert changed is not None
        for mine, theirs in zip(whole[4:], changed[4:], strict=True):
            assert np.array_equal(mine[:, :n], theirs[:, :n])


def test_compiled_and_interpreted_numbers_are_equal_to_the_last_bit() -> None:
    question, truth, asked = random_case(2, 3, 40)
    found = seen_after(question, truth, asked.order, 33, asked).foreseen
    assert found is not None
    rng = np.random.default_rng(5)
    past, scores = rng.normal(size=(3, 40)), rng.normal(size=(3, 40))
    given = (found.counts, found.outcomes, past, np.array([0.0, 0.7, 1.0]), scores, asked.proxy, asked.tickets)
    for mine, theirs in zip(foresee(*given), plain(foresee)(*given), strict=True):
        assert np.array_equal(mine, theirs)
    for n in range(34):
        counts = np.full(3, float(n))
        case = (found.is_used, counts, found.outcomes, found.shifts, found.above, np.full(3, 40.0), found.totals + 2.0)
        assert np.array_equal(log_products(*case), plain(log_products)(*case))


def limits_by_trial(found: Foreseen, arm: int, size: int, bar: float, alpha: float) -> Intervals:
    """Return the hull of the sums of all items that are not refuted, each tried by itself, as means."""
    n, s = found.counts[arm], found.totals[arm]
    rhos, logs = mixture_of(alpha)
    kept = []
    for ones in range(int(s), int(size - n + s) + 1):
        product, fall = np.ones(BETS.size), np.ones(BETS.size)
        for t, y in enumerate(found.outcomes[arm, : int(n)]):
            rest = (ones - found.outcomes[arm, :t].sum()) / (size - t)
            error = y - found.shifts[arm, t] - rest
            product *= 1.0 + np.minimum(BETS, BOLDEST / max(found.above[arm, t] + rest, 1e-300)) * error
            fall *= 1.0 - np.minimum(BETS, BOLDEST / max(found.below[arm, t] + 1.0 - rest, 1e-300)) * error
        ratio = math.exp(mixed_prior(n, s, bar, rhos, logs) - log_given(float(ones), float(size), n, s))
        if 0.5 * ratio + 0.25 * product.mean() + 0.25 * fall.mean() < 1.0 / alpha:
            kept.append(ones / size)
    return Intervals(np.array(kept[0]), np.array(kept[-1]))


@pytest.mark.parametrize("told", [5, 30, 55])
def test_the_limits_are_those_of_all_totals_tried_one_by_one(told: int) -> None:
    question, truth, asked = random_case(4, 6, 60)
    seen = seen_after(question, truth, asked.order, told, asked)
    found = intervals(question, seen, alpha=0.1)
    assert seen.foreseen is not None
    for arm in range(6):
        low, high = limits_by_trial(seen.foreseen, arm, 60, 0.5, 0.1)
        # The search leaves out what refutes the other side, which matters by one item at most.
        assert low - 1.01 / 60 <= found.low[arm] <= low
        assert high <= found.high[arm] <= high + 1.01 / 60


def test_signals_are_left_out_where_they_came_late_or_outcomes_were_imported() -> None:
    question, truth, asked = random_case(6, 4, 50)
    seen = seen_after(question, truth, asked.order, 30, asked)
    by_signals = intervals(question, seen)
    alone = intervals(question, Statistics(seen.counts, seen.totals, seen.squares))
    halved = intervals(question, Statistics(seen.counts, seen.totals, seen.squares), alpha=0.025)
    assert ((by_signals.low != alone.low) | (by_signals.high != alone.high)).all()
    # Imported before the first ticket; imported after it; told after it; as it was.
    others = asked._replace(imports=np.array([0.0, 5.0, np.inf, np.inf]), proxy=asked.proxy.copy())
    others.proxy[2] = 1.0
    others = others._replace(history=np.full(6, np.inf))
    mixed = seen_after(question, truth, asked.order, 30, others)
    low = intervals(question, mixed).low
    assert (low[0], low[1], low[2]) == (alone.low[0], halved.low[1], alone.low[2])
    assert mixed.foreseen is not None
    assert mixed.foreseen.is_used.tolist() == [False, True, False, True]
    assert foreseen_of(question, truth, others._replace(imports=np.zeros(4))) is None


def test_an_e_value_counts_outcomes_alone_while_one_is_told_out_of_turn() -> None:
    question, truth, asked = random_case(7, 3, 50)
    seen = seen_after(question, truth, asked.order, 30, asked)
    table = np.full(truth.shape, np.nan)
    np.put_along_axis(table, asked.order[:, :30], np.take_along_axis(truth, asked.order[:, :30], axis=1), axis=1)
    np.put_along_axis(table, asked.order[:, 10:11], np.nan, axis=1)  # the eleventh is still out
    gap = foreseen_of(question, table, asked)
    assert gap is not None
    assert gap.counts.tolist() == [10.0] * 3
    counts, sums = np.full(3, 29.0), np.nansum(table, axis=1)
    squares = np.nansum((table - 0.5) ** 2, axis=1)
    without, with_gap = Statistics(counts, sums, squares), Statistics(counts, sums, squares, foreseen=gap)
    plain_e, gap_e = e_values(question, without, risk=0.05), e_values(question, with_gap, risk=0.05)
    assert gap_e.above == pytest.approx(plain_e.above - math.log(2.0))
    assert (e_values(question, seen, risk=0.05).above != plain_e.above - math.log(2.0)).all()
    # The interval is that of the ten outcomes before the gap.
    first = seen_after(question, truth, asked.order, 10, asked)
    for mine, theirs in zip(intervals(question, with_gap), intervals(question, first), strict=True):
        assert np.array_equal(mine, theirs)
