import math

import numpy as np
import pytest

from reproduction.feasible import FEASIBLE, FeasibleProblem, box, find_feasible_policy, half_space
from reproduction.feasible.choice import key_of, least
from reproduction.feasible.md_apt import md_apt_key
from reproduction.feasible.md_sar import md_sar_close, md_sar_quota
from reproduction.feasible.md_ucbe import md_ucbe_bonus, md_ucbe_key
from reproduction.feasible.policy import MD_APT, MD_SAR, MD_UCBE, UNIFORM, State
from thresher.errors import InvalidInputError, UnknownNameError

PROBLEM = FeasibleProblem(means=np.array([(0.5,), (1.5,), (3.0,)]), region=half_space([1.0], 1.0))


def state(counts: list[int], margins: list[float], keys: list[float]) -> State:
    return State(
        np.array(counts), np.zeros((len(counts), 1)), np.array(margins), np.array(keys, float), np.zeros(1, np.int64)
    )


def test_the_formulas_by_hand() -> None:
    assert md_apt_key(9.0, 0.5) == 1.5
    assert md_ucbe_key(4.0, 0.5, 9.0) == 0.5 - 1.5
    # 10 times 25/36 times (2000 - 20)/891.
    assert md_ucbe_bonus(10.0, 2000, 20, 891.0) == pytest.approx(10 * 25 / 36 * 1980 / 891)
    assert md_ucbe_bonus(1.0, 2000, 20, math.inf) == 0.0
    assert [key_of(code, 9.0, 0.5, 9.0) for code in (MD_APT, MD_SAR, MD_UCBE, UNIFORM)] == [1.5, 9.0, -0.5, 9.0]


def test_the_quotas_of_md_sar_by_hand() -> None:
    # K = 3: 1/2 + 1/2 + 1/3 = 4/3. T - K = 12: 9/(K + 1 - k) = 3, 4.5.
    assert [md_sar_quota(k, 3, 15) for k in (1, 2)] == [3, 5]


@pytest.mark.parametrize("n_arms", [2, 3, 5, 20])
@pytest.mark.parametrize("horizon", [21, 22, 100, 2000])
def test_md_sar_never_needs_more_than_its_horizon(n_arms: int, horizon: int) -> None:
    quotas = [md_sar_quota(k, n_arms, horizon) for k in range(1, n_arms)]
    assert sum(quotas) + quotas[-1] <= horizon
    assert quotas[0] >= 1


def test_the_least_key_is_next_and_the_first_of_equals() -> None:
    assert least(np.array([2.0, 1.0, 1.0])) == 1
    assert least(np.array([1.0, -math.inf, -math.inf])) == 1
    assert least(np.array([math.inf])) == 0


def test_md_sar_leaves_the_arm_of_largest_margin_alone() -> None:
    quotas = np.array([2, 3, 0])
    here = state([2, 2, 2], [0.1, 0.7, 0.7], [2.0, 2.0, 2.0])
    assert not md_sar_close(here, quotas)
    assert here.keys.tolist() == [2.0, math.inf, 2.0]
    assert not md_sar_close(here, quotas)  # the second round has begun, and arm 0 is next
    here.keys[[0, 2]] = 3.0
    assert md_sar_close(here, quotas)  # two rounds for three arms
    assert here.keys.tolist() == [3.0, math.inf, math.inf]


def test_what_each_is_told() -> None:
    flags = {name: (build().needs_truth, build().needs_horizon) for name, build in FEASIBLE.items()}
    assert flags == {
        "md-apt": (False, False),
        "md-sar": (False, True),
        "md-ucbe": (True, True),
        "uniform": (False, False),
    }
    # A horizon of its own: one run serves all budgets.
    assert find_feasible_policy("md-sar").rules(PROBLEM, [6, 9]).restarts
    assert not find_feasible_policy("md-sar:horizon=9").rules(PROBLEM, [6, 9]).restarts
    np.testing.assert_array_equal(
        find_feasible_policy("md-sar:horizon=15").rules(PROBLEM, [6, 9]).quotas, [[3, 5, 0], [3, 5, 0]]
    )
    margins = PROBLEM.margins  # 0.5, 0.5 and 2
    bonus = find_feasible_policy("md-ucbe:scale=2").rules(PROBLEM, [15]).bonuses[0]
    assert bonus == pytest.approx(2 * 25 / 36 * 12 / (margins**-2.0).sum()) == pytest.approx(2 * 25 / 36 * 12 / 8.25)


@pytest.mark.parametrize(
    ("name", "budget", "said"),
    [
        ("md-apt", 2, "at least 3"),
        ("md-sar", 3, "at least 4"),
        ("md-sar:horizon=5", 6, "longer horizon"),
    ],
)
def test_a_budget_that_does_not_fit_is_refused(name: str, budget: int, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        find_feasible_policy(name).rules(PROBLEM, [budget])


def test_md_sar_needs_two_arms() -> None:
    alone = FeasibleProblem(means=np.array([(0.5,)]), region=box([0.0], [1.0]))
    with pytest.raises(InvalidInputError, match="must be at least 2"):
        find_feasible_policy("md-sar").rules(alone, [5])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("md-ucbe:scale=0", InvalidInputError),
        ("md-ucbe:scale=inf", InvalidInputError),
        ("md-sar:horizon=-1", InvalidInputError),
        ("md-apt:scale=1", UnknownNameError),
        ("apt", UnknownNameError),
    ],
)
def test_bad_names_and_parameters_are_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        find_feasible_policy(text)
