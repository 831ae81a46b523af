"""No wrong input gets in: a clear error, nothing stored."""

# ruff: noqa: D102 - the name of a test is its promise

from __future__ import annotations

from typing import Any

import pytest

from thresher.errors import (
    CampaignExistsError,
    InvalidOutcomeError,
    InvalidProblemError,
    UnknownCampaignError,
    UnknownNameError,
)
from thresher.testing.campaign_contract.place import Place, make, take


class WrongInput:
    """No wrong input gets in: a clear error, nothing stored."""

    @pytest.mark.parametrize(
        "outcome",
        [2, -1, 0.5, float("nan"), float("inf"), -float("inf"), "1", None, 1j, [1], b"1", 10**400],
        ids=lambda outcome: str(outcome)[:10],
    )
    def test_an_outcome_that_a_coin_cannot_give_is_refused(self, place: Place, outcome: Any) -> None:
        campaign = make(place)
        ticket = take(campaign)
        events = campaign.standing.events
        with pytest.raises(InvalidOutcomeError):
            campaign.tell(ticket, outcome)
        assert campaign.standing.events == events

    def test_a_bounded_outcome_stays_in_its_range(self, place: Place) -> None:
        campaign = make(place, family="bounded", low=1.0, high=5.0, threshold=3.0)
        ticket = take(campaign)
        with pytest.raises(InvalidOutcomeError):
            campaign.tell(ticket, 5.1)
        campaign.tell(ticket, 5)

    @pytest.mark.parametrize(
        "given",
        [
            {"arms": []},
            {"arms": "abc"},
            {"arms": ["a", "a"]},
            {"arms": ["a", ""]},
            {"arms": ["a", "x" * 10_000]},
            {"arms": ["a", "b\0"]},
            {"arms": ["a", "\ud800"]},
            {"arms": [None]},
            {"threshold": None},
            {"threshold": 1.5},
            {"threshold": [0.5, 0.5]},
            {"threshold": float("nan")},
            {"budget": float("nan")},
            {"budget": -1},
            {"budget": "9"},
            {"costs": 0.0},
            {"pull_costs": -1.0},
            {"lease": 0},
            {"lease": float("inf")},
            {"policy": "oracle"},
            {"policy": "sprt"},
            {"policy": "uniform-iid"},
            {"sigma": 1.0},
            {"stop_price": -1.0},
            {"confidence": 0.0},
        ],
        ids=lambda given: str(given)[:40],
    )
    def test_a_wrong_beginning_is_refused_and_leaves_nothing(self, place: Place, given: dict[str, Any]) -> None:
        with pytest.raises(InvalidProblemError):
            make(place, **given)
        with pytest.raises(UnknownCampaignError):
            place.open()

    @pytest.mark.parametrize("given", [{"policy": "lsb"}, {"family": "coin"}, {"expiry": "never"}])
    def test_an_unknown_name_is_refused_with_the_nearest(self, place: Place, given: dict[str, Any]) -> None:
        with pytest.raises(UnknownNameError):
            make(place, **given)

    @pytest.mark.parametrize(
        "name",
        ["with 'quotes' \"and\" more", "שלום", "a\u200bb", "💥", "<script>", "=1+1", "../x", "a;b--", "%s %(x)s :y"],
    )
    def test_any_printable_name_is_kept_as_it_is(self, place: Place, name: str) -> None:
        campaign = make(place, name, arms=[name, "other"])
        assert take(campaign).arm == name
        assert place.open(name).verdicts()[0].arm == name
        campaign.retire(name)
        campaign.verify()

    def test_a_name_is_taken_once(self, place: Place) -> None:
        make(place)
        with pytest.raises(CampaignExistsError):
            make(place)
        with pytest.raises(UnknownCampaignError, match="'c'"):
            place.open("cc")
        make(place, "d")
        assert [standing.name for standing in place.standings()] == ["c", "d"]
