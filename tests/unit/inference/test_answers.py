"""Adjusted means and the shares of the variance, against sums that are written out."""

import numpy as np
import pytest

from thresher.inference import doubt, sides_of
from thresher.inference.answers import BORROWED, answers_of
from thresher.inference.bars import bar_of
from thresher.inference.signals import SHRINKAGE
from thresher.problem import Question, Structure
from thresher.types import Floats


def question(n_arms: int, n_items: int, bar: float = 0.5) -> Question:
    return Question.of("bernoulli", thresholds=np.full(n_arms, bar), structure=Structure(np.full(n_arms, n_items)))


def answered(n_arms: int, n_items: int, share: float, *, seed: int = 1, spread: float = 2.5) -> tuple[Floats, Floats]:
    """Return a whole table of answers, and the part of it that is known."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n_arms, 1)) + spread * rng.normal(size=(1, n_items))
    whole = (rng.random((n_arms, n_items)) < 1.0 / (1.0 + np.exp(-logits))).astype(np.float64)
    return whole, np.where(rng.random(whole.shape) < share, whole, np.nan)


def test_adjusted_means_and_shares_are_their_sums() -> None:
    _, table = answered(20, 60, 0.5)
    found = answers_of(question(20, 60), table)
    assert found.fit.slope > 0.0
    means = np.nanmean(table, axis=1)
    for k in range(20):
        own, residuals = np.zeros(60), table[k] - means[k]
        for i in range(60):
            others = [table[j, i] - means[j] for j in range(20) if j != k and not np.isnan(table[j, i])]
            own[i] = found.fit.slope * sum(others) / (len(others) + SHRINKAGE)
        told = ~np.isnan(table[k])
        assert found.means[k] == pytest.approx(np.clip(means[k] - own[told].mean() + own.mean(), 0.0, 1.0))
        left = residuals[told] - own[told] + own[told].mean()
        share = (left**2).sum() / (residuals[told] ** 2).sum()
        count = told.sum()
        expected = (count * share + BORROWED * found.fit.share) / (count + BORROWED)
        assert found.shares[k] == pytest.approx(expected)


def test_adjusted_means_are_nearer_to_the_truth_than_plain_ones() -> None:
    whole, table = answered(40, 200, 0.2)
    found = answers_of(question(40, 200), table)
    adjusted, plain = (np.square(means - whole.mean(axis=1)).mean() for means in (found.means, found.seen.means))
    assert adjusted < 0.8 * plain


def test_with_every_item_known_the_mean_is_exact_and_the_verdict_certain() -> None:
    whole, _ = answered(6, 25, 1.0)
    asked = question(6, 25)
    found = answers_of(asked, whole)
    sides = sides_of(bar_of(asked), found.seen, found.means)
    assert found.means.tolist() == whole.mean(axis=1).tolist()
    assert sides.tolist() == np.where(whole.mean(axis=1) > 0.5, 1, -1).tolist()
    assert doubt(bar_of(asked), found.effective(asked), told=found.seen).of(sides).tolist() == [0.0] * 6


def test_a_verdict_is_certain_as_soon_as_the_items_left_cannot_change_it() -> None:
    table = np.full((2, 10), np.nan)
    table[0, :6] = 1.0
    table[1, :4] = 1.0
    asked = question(2, 10)
    found = answers_of(asked, table)
    sides = sides_of(bar_of(asked), found.seen, found.means)
    chances = doubt(bar_of(asked), found.effective(asked), told=found.seen).of(sides)
    assert chances[0] == 0.0
    assert 0.0 < chances[1] < 0.5


def test_an_arm_without_an_outcome_has_no_mean() -> None:
    table = np.array([[np.nan, np.nan], [1.0, np.nan]])
    found = answers_of(question(2, 2), table)
    assert np.isnan(found.means[0])
    assert sides_of(bar_of(question(2, 2)), found.seen, found.means).tolist() == [0, 1]
