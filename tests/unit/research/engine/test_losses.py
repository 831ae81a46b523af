"""What verdicts cost, by hand."""

import numpy as np
import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.policy import find_index_policy, rule_of, verdict_of
from thresher.policy.policy import ANY_FALSE, ANY_MISTAKE, FALSE_SHARE
from thresher.problem import Problem
from thresher.research.engine import LOSSES, Loss, arms_of
from thresher.research.engine.losses import KINDS, RunLoss, judge


def judged(
    problem: Problem,
    counts: list[int],
    totals: list[float],
    *,
    loss: str = "costs",
    tolerance: float = 0.0,
    policy: str = "uniform",
) -> RunLoss:
    """Return the loss of an index policy's verdicts, given the pulls and the sum of each arm."""
    ranking = find_index_policy(policy).rank(problem)
    verdicts = [verdict_of(rule_of(ranking, k), float(counts[k]), totals[k]) for k in range(problem.n_arms)]
    return judge(arms_of(problem), problem.means, np.array(verdicts), Loss.named(loss, tolerance).code)


FOUR = Problem.gaussian([0.5, -0.5, 0.1, -2.0], sigma=[1.0, 1.0, 0.5, 2.0], costs=[1.0, 2.0, 4.0, 8.0])


def test_a_verdict_on_the_wrong_side_costs_its_arm() -> None:
    # Means 0.5, 0.1, -0.1, -1: the second and the third are on the wrong side.
    assert judged(FOUR, [2, 10, 10, 1], [1.0, 1.0, -1.0, -1.0]) == (6.0, 1.0)


def test_all_right_costs_nothing() -> None:
    assert judged(FOUR, [1, 1, 1, 1], [3.0, -1.0, 0.2, -1.0]) == (0.0, 0.0)


def test_a_mean_on_its_threshold_is_judged_below() -> None:
    assert judged(Problem.gaussian([1.0]), [1], [0.0]) == (1.0, 1.0)
    assert judged(Problem.gaussian([-1.0]), [1], [0.0]) == (0.0, 0.0)


def test_gaps_weigh_by_distance_and_ignore_costs() -> None:
    # |μ − θ| / √(2σ²) of arms 2 and 3: 0.5/√2 and 0.1/√(1/2).
    loss = judged(FOUR, [2, 10, 10, 1], [1.0, 1.0, -1.0, -1.0], loss="gaps").loss
    assert loss == pytest.approx(0.5 / np.sqrt(2.0) + 0.1 / np.sqrt(0.5))


def test_any_is_one_however_many_are_wrong() -> None:
    assert judged(FOUR, [2, 10, 10, 1], [1.0, 1.0, -1.0, -1.0], loss="any") == (1.0, 1.0)
    assert judged(FOUR, [1, 1, 1, 1], [3.0, -1.0, 0.2, -1.0], loss="any") == (0.0, 0.0)


def test_an_arm_on_its_bar_costs_nothing_either_way() -> None:
    problem = Problem.gaussian([0.3], thresholds=0.3)
    for total in (-1.0, 1.0):
        assert judged(problem, [1], [total]) == (0.0, 0.0)


def test_a_tolerance_forgives_arms_close_to_the_bar() -> None:
    # Locatelli's loss counts μ ≥ θ + ε and μ < θ − ε: with ε = ¼ the arm at +¼ counts, those at −¼ and +⅛ do not.
    problem = Problem.gaussian([0.25, -0.25, 0.125, -0.5])
    wrong = [-1.0, 1.0, -1.0, 1.0]
    assert judged(problem, [1] * 4, wrong, tolerance=0.25) == (2.0, 1.0)
    assert judged(problem, [1] * 4, wrong) == (4.0, 1.0)


def test_an_arm_without_a_sample_counts_half() -> None:
    assert judged(FOUR, [1, 1, 1, 0], [3.0, -1.0, 0.2, 0.0]) == (4.0, 0.5)
    assert judged(FOUR, [0, 1, 1, 0], [0.0, -1.0, 0.2, 0.0]) == (4.5, 0.75)
    assert judged(FOUR, [0, 1, 1, 0], [0.0, 1.0, 0.2, 0.0]) == (6.5, 1.0)


def test_a_toy_arm_that_showed_only_zeros_counts_half() -> None:
    toy = Problem.two_point([0.5, -0.5, 0.5])
    assert judged(toy, [3, 3, 3], [1.0, 0.0, 0.0], policy="apt") == (1.0, 0.75)


def test_a_prior_has_a_say_in_the_verdict() -> None:
    # One sample of −0.5 against n₀ = σ²/τ² = 4 pseudo-samples of 0.2: (−0.5 + 0.8)/5 > 0.
    problem = Problem.gaussian([0.3])
    assert judged(problem, [1], [-0.5]).loss == 1.0
    assert judged(problem, [1], [-0.5], policy="lsa:prior_mean=0.2,prior_sd=0.5").loss == 0.0


def test_a_pseudo_sample_at_the_bar_has_none() -> None:
    # kl evidence counts one pseudo-sample at θ = ½; ten of twenty is on the bar, and so below.
    problem = Problem.bernoulli([0.9])
    assert judged(problem, [20], [10.0], policy="stopping").loss == 1.0
    assert judged(problem, [20], [11.0], policy="stopping").loss == 0.0


# With more than m mistakes


@pytest.mark.parametrize(("verdicts", "mistakes"), [([1, -1, 1, -1], 0.0), ([1, 1, -1, -1], 2.0), ([0, 1, -1, 0], 3.0)])
def test_more_than_counts_mistakes_whatever_they_cost(verdicts: list[int], mistakes: float) -> None:
    # An arm without a verdict is half a mistake.
    for most in range(5):
        found = judge(arms_of(FOUR), FOUR.means, np.array(verdicts), Loss("more-than", most).code)
        assert found.loss == (mistakes > most)


def test_more_than_forgives_arms_close_to_the_bar() -> None:
    verdicts = np.array([-1, 1, -1, 1])
    for tolerance, wrong in ((0.0, 4), (0.2, 3), (0.7, 1)):
        losses = [
            judge(arms_of(FOUR), FOUR.means, verdicts, Loss("more-than", most, tolerance).code).loss
            for most in range(5)
        ]  # fmt: skip
        assert losses == [1.0 if most < wrong else 0.0 for most in range(5)]


# The errors that policies which stop by themselves promise to keep rare


def error(kind: str, verdicts: list[int], means: list[float]) -> float:
    return judge(arms_of(Problem.gaussian(means, 0.5)), np.array(means), np.array(verdicts), Loss(kind).code).loss


def test_errors_by_hand() -> None:
    # Output: one above, one on the bar, one below; given up: one above.
    verdicts, means = [1, 1, 1, -1, 0], [0.9, 0.5, 0.1, 0.8, 0.2]
    assert error(ANY_MISTAKE, verdicts, means) == 1.0
    assert error(FALSE_SHARE, verdicts, means) == pytest.approx(2.0 / 3.0)
    assert error(ANY_FALSE, verdicts, means) == 1.0


def test_a_mean_on_the_bar_is_an_error_only_where_it_is_the_hypothesis() -> None:
    for verdicts in ([1, -1], [1, 1]):
        assert error(ANY_MISTAKE, verdicts, [0.5, 0.5]) == 0.0
        assert error(ANY_FALSE, verdicts, [0.5, 0.5]) == 1.0
        assert error(FALSE_SHARE, verdicts, [0.5, 0.5]) == 1.0


def test_no_output_is_no_false_one() -> None:
    assert error(FALSE_SHARE, [0, -1], [0.9, 0.1]) == 0.0
    assert error(ANY_FALSE, [0, -1], [0.9, 0.9]) == 0.0
    assert error(ANY_MISTAKE, [0, -1], [0.9, 0.9]) == 1.0
    assert error(ANY_MISTAKE, [0, 0], [0.9, 0.1]) == 0.0


# Losses by name


@pytest.mark.parametrize(
    ("text", "loss"),
    [
        ("costs", Loss()),
        ("gaps", Loss("gaps")),
        ("any", Loss("any")),
        ("more-than", Loss("more-than", 0)),
        ("more-than:m=2", Loss("more-than", 2)),
        ("more-than:m=0", Loss("more-than", 0)),
    ],
)
def test_a_loss_is_found_by_its_name(text: str, loss: Loss) -> None:
    assert Loss.named(text) == loss
    assert Loss.named(text, 0.25) == Loss(loss.kind, loss.most, 0.25)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cost", "did you mean 'costs'"),
        ("any mistake", "loss"),  # what policies promise is not asked for
        ("", "loss"),
        (3, "loss"),
        ("costs:m=1", "parameter 'm' of the loss 'costs'"),
        ("more-than:n=1", "parameter 'n' of the loss 'more-than'"),
    ],
)
def test_an_unknown_loss_or_parameter_is_refused(text: object, sentence: str) -> None:
    with pytest.raises(UnknownNameError, match=sentence):
        Loss.named(text)


@pytest.mark.parametrize("most", ["-1", "1.5", "few", "²"])
def test_only_a_whole_number_of_mistakes_is_forgiven(most: str) -> None:
    with pytest.raises(InvalidInputError, match=r"m of the loss 'more-than' is .*; must be a whole number, at least 0"):
        Loss.named(f"more-than:m={most}")


def test_the_code_of_a_loss_says_all() -> None:
    codes = [Loss(kind, 2, 0.5).code for kind in KINDS]
    assert len({code.kind for code in codes}) == len(KINDS)
    assert {(code.most, code.tolerance) for code in codes} == {(2, 0.5)}
    assert LOSSES == ("costs", "gaps", "any", "more-than")


@pytest.mark.parametrize(
    ("loss", "axis"),
    [
        (Loss(), "mistakes (weighted by cost)"),
        (Loss("gaps"), "sum of gaps misjudged"),
        (Loss("any"), "chance of any mistake"),
        (Loss("more-than", 2), "chance of more than 2 mistakes"),
        (Loss(ANY_MISTAKE), "chance of any mistake"),
        (Loss(FALSE_SHARE), "share of false outputs"),
        (Loss(ANY_FALSE), "chance of any false output"),
    ],
)
def test_every_loss_has_its_axis(loss: Loss, axis: str) -> None:
    assert loss.axis == axis
