import math

import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.policy.literature.fixed_budget.opt_kg import opt_kg_formula
from thresher.research.simulation import simulate

# Accuracy of Opt-KG with T = 2K, 4K, … 10K on 50 arms with means from U(0, 1): an independent simulation of 2,000
# instances, printed to four digits.
ACCURACIES = (0.7938, 0.8582, 0.8888, 0.9059, 0.9180)


def test_worked_cases() -> None:
    assert opt_kg_formula(1.0, 1.0, 0.5) == pytest.approx(0.25)
    assert opt_kg_formula(2.0, 1.0, 0.5) == pytest.approx(0.125)


def test_every_choice_may_gain_most() -> None:
    for seen in choices("opt-kg", PROBLEMS[1], budget=90, seed=4):
        gains = np.array(
            [
                opt_kg_formula(1.0 + ones, 1.0 + count - ones, bar)
                for ones, count, bar in zip(seen.ones, seen.counts, PROBLEMS[1].thresholds, strict=True)
            ]
        )
        assert seen.arm == int(np.argmax(gains))


def test_it_is_as_accurate_as_another_implementation() -> None:
    budgets = [100, 200, 300, 400, 500]
    result = simulate("beta-population", "opt-kg", budgets=budgets, runs=1000, seed=13)
    for row, accuracy in zip(result.rows(), ACCURACIES, strict=True):
        # Theirs has twice the runs. Five standard errors, and the rounding: false alarm below 3e-6 over all five.
        slack = 5.0 * row.stderr * math.sqrt(1.5) / 50 + 5e-5
        assert abs(1.0 - row.mean / 50 - accuracy) < slack
