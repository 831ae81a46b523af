"""E-values with a control: by hand, and expectation at most 1 at the worst pair and at a stopping time."""

import math
from dataclasses import replace

import numpy as np
import pytest

from thresher.inference.bars import difference_e_values
from thresher.inference.bars.control_e_values import _least
from thresher.inference.e_values import log_e_above, mirror
from thresher.martingales.mixture import mixture_of
from thresher.problem import Question, Statistics

RISK = 0.05
FAMILIES = ("gaussian", "bernoulli", "bounded", "gaussian-unknown-variance")


def asked(family: str, n_arms: int, **given: object) -> Question:
    return Question.of(family, arms=[f"arm {k}" for k in range(n_arms)], **({"control": 0} | given))  # type: ignore[arg-type]


def test_a_gaussian_case_by_hand() -> None:
    # Arm and control with 9 outcomes each, means 1 and −1: by symmetry the least product is at the bar 0, and it is the
    # mixture of the squares of 2 Φ(z) sqrt(ρ/(9 + ρ)) e^{z²/2} with z = 9/sqrt(9 + ρ).
    mixed = 0.0
    for rho, log in zip(*mixture_of(RISK), strict=True):
        z = 9.0 / math.sqrt(9.0 + rho)
        one = math.erfc(-z / math.sqrt(2.0)) * math.sqrt(rho / (9.0 + rho)) * math.exp(z * z / 2.0)
        mixed += math.exp(log) * one**2
    seen = Statistics(np.full(2, 9.0), np.array([-9.0, 9.0]), np.ones(2))
    found = difference_e_values(asked("gaussian", 2), seen, risk=RISK)
    assert found.above[0] == pytest.approx(math.log(mixed))
    turned = difference_e_values(asked("gaussian", 2), Statistics(seen.counts, -seen.totals, seen.squares), risk=RISK)
    assert turned.below[0] == pytest.approx(found.above[0])
    assert turned.above[0] == pytest.approx(found.below[0])


def test_a_bar_at_the_end_of_the_range_by_hand() -> None:
    # Control 0 of 10, arm 2 of 10, bar 1.25 times the control. At the control's mean 0.8 the bar is 1, searched as
    # 1 - δ with δ = 1e-9. Beta(ρ, ρδ) piles up at 1, where 8 zeros are impossible: next to it, with 1 - p = δu, its
    # density is ρδ/u, the ratio is u^8, and the integral ρδ/8. The factor of the control is the mean of
    # ((1 - p)/0.2)^10 over the part of Beta(0.8ρ, 0.2ρ) below 0.8, summed here. Four standard errors above both means
    # end at 0.7925.
    steps, mixed = 200_000, 0.0
    p = 0.8 * (np.arange(steps) + 0.5) / steps
    for rho, log in zip(*mixture_of(RISK), strict=True):
        logs = (0.8 * rho - 1.0) * np.log(p) + (0.2 * rho - 1.0) * np.log1p(-p)
        weights = np.exp(logs - logs.max())
        control = (weights * ((1.0 - p) / 0.2) ** 10).sum() / weights.sum()
        mixed += math.exp(log) * rho * 1e-9 / 8.0 * control
    seen = Statistics(np.full(2, 10.0), np.array([0.0, 2.0]), np.ones(2))
    found = difference_e_values(asked("bernoulli", 2, margin="25%"), seen, risk=RISK)
    assert found.above[0] == pytest.approx(math.log(mixed), abs=1e-2)


@pytest.mark.nightly
@pytest.mark.parametrize("margin", [0.05, "-20%"])
def test_no_bar_gives_a_lower_e_value_in_small_cases(margin: float | str) -> None:
    # All shares of 1, 3 and 10 outcomes for the arm and the control. Below 1 an e-value decides nothing.
    shares = [(n, s) for n in (1, 3, 10) for s in range(n + 1)]
    counts, totals = np.array([(0, 0), *shares], float).T
    question = asked("bernoulli", len(shares) + 1, margin=margin)
    assert question.control is not None
    mixture, plain = mixture_of(RISK), replace(question, control=None)
    bars = np.concatenate([10.0 ** np.linspace(-9.0, -2.0, 8), np.linspace(0.01, 0.99, 99)])
    bars = np.concatenate([bars, 1.0 - 10.0 ** np.linspace(-9.0, -2.0, 8)])
    inside = question.control.ratio * bars + question.control.margin
    bars = bars[(inside > 0.0) & (inside < 1.0)]
    for counts[0], totals[0] in shares:
        seen = Statistics(counts, totals, np.ones(counts.size))
        flipped, mirrored = mirror(plain, seen)
        least = np.full(counts.size, np.inf)
        for bar in bars:
            own = question.control.ratio * bar + question.control.margin
            parts = [
                log_e_above(plain, seen, np.full(counts.size, own), rho)
                + log_e_above(flipped, mirrored, np.full(counts.size, 1.0 - bar), rho)[0]
                for rho in mixture.rhos.tolist()
            ]
            least = np.minimum(least, mixture.of(np.stack(parts)))
        found = difference_e_values(question, seen, risk=RISK).above
        assert (np.maximum(found, 0.0) <= np.maximum(least[1:], 0.0) + 1e-6).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_tolerance_is_a_margin_on_either_side(family: str) -> None:
    counts, means = np.array([80.0, 50.0]), np.array([0.4, 0.55])
    question = asked(family, 2)
    seen = Statistics(counts, counts * means, counts * (0.05 + (means - question.thresholds) ** 2))
    lax = difference_e_values(question, seen, risk=RISK, tolerance=0.1)
    below, above = (difference_e_values(asked(family, 2, margin=m), seen, risk=RISK) for m in (-0.1, 0.1))
    assert lax.above[0] == pytest.approx(below.above[0])
    assert lax.below[0] == pytest.approx(above.below[0])


def test_the_least_value_is_found() -> None:
    centres = np.array([0.31, -2.0, 5.0])
    found = _least(lambda x: (x - centres) ** 2 + 1.0, np.full(3, -4.0), np.full(3, 7.0))
    np.testing.assert_allclose(found, 1.0, atol=1e-5)  # e is at most 1 + 1e-5 times its least value


def test_without_outcomes_the_e_value_is_one() -> None:
    found = difference_e_values(
        asked("bernoulli", 3), Statistics(np.array([3.0, 0.0, 2.0]), np.array([1.0, 0.0, 1.0]), np.ones(3)), risk=RISK
    )
    assert (found.above[0], found.below[0]) == (0.0, 0.0)
    nothing = Statistics(np.array([0.0, 3.0, 2.0]), np.array([0.0, 1.0, 1.0]), np.ones(3))
    assert difference_e_values(asked("bernoulli", 3), nothing, risk=RISK).above.tolist() == [0.0, 0.0]


@pytest.mark.nightly("bounded")
@pytest.mark.parametrize("family", FAMILIES)
def test_false_passes_are_rare_at_every_look(family: str) -> None:
    # The e-process of an arm that equals the control reaches 20 with probability at most 5 %. The share of the five
    # arms of a run that do is a number in [0, 1] of mean at most 0.05; that of 12 independent runs exceeds one half
    # with probability at most exp(-12 kl(0.5, 0.05)) = 5e-5, by Chernoff's bound.
    random, question, reached = np.random.default_rng(11), asked(family, 6), 0
    for _ in range(12):
        counts, totals, squares, top = np.zeros(6), np.zeros(6), np.zeros(6), np.full(5, -np.inf)
        for size in (4, 8, 20, 50, 120):
            for k in range(6):
                more = drawn(family, random, size if k else 2 * size)
                counts[k], totals[k] = counts[k] + more.size, totals[k] + more.sum()
                squares[k] += ((more - question.thresholds[k]) ** 2).sum()
            found = difference_e_values(question, Statistics(counts.copy(), totals.copy(), squares.copy()), risk=RISK)
            top = np.maximum(top, found.above)
        reached += int((top >= math.log(1.0 / RISK)).sum())
    assert reached <= 30


def drawn(family: str, random: np.random.Generator, n: int) -> np.ndarray:
    if family == "bernoulli":
        return (random.random(n) < 0.3) * 1.0
    return random.beta(2.0, 3.0, n) if family == "bounded" else random.normal(2.0, 1.0, n)
