"""The terms of a campaign."""

import math

import pytest

from thresher.campaign import Campaign
from thresher.campaign.arms import first_rows
from thresher.campaign.backends import create
from thresher.campaign.ledger import Terms, cost_of
from thresher.campaign.storage import MemoryStorage
from thresher.errors import InvalidInputError, StorageError, UnknownNameError


def test_they_are_stored_and_read_again() -> None:
    terms = Terms(family="bounded", low=1, high=5, lease=0.5, stop_price=0.01, expiry="forfeit")
    assert Terms.from_json(terms.to_json()) == terms
    assert (terms.low, terms.lease_micros) == (1.0, 500_000)
    assert terms.ceiling == pytest.approx(-math.log(0.01))
    assert Terms(family="gaussian").ceiling == math.inf


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"family": "coin"}', '{"family": "gaussian", "more": 1}', '{"family": 3}']
)
def test_damaged_terms_are_a_storage_error(text: str) -> None:
    with pytest.raises(StorageError, match="cannot be read"):
        Terms.from_json(text)


@pytest.mark.parametrize(
    "given",
    [
        {"lease": 0.0}, {"lease": 1e12}, {"lease": "600"}, {"lease": True}, {"low": 1.0}, {"stop_mistakes": -1.0},
        {"false_pass": 0.0}, {"abstain": 0.0}, {"abstain": 1.1}, {"confidence": 1.0}, {"stop_price": math.nan},
    ],
    ids=str,
)  # fmt: skip
def test_numbers_out_of_range_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(InvalidInputError):
        Terms(family="bounded", **given)  # type: ignore[arg-type]


def test_a_term_of_a_newer_version_is_named() -> None:
    with pytest.raises(StorageError, match="'colour' is unknown to this version; install a newer thresher"):
        Terms.from_json('{"family": "gaussian", "colour": 0.1}')


def test_the_confidence_of_an_old_campaign_is_its_risk() -> None:
    old = Terms.from_json('{"family": "gaussian", "confidence": 0.01, "abstain": 0.2}')
    assert (old.risk, old.abstain) == (0.01, 0.2)
    assert Terms.from_json(old.to_json()) == old
    assert old.adjusted(risk=0.05).risk == 0.05


def test_terms_to_judge_by_are_checked_and_leave_the_campaign_as_it_is() -> None:
    terms = Terms(goal="decide")
    assert terms.adjusted(risk=None) is terms
    assert terms.adjusted(guarantee="fwer").guarantee == "fwer"  # no rule for choosing arms
    with pytest.raises(InvalidInputError, match=r"stop_price is 0\.1; must be 0 with the goal 'decide'"):
        Terms(goal="decide", stop_price=0.1)


def test_what_is_wrong_is_told_by_name_value_and_rule() -> None:
    with pytest.raises(InvalidInputError, match=r"^abstain is 1\.1; must be above 0 and at most 1$") as caught:
        Terms(abstain=1.1)
    assert (caught.value.where, caught.value.rule) == ("abstain", "must be above 0 and at most 1")
    with pytest.raises(InvalidInputError, match=r"^high is 1; must be above low, which is 2$"):
        Terms(family="bounded", low=2.0)


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="'reissue'"):
        Terms(family="gaussian", expiry="reisue")
    with pytest.raises(UnknownNameError, match="'gaussian'"):
        Terms(family="gausian")


def test_a_campaign_of_an_earlier_version_keeps_a_risk_that_a_new_one_must_not_have() -> None:
    storage = MemoryStorage()
    old = Terms(risk=0.7, low=-1.0)
    create(storage, "old", old, first_rows(old, ["a", "b"], thresholds=0.5), budget=9)
    campaign = Campaign.open(storage, "old")
    assert campaign.terms == old
    assert campaign.verdicts(unit="ms").said.risk == 0.7  # another term may be changed
    campaign.verify()
    for refused in (lambda: campaign.verdicts(risk=0.5), lambda: Terms.of_new(risk=0.5)):
        with pytest.raises(InvalidInputError, match=r"^risk is 0\.5; must be between 0 and 0\.5 \(exclusive\)$"):
            refused()


def test_a_range_for_a_family_that_ignores_it_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"^low is -1; must be left out: the family 'gaussian' does not use it"):
        Terms.of_new(family="gaussian", low=-1.0)
    assert Terms.of_new(family="bounded", low=-1.0).low == -1.0


def test_costs_within_the_limits_of_the_terms_may_be_told() -> None:
    limited = Terms(least_cost=0.5, most_cost=2)
    assert [cost_of(cost, limited) for cost in (None, 0.5, 2)] == [None, 500_000, 2_000_000]
    assert cost_of(0, Terms()) == 0  # no limits: as earlier versions have it
    with pytest.raises(InvalidInputError, match=r"^most_cost is 1; must be at least least_cost, 2$"):
        Terms(least_cost=2, most_cost=1)
