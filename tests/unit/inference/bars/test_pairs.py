"""What an arm and its control have in common on the items that both answered."""

import numpy as np

from thresher.inference import doubt
from thresher.inference.answers import Answers, answers_of
from thresher.inference.bars import bar_of
from thresher.inference.bars.control_statistics import as_normal_arms
from thresher.inference.bars.pairs import shared_errors
from thresher.problem import Question, Structure
from thresher.types import Floats

ITEMS, TOLD, ARMS = 300, 60, 7
SHARED = np.array([0.0, 0.7, 0.7, 0.3, 0.3, 0.0, 0.0])  # how much each arm resembles the control


def answered(rng: np.random.Generator, *, is_same: bool, shift: float = 0.0) -> tuple[Question, Floats, Answers]:
    """Return arms that answered 60 of 300 items, the same or each its own, and the true means on all items."""
    common = rng.normal(size=ITEMS)
    table = np.sqrt(1.0 - SHARED[:, None]) * rng.normal(size=(ARMS, ITEMS)) + np.sqrt(SHARED)[:, None] * common
    table[0], table[1:3] = common, table[1:3] + shift
    outcomes = np.full(table.shape, np.nan)
    chosen = rng.permutation(ITEMS)[:TOLD]
    for k in range(ARMS):
        items = chosen if is_same else rng.permutation(ITEMS)[:TOLD]
        outcomes[k, items] = table[k, items]
    names = [str(k) for k in range(ARMS)]
    structure = Structure(np.full(ARMS, ITEMS))
    question = Question.of("gaussian", arms=names, control=0, sigma=1.0, structure=structure)
    return question, table.mean(axis=1), answers_of(question, outcomes)


def test_a_worked_case() -> None:
    # Two items of four that both answered, with what is left equal: correlation 1, drawn towards 0 by few pairs.
    left = np.array([[1.0, -1.0, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0]])
    found = shared_errors(0, left, np.array([[True, True, False, False]] * 2), np.ones(2))
    common = 2.0 / 12.0
    assert found[0] == 0.0
    assert np.isclose(found[1], (2.0 + 10.0 * common) / 12.0 * (2.0 / 4.0 - 1.0 / 4.0))


def test_the_variance_of_a_difference_is_that_of_the_pairs() -> None:
    rng = np.random.default_rng(1)
    for is_same in (True, False):
        paired, alone = list[Floats](), list[Floats]()
        for _ in range(300):
            question, means, answers = answered(rng, is_same=is_same)
            worth = answers.effective(question)
            errors = (answers.means - means)[1:] - (answers.means - means)[0]
            for found, each in ((paired, worth), (alone, worth.alone)):
                found.append(errors**2 * as_normal_arms(question, each)[1].counts)
        # Squared errors over the variances claimed, for each two arms that are alike: within 0.15 (300 runs).
        near, far = (np.mean(found, axis=0).reshape(3, 2).mean(axis=1) for found in (paired, alone))
        assert (near < 1.25).all(), (is_same, near)
        assert (near > 0.6).all(), (is_same, near)
        if is_same:
            assert near[0] > 1.7 * far[0], (near, far)
        else:
            assert np.abs(near - far).max() < 0.1, (near, far)


def test_pairs_make_the_chance_of_error_of_a_resembling_arm_smaller() -> None:
    rng, chances = np.random.default_rng(5), []
    for _ in range(20):
        question, _, answers = answered(rng, is_same=True, shift=0.3)
        worth = answers.effective(question)
        sides = np.where(answers.means[1:] > answers.means[0], 1, -1)
        chances.append([doubt(bar_of(question), each).of(sides)[:2].mean() for each in (worth, worth.alone)])
    paired, alone = np.mean(chances, axis=0)
    assert paired < 0.8 * alone, (paired, alone)
