"""No wrong input gets in: a clear error, nothing stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.contracts.campaign_contract.place import Place, make, take
from thresher.errors import (
    CampaignExistsError,
    InvalidInputError,
    InvalidOutcomeError,
    UnknownCampaignError,
    UnknownNameError,
    UnknownTicketError,
)


class WrongInputContract:
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
            {"arms": ["a", " "]},
            {"arms": ["a", "\u200b\u2060"]},
            {"arms": ["a", True]},
            {"arms": [None]},
            {"threshold": None},
            {"threshold": 1.5},
            {"threshold": [0.5, 0.5]},
            {"threshold": float("nan")},
            {"budget": float("nan")},
            {"budget": -1},
            {"budget": "9"},
            {"budget": True},
            {"budget": 10**400},
            {"policy": 5},
            {"lease": 10**400},
            {"costs": 0.0},
            {"pull_costs": -1.0},
            {"lease": 0},
            {"lease": float("inf")},
            {"policy": "oracle"},
            {"policy": "sprt"},
            {"policy": "uniform-iid"},
            {"sigma": 1.0},
            {"stop_price": -1.0},
            {"risk": 0.0},
            {"tolerance": 0.5},
            {"unit": "\n"},
        ],
        ids=lambda given: str(given)[:40],
    )
    def test_a_wrong_beginning_is_refused_and_leaves_nothing(self, place: Place, given: dict[str, Any]) -> None:
        with pytest.raises(InvalidInputError):
            make(place, **given)
        with pytest.raises(UnknownCampaignError):
            place.open()

    @pytest.mark.parametrize(
        "given", [{"policy": "lsb"}, {"family": "coin"}, {"expiry": "never"}, {"leese": 60}, {"passes": "left"}]
    )
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

    @pytest.mark.parametrize("text", ["caf\udce9", "\ud800", "a\0b"], ids=ascii)
    def test_a_text_that_no_database_keeps_gets_nowhere(self, place: Place, text: str) -> None:
        campaign = make(place)
        ticket = take(campaign)
        campaign.tell(ticket, 1)
        history = campaign.history()
        for refused in (
            lambda: make(place, text),
            lambda: place.open(text),
            lambda: campaign.ask(key=text),
            lambda: campaign.extend(1, key=text),
            lambda: campaign.tell_counts("a", n=1, total=1, key=text),
            lambda: campaign.tell_counts(text, n=1, total=1),
            lambda: campaign.retire(text),
            lambda: campaign.add_arms([text], threshold=0.5),
            lambda: campaign.fail(ticket, reason=text),
            lambda: campaign.void(ticket, reason=text),
            lambda: campaign.amend(ticket, 0, reason=text),
            lambda: campaign.close(reason=text),
        ):
            with pytest.raises(InvalidInputError):
                refused()
        with pytest.raises(UnknownTicketError):
            campaign.tell(f"{ticket.id}{text}", 1)
        assert campaign.history() == history

    def test_what_is_of_another_type_is_refused_by_name(self, place: Place) -> None:
        campaign: Any = make(place)
        ticket = take(campaign)
        for name in (None, 1.5, ["c"], True):
            with pytest.raises(InvalidInputError, match="name of a campaign is"):
                place.open(name)  # type: ignore[arg-type]
            with pytest.raises(InvalidInputError, match="name of an arm is"):
                campaign.retire(name)
            with pytest.raises(InvalidInputError, match="name of an arm is"):
                campaign.tell_counts(name, n=1, total=1)
        with pytest.raises(UnknownCampaignError):
            place.open(5)  # type: ignore[arg-type]
        for pairs in (None, 7, [1, 2], [(ticket, 1, 2, 3)], [(ticket,)], [None]):
            with pytest.raises(InvalidOutcomeError, match="pairs"):
                campaign.tell_many(pairs)
        for wrong in ({"limit": 0}, {"limit": -1}, {"limit": "x"}, {"after": "x"}, {"after": -1}, {"after": None}):
            with pytest.raises(InvalidInputError):
                campaign.history(**wrong)
        for n in (0, -1, 10_001, 10**400, "2", 1.5, True):
            with pytest.raises(InvalidInputError):
                campaign.ask(n)
        for amount in (0, -1, 10**400, float("nan"), "5", None, True, 1e12):
            with pytest.raises(InvalidInputError):
                campaign.extend(amount)
        assert (campaign.budget, campaign.outstanding) == (9, 1)

    def test_numbers_of_numpy_are_numbers(self, place: Place) -> None:
        campaign: Any = make(place, budget=np.int64(9), lease=np.float32(60), arms=np.arange(3))
        campaign.extend(np.int64(5))
        campaign.extend(np.float32(0.5))
        assert campaign.budget == 14.5
        campaign.tell_counts("1", n=np.int64(4), total=np.int32(2), paid=False)
        tickets = campaign.ask(np.int64(2))
        campaign.tell_many([(ticket, np.bool_(True)) for ticket in tickets])
        campaign.retire(np.int64(2))
        assert len(campaign.history(after=np.int64(2), limit=np.int64(3))) == 3
        campaign.verify()

    def test_a_name_is_taken_once(self, place: Place) -> None:
        make(place)
        with pytest.raises(CampaignExistsError):
            make(place)
        with pytest.raises(UnknownCampaignError, match="'c'"):
            place.open("cc")
        make(place, "d")
        assert [standing.name for standing in place.standings()] == ["c", "d"]
