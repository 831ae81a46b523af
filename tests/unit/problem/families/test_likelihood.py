import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.problem import Question
from thresher.problem.families import Likelihood
from thresher.problem.statistics import Statistics
from thresher.types import Floats

FAMILIES = ["gaussian", "bernoulli", "bounded", "gaussian-unknown-variance"]


def likelihood_of(question: Question, seen: Statistics) -> Likelihood:
    return question.kind.likelihood(question, seen)


def seen_of(*outcomes: Floats, thresholds: Floats) -> Statistics:
    """Return what was seen of arms from their outcomes."""
    squares = [((some - bar) ** 2).sum() for some, bar in zip(outcomes, thresholds, strict=True)]
    return Statistics(
        np.array([some.size for some in outcomes], float), np.array([o.sum() for o in outcomes]), np.array(squares)
    )


def test_gaussian_arms_are_compared_by_effect() -> None:
    # Mean 7 at bar 3, σ = 2: effect 2; worth four outcomes.
    arms = likelihood_of(
        Question.of("gaussian", thresholds=3.0, sigma=2.0), Statistics(*map(np.array, ([4.0], [28.0], [80.0])))
    )
    assert arms.places[0] == 2.0
    np.testing.assert_allclose(arms.at(np.array([2.0, 1.0, 2.5])), [[1.0, math.exp(-2.0), math.exp(-0.5)]])


def test_a_bernoulli_likelihood_by_hand() -> None:
    # Three of four; the angle of 3/4 is 2π/3, the bar's of 1/4 is π/3; at the bar (1/4)³ (3/4) over (3/4)³ (1/4).
    arms = likelihood_of(Question.of("bernoulli", thresholds=0.25), Statistics(*map(np.array, ([4.0], [3.0], [2.0]))))
    assert arms.places[0] == pytest.approx(math.pi / 3)
    np.testing.assert_allclose(arms.at(np.array([0.0, math.pi / 3])), [[1.0 / 9.0, 1.0]])


def test_no_rate_is_below_nothing_or_above_all() -> None:
    arms = likelihood_of(Question.of("bernoulli", thresholds=0.25), Statistics(*map(np.array, ([4.0], [3.0], [2.0]))))
    assert arms.at(np.array([-1.1, 0.1, 2.2])).tolist()[0][::2] == [0.0, 0.0]


@given(
    outcomes=st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=30).filter(lambda some: np.std(some) > 0.05),
    points=st.lists(st.floats(-2.5, 2.5), min_size=2, max_size=2),
)
def test_the_likelihood_for_unknown_variance_is_that_of_the_outcomes_up_to_their_unit(
    outcomes: list[float], points: list[float]
) -> None:
    values, scale = np.array(outcomes), np.array(points)
    arms = likelihood_of(
        Question.of("gaussian-unknown-variance", thresholds=0.0), seen_of(values, thresholds=np.zeros(1))
    )
    mine = arms.at(scale)[0]
    effects = np.sqrt(2.0) * np.sinh(scale / np.sqrt(2.0))
    exact = [log_likelihood_without_unit(values, effect) for effect in effects.tolist()]
    if abs(exact[0] - exact[1]) < 500.0:
        # Laplace's method is within 4.1 % for each of the two.
        assert math.log(mine[0] / mine[1]) == pytest.approx(exact[0] - exact[1], abs=0.085)


def log_likelihood_without_unit(outcomes: Floats, effect: float) -> float:
    """Return the log of the likelihood of an effect, summed over σ by the right Haar measure on a fine lattice."""
    logs = np.linspace(-12.0, 12.0, 200_001) - 0.5 * np.log((outcomes**2).mean())  # of 1/σ
    units = np.exp(logs)
    squares = units**2 * (outcomes**2).sum() - 2.0 * units * effect * outcomes.sum() + outcomes.size * effect**2
    terms = outcomes.size * logs - 0.5 * squares
    return float(terms.max() + np.log(np.exp(terms - terms.max()).sum()))


def test_two_outcomes_of_unknown_variance_say_nothing() -> None:
    seen = seen_of(np.array([1.0, 1.1]), thresholds=np.zeros(1))
    arms = likelihood_of(Question.of("gaussian-unknown-variance", thresholds=0.0), seen)
    assert arms.strengths[0] == 0.0
    np.testing.assert_equal(arms.at(np.array([-1.0, 2.0])), [[1.0, 1.0]])


def test_equal_outcomes_of_unknown_variance_are_finite_and_far_off() -> None:
    seen = seen_of(np.full(5, -0.3), thresholds=np.zeros(1))
    arms = likelihood_of(Question.of("gaussian-unknown-variance", thresholds=0.0), seen)
    assert arms.places[0] < -5.0
    low, high = arms.at(np.array([-3.0, 3.0]))[0]
    assert low > 1e6 * high


@pytest.mark.parametrize("concentration", [0.5, 4.0, 60.0])
def test_scores_are_worth_more_than_coins_when_they_vary_less(concentration: float) -> None:
    rng = np.random.default_rng(2)
    scores = [rng.beta(0.3 * concentration, 0.7 * concentration, 400) for _ in range(30)]
    question = Question.of("bounded", thresholds=np.full(30, 0.5))
    arms = likelihood_of(question, seen_of(*scores, thresholds=question.thresholds))
    # The variance is pq / (1 + concentration). False alarm below 1e-6: each estimate is within a few percent.
    assert np.median(arms.strengths) == pytest.approx(400 * (1 + concentration), rel=0.1)


def test_a_few_equal_scores_are_not_worth_many_coins() -> None:
    question = Question.of("bounded", thresholds=[0.45, 0.45])
    seen = Statistics(*(np.array([number, number]) for number in (3.0, 1.5, 3 * 0.05**2)))  # 0.5 three times
    # All arms together: 2.5 / (2.5 + 1). Each arm: 10 · 5/7 / (2 + 10). Without a prior it would be 0.01.
    assert likelihood_of(question, seen).strengths == pytest.approx(3.0 / (50.0 / 7.0 / 12.0))


def test_an_arm_with_few_scores_borrows_the_spread_of_the_others() -> None:
    rng = np.random.default_rng(3)
    scores = [rng.beta(12.0, 28.0, 300) for _ in range(20)] + [np.array([0.4]), np.array([0.0, 0.0])]
    question = Question.of("bounded", thresholds=np.full(22, 0.5))
    arms = likelihood_of(question, seen_of(*scores, thresholds=question.thresholds))
    np.testing.assert_allclose(arms.strengths[-2:], [41.0, 82.0], rtol=0.25)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_arm_without_outcomes_is_as_likely_anywhere(family: str) -> None:
    question = Question.of(family, thresholds=[0.5, 0.5])
    seen = Statistics(np.array([0.0, 9.0]), np.array([0.0, 6.0]), np.array([0.0, 2.0]))
    np.testing.assert_equal(likelihood_of(question, seen).at(np.array([-0.5, 0.1, 0.9]))[0], [1.0, 1.0, 1.0])


@pytest.mark.parametrize("family", FAMILIES)
@given(share=st.floats(0.05, 0.95), count=st.integers(5, 400))
def test_the_likelihood_is_largest_at_the_place_and_falls_by_the_error(family: str, share: float, count: int) -> None:
    question = Question.of(family, thresholds=0.4)
    total = float(round(share * count)) if family == "bernoulli" else share * count
    seen = Statistics(np.array([float(count)]), np.array([total]), np.array([count * ((share - 0.4) ** 2 + 0.05)]))
    arms = likelihood_of(question, seen)
    place, error = arms.places[0], arms.strengths[0] ** -0.5
    near = arms.at(place + error * np.linspace(-3.0, 3.0, 121))[0]
    assert abs(int(near.argmax()) - 60) <= 8
    if count > 50 and 0.2 < share < 0.8:
        assert near[80] == pytest.approx(math.exp(-0.5), rel=0.15)


def test_some_of_the_arms_can_be_taken_out() -> None:
    arms = likelihood_of(
        Question.of("gaussian", thresholds=[0.0, 0.0]), Statistics(*map(np.array, ([4.0, 1.0], [8.0, 5.0], [0.0, 0.0])))
    )
    part = arms.part(slice(1, 2))
    assert isinstance(part, Likelihood)
    assert (part.places[0], part.strengths[0]) == (5.0, 1.0)


def test_two_point_arms_have_no_likelihood_on_a_scale() -> None:
    with pytest.raises(InvalidInputError, match="decides"):
        likelihood_of(Question.of("two-point", thresholds=0.0), Statistics(np.ones(1), np.ones(1), np.ones(1)))
