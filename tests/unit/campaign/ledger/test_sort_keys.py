"""The key of an arm: the simulator's formula, opened arms apart, retired ones last."""

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.campaign.ledger import Arm, SortKeys, Terms
from thresher.errors import InvalidInputError
from thresher.policy import ArmStatistics, index_in_flight, register_policy
from thresher.policy.index import register_index

FAMILIES = ["gaussian", "bernoulli", "bounded", "gaussian-unknown-variance"]
POLICIES = ["lsa:alpha=1.35", "apt", "fwt", "fwt-sqrt", "stopping", "stopping:prior_mean=0.3,prior_sd=0.2", "uniform"]

# A prior needs a known variance.
CASES = [(f, p) for f in FAMILIES for p in POLICIES if (f, "prior" in p) != ("gaussian-unknown-variance", True)]


def arm_of(pulls: int, outstanding: int, total: float = 0.0, squares: float = 0.0, **more: float) -> Arm:
    given = {"threshold": 0.5, "sigma": 0.5, "cost": 2.0} | more
    return Arm(0, "a", pull_cost=1_000_000, pulls=pulls, outstanding=outstanding, total=total, squares=squares, **given)  # type: ignore[arg-type]


def test_a_worked_case() -> None:
    # lsa on a Gaussian arm: x + log(n / a), n = 4, mean 1, gap 1/2, sigma 1/2: x = 4 · (1/4) / (2 · 1/4) = 2.
    key = SortKeys(Terms(family="gaussian", policy="lsa")).of(arm_of(4, 0, total=4.0))
    assert key == pytest.approx(2.0 + math.log(4 / 2))
    # Two in flight: n + m = 6 and x (1 + 2/4) + 2 / (2 · 4) = 3.25.
    busy = SortKeys(Terms(family="gaussian", policy="lsa")).of(arm_of(4, 2, total=4.0))
    assert busy == pytest.approx(3.25 + math.log(6 / 2))


@pytest.mark.parametrize(("family", "policy"), CASES)
@given(pulls=st.integers(1, 50), outstanding=st.integers(0, 9), mean=st.floats(0, 1), spread=st.floats(0, 0.5))
def test_it_equals_the_key_of_the_simulator_bit_for_bit(
    family: str, policy: str, pulls: int, outstanding: int, mean: float, spread: float
) -> None:
    ranking = SortKeys(Terms(family=family, policy=policy))
    arm = arm_of(pulls, outstanding, pulls * mean, pulls * ((mean - 0.5) ** 2 + spread**2))
    if pulls + outstanding < ranking._first_pulls:
        assert ranking.of(arm) == -math.inf
        return
    rule = ranking.rule_of(arm)
    twin = index_in_flight(rule, float(pulls), arm.total, arm.squares, float(outstanding))
    assert ranking.of(arm) == max(twin, -sys.float_info.max)


def test_arms_to_be_opened_come_first_then_those_on_the_bar_then_those_never_told() -> None:
    ranking = SortKeys(Terms(family="gaussian", policy="stopping"))
    new, on_the_bar, asked, asked_twice = (arm_of(0, 0), arm_of(2, 0, total=1.0), arm_of(0, 1), arm_of(0, 2))
    told = arm_of(3, 0, total=0.3)
    keys = [ranking.of(arm) for arm in (new, on_the_bar, asked, asked_twice, told)]
    assert keys == sorted(keys)
    assert len(set(keys)) == 5
    assert keys[0] == -math.inf


def test_an_arm_of_unknown_variance_is_opened_by_three_pulls() -> None:
    ranking = SortKeys(Terms(family="gaussian-unknown-variance", policy="lsa"))
    assert [ranking.of(arm_of(n, m)) == -math.inf for n, m in ((0, 2), (2, 0), (1, 1), (3, 0), (2, 1), (0, 3))] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


def test_a_retired_arm_is_never_asked() -> None:
    assert SortKeys(Terms(family="gaussian")).of(arm_of(0, 0)._replace(retired=1)) == math.inf


def test_both_mistakes_weigh_in_the_index_by_their_mean() -> None:
    plain, dear = Terms(family="gaussian", policy="lsa"), Terms(family="gaussian", policy="lsa", false_pass=5.0)
    arm = arm_of(4, 0, total=4.0)
    assert SortKeys(dear).of(arm) == pytest.approx(SortKeys(plain).of(arm) - math.log(3.0))


def test_a_formula_that_gives_nan_puts_its_arm_last() -> None:
    @register_index("afraid-of-41")
    def afraid(count: float, evidence: float, cost: float) -> float:
        return math.log(count / cost) + evidence if count != 41.0 else math.nan

    ranking = SortKeys(Terms(family="gaussian", policy="afraid-of-41"))
    assert ranking.of(arm_of(41, 0, total=4.0)) == sys.float_info.max
    assert ranking.of(arm_of(4, 0, total=4.0)) == pytest.approx(2.0 + math.log(2.0))


@pytest.mark.parametrize("policy", ["sprt", "oracle", "uniform-iid"])
def test_a_policy_that_knows_the_truth_or_has_no_index_is_refused(policy: str) -> None:
    with pytest.raises(InvalidInputError, match=f"policy is '{policy}'; must "):
        SortKeys(Terms(family="gaussian", policy=policy))


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ("ucbe", "policy is 'ucbe'; must not need the true means, which a campaign does not have; use one"),
        ("csar", "policy is 'csar'; must rank each arm by its own outcomes alone, not by those of all arms; use one"),
        ("more-than", "must rank each arm by its own outcomes alone"),
    ],
)
def test_a_refusal_says_why(policy: str, why: str) -> None:
    with pytest.raises(InvalidInputError, match=why):
        SortKeys(Terms(family="gaussian", policy=policy))


def test_a_policy_of_the_users_own_is_refused() -> None:
    @register_policy("by-turns")
    def by_turns(seen: ArmStatistics, rng: object) -> int:
        return int(seen.counts.argmin())

    with pytest.raises(InvalidInputError, match="policy is 'by-turns'; must rank each arm by its own"):
        SortKeys(Terms(family="gaussian", policy="by-turns"))


def test_kl_apt_ranks_live_arms() -> None:
    # Three passes and a pseudo-sample on the bar: 4 kl(3.5 / 4, 1/2) = 4 (7/8 log 7/4 + 1/8 log 1/4), costs ignored.
    key = SortKeys(Terms(family="bernoulli", policy="kl-apt"))
    assert key.of(arm_of(3, 0, total=3.0)) == pytest.approx(3.5 * math.log(1.75) + 0.5 * math.log(0.25))
    assert key.of(arm_of(3, 0, total=2.0)) < key.of(arm_of(3, 0, total=3.0))
