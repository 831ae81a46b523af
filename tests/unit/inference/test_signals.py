"""History and proxy: what they add to a fit, worked by hand, and what must hold of every one."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.inference.answers import answers_of
from thresher.inference.item_effects import fit_items
from thresher.inference.proxies import fit_scores, uneven_share
from thresher.inference.signals import PAST_WORTH, SHRINKAGE, centred_scores, signals_in
from thresher.jit import plain
from thresher.problem import Problem
from thresher.types import Floats

NAN = np.nan


def test_a_history_by_hand() -> None:
    # Residuals: ½, −½ and −½, ½, and nothing for the arm with one outcome, whose residual is 0.
    history = np.array([[1.0, 0.0, NAN], [1.0, 0.0, NAN], [NAN, NAN, 1.0]])
    found = signals_in(np.ones((2, 3), np.bool_), history, None)
    assert found.past_sums.tolist() == [1.0, -1.0, 0.0]
    assert found.past_counts.tolist() == [2.0, 2.0, 1.0]
    effect = 0.5 / (1.0 + SHRINKAGE)
    assert found.moments == pytest.approx([4 * 0.5 * effect, 4 * effect**2, 4 * 0.25, 4 * 0.25 * effect**2])
    assert not found.is_scored


def test_a_past_arm_without_an_outcome_says_nothing() -> None:
    items, history = np.ones((2, 3), np.bool_), np.array([[1.0, 0.0, NAN], [1.0, 0.0, 1.0]])
    found = signals_in(items, np.vstack([history, np.full((1, 3), NAN)]), None)
    for told, expected in zip(found, signals_in(items, history, None), strict=True):
        assert told.tolist() == expected.tolist()
    assert not signals_in(items, np.full((1, 3), NAN), None).past_counts.any()


def test_a_long_history_counts_as_this_many_outcomes_for_how_much_items_matter() -> None:
    history = np.tile([1.0, 0.0], (40, 50))
    found = signals_in(np.ones((1, 100), np.bool_), history, None)
    assert found.moments[2] == pytest.approx(0.25 * PAST_WORTH)
    assert found.past_counts.tolist() == [40.0] * 100


def test_scores_are_centred_on_those_of_their_arm_and_a_missing_one_says_nothing() -> None:
    items = np.array([[True, True, True, False]])
    assert centred_scores(items, np.array([[1.0, NAN, 3.0, 100.0]])).tolist() == [[-1.0, 0.0, 1.0, 0.0]]


def test_the_coefficient_of_a_score_by_hand() -> None:
    # One arm, four outcomes d = ±½ that the scores z = ±½ give exactly: Σdz = 1, Σz² = 1, v = ¼. The ridge makes
    # the common coefficient 1 / (1 + ¾), and the arm's own (1 + 20·¼·that) / (1 + 20·¼).
    outcomes = np.array([[1.0, 0.0, 1.0, 0.0]])
    slopes, unevenness, zeros = np.empty(1), np.empty(1), np.zeros(4)
    found = fit_scores(
        outcomes, np.array([4]), outcomes - 0.5, np.array([0.5]), zeros, np.ones(4), slopes, unevenness, 0.0, 0.0
    )  # fmt: skip
    common = 1.0 / 1.75
    own = (1.0 + 5.0 * common) / 6.0
    assert slopes[0] == pytest.approx(own)
    assert found.slope == 0.0
    assert found.share == pytest.approx(((1.0 - own) ** 2 + 0.75) / 1.75)
    assert unevenness[0] == 1.0  # the ridge makes the share of all larger than that of the arm


def test_an_arm_on_which_the_judge_errs_is_ranked_by_a_larger_share_by_hand() -> None:
    # Two arms, each with outcomes ±½: the scores of one give them exactly, those of the other say nothing (Σdz = 0).
    # Items say nothing either, so they leave I = 1 of each arm.
    outcomes = np.array([[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
    scores = np.array([[0.5, -0.5, 0.5, -0.5], [0.5, 0.5, -0.5, -0.5]])
    slopes, unevenness, zeros = np.empty(2), np.empty(2), np.zeros(4)
    fit_scores(
        outcomes, np.array([4, 4]), scores, np.array([0.5, 0.5]), zeros, np.ones(4), slopes, unevenness, 0.0, 0.0
    )
    common = 1.0 / (2.0 + 3 * 0.25)
    right, wrong = (1.0 + 5.0 * common) / 6.0, 5.0 * common / 6.0
    assert slopes == pytest.approx([right, wrong])
    left = [(1.0 - right) ** 2, 1.0 + wrong**2]
    of_all = (sum(left) + 0.75) / 2.75
    assert unevenness == pytest.approx([1.0, (left[1] + 1.25 * of_all) / 2.25 / of_all])


def test_how_well_items_explain_an_arm_does_not_rank_it_with_a_judge_that_says_nothing() -> None:
    random = np.random.default_rng(4)
    table = np.tile(random.choice(np.array([0.0, 1.0]), 60), (6, 1))
    table[5] = random.permutation(table[5])  # which items the last arm gets right is its own
    scores = random.normal(size=table.shape)
    means, slopes, unevenness = np.empty(6), np.empty(6), np.empty(6)
    sums, counts = np.empty(60), np.empty(60)
    told, signals = np.full(6, 60), signals_in(np.ones(table.shape, np.bool_), None, scores)
    fit = fit_items(table, told, signals, means, sums, counts, slopes, unevenness)
    assert fit.share < 0.5  # items explain most of the other arms
    assert unevenness == pytest.approx(np.ones(6), abs=0.05)


def test_the_share_of_an_arm_is_at_least_that_of_all_by_hand() -> None:
    # Squares 2 and ½ left: (2 + 5·½·¼) / (1 + 5·¼) = 2.625 / 2.25, over the common ½ more than twice as much. With no
    # square left the arm has the share of all.
    weight = 5 * 0.25
    assert plain(uneven_share)(2.0, 1.0, 0.5, weight) == pytest.approx(2.625 / 2.25)
    assert plain(uneven_share)(0.0, 1.0, 0.5, weight) == 0.5


def seen_of(table: Floats, share: float, seed: int) -> Floats:
    hidden = np.random.default_rng(seed).random(table.shape) > share
    hidden[:, 0] = False
    return np.where(hidden, NAN, table)


@given(seed=st.integers(0, 10**6), n_arms=st.integers(1, 5), n_items=st.integers(2, 20))
def test_with_every_item_answered_no_signal_moves_the_mean(seed: int, n_arms: int, n_items: int) -> None:
    random = np.random.default_rng(seed)
    table = random.choice(np.array([0.0, 1.0]), (n_arms, n_items))
    given_: dict[str, Any] = {
        "history": random.choice([0.0, 1.0], (3, n_items)),
        "proxy": 1e6 * random.normal(size=table.shape),
    }
    problem = Problem.crossed(table, 0.5, **given_)
    outcomes = table.copy()
    outcomes[1:, 1:][random.random(outcomes[1:, 1:].shape) < 0.5] = NAN
    assert answers_of(problem.question, outcomes).means[0] == pytest.approx(table[0].mean(), abs=1e-12)


def test_a_good_judge_leaves_little_of_the_variance_and_noise_leaves_all() -> None:
    random = np.random.default_rng(3)
    table = (random.random((20, 200)) < np.linspace(0.2, 0.9, 20)[:, None]).astype(np.float64)
    outcomes = seen_of(table, 0.2, 1)
    agrees = np.where(random.random(table.shape) < 0.95, table, 1.0 - table)
    inverted = agrees.copy()
    inverted[::7] = 1.0 - inverted[::7]
    shares = {}
    for name, proxy in {"judge": agrees, "inverted": inverted, "noise": random.random(table.shape)}.items():
        found = answers_of(Problem.crossed(table, 0.5, proxy=proxy).question, outcomes)
        shares[name] = found.fit.share
        errors = np.abs(found.means - table.mean(axis=1)).mean()
        assert errors < 0.09
        if name == "inverted":
            assert (found.slopes[::7] < 0.0).all()  # 40 outcomes each outweigh the other arms' coefficient
    assert shares["judge"] < shares["inverted"] < 0.4
    assert shares["noise"] > 0.95


def test_one_new_arm_is_adjusted_by_its_history_and_by_nothing_else() -> None:
    # Items are easy or hard for every past arm. The new arm has answered three easy ones and a hard one of ten each.
    past = np.tile([1.0] * 10 + [0.0] * 10, (12, 1))
    past[np.random.default_rng(1).random(past.shape) < 0.1] = 1.0
    outcomes = np.full((1, 20), NAN)
    outcomes[0, [0, 1, 2, 15]] = 1.0, 1.0, 1.0, 0.0
    table = np.array([[1.0] * 10 + [0.0] * 10])
    with_past = answers_of(Problem.crossed(table, 0.6, history=past).question, outcomes)
    without = answers_of(Problem.crossed(table, 0.6).question, outcomes)
    assert without.means[0] == 0.75
    assert abs(with_past.means[0] - 0.5) < 0.1


def test_a_history_that_says_nothing_of_these_arms_is_outvoted() -> None:
    random = np.random.default_rng(5)
    past = np.tile(random.choice([0.0, 1.0], 300), (30, 1))
    table = (random.random((8, 300)) < 0.5).astype(np.float64)
    found = answers_of(Problem.crossed(table, 0.5, history=past).question, seen_of(table, 0.5, 2))
    assert found.fit.slope < 0.2


@pytest.mark.parametrize("structure", ["pool", "none"])
def test_other_structures_ignore_both(structure: str) -> None:
    random = np.random.default_rng(2)
    table = random.choice([0.0, 1.0], (6, 40))
    bare, rich = Problem.crossed(table, 0.5), Problem.crossed(table, 0.5, history=table, proxy=table)
    policy = f"stopping:structure={structure}"
    one, other = (th.simulate(problem, policy, budgets=[60, 120], runs=20, seed=1) for problem in (bare, rich))
    np.testing.assert_array_equal(one.losses(policy), other.losses(policy))
