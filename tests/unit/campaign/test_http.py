"""A campaign behind a service when the way to it is bad: what was lost is sent again, and counts once."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import stamina

from tests.support.places import MemoryPlace
from tests.support.service_place import ServicePlace, service_place
from thresher.campaign import Campaign, service_client
from thresher.campaign.http import HttpBackend
from thresher.campaign.service_client import ServiceClient
from thresher.errors import (
    AccessDeniedError,
    CampaignExistsError,
    InvalidInputError,
    StorageUnavailableError,
    UnknownTicketError,
)

Request = Callable[..., httpx2.Response]


@pytest.fixture(scope="module")
def place() -> Iterator[ServicePlace]:
    with service_place(MemoryPlace()) as place:
        yield place


@pytest.fixture
def campaign(place: ServicePlace) -> Campaign:
    return place.create(uuid4().hex, arms=["a", "b", "c"], threshold=0.5, budget=20)


@pytest.fixture(autouse=True)
def impatience() -> Iterator[None]:
    """Do not wait between attempts."""
    with stamina.set_testing(True, attempts=4):
        yield


def http_of(campaign: Campaign) -> httpx2.Client:
    backend = campaign._backend
    assert isinstance(backend, HttpBackend)
    return backend._client._http


def lose_answers(campaign: Campaign, monkeypatch: pytest.MonkeyPatch, *, times: int = 2) -> None:
    """Let the next calls arrive and their answers get lost."""
    send: Request = http_of(campaign).request
    left = times

    def lossy(*words: Any, **given: Any) -> httpx2.Response:
        nonlocal left
        answer = send(*words, **given)
        if left:
            left -= 1
            raise httpx2.ReadError("the line is dead")
        return answer

    monkeypatch.setattr(http_of(campaign), "request", lossy)


def test_an_ask_whose_answer_was_lost_takes_its_units_once(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_answers(campaign, monkeypatch)
    tickets = campaign.ask(3)
    assert len(tickets) == 3
    assert campaign.outstanding == 3


def test_an_outcome_whose_receipt_was_lost_counts_once(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    [ticket] = campaign.ask(1)
    lose_answers(campaign, monkeypatch)
    assert campaign.tell(ticket, 1).replayed
    assert campaign.spent == 1


def test_what_is_added_to_the_budget_is_added_once(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_answers(campaign, monkeypatch)
    campaign.extend(5)
    assert campaign.budget == 25


def test_aggregates_count_once(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_answers(campaign, monkeypatch)
    campaign.tell_counts("a", n=4, total=2)
    assert campaign.spent == 4


def test_what_cannot_be_repeated_is_not(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_answers(campaign, monkeypatch, times=1)
    with pytest.raises(StorageUnavailableError, match="the line is dead"):
        campaign.add_arms(["d"], threshold=0.5)
    assert len(campaign.verdicts()) == 4  # it had arrived; sent again it would have been refused


def test_a_service_that_is_away_is_tried_again(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([httpx2.Response(503, headers={"Retry-After": "1"}), httpx2.Response(429), httpx2.Response(502)])
    send: Request = http_of(campaign).request
    monkeypatch.setattr(
        http_of(campaign), "request", lambda *words, **given: next(answers, None) or send(*words, **given)
    )
    assert campaign.ask() is not None


def test_a_service_that_stays_away_is_given_up(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_of(campaign), "request", lambda *_, **__: httpx2.Response(503))
    with pytest.raises(StorageUnavailableError, match="status 503"):
        campaign.ask()


def test_an_address_without_a_server_is_an_error() -> None:
    with pytest.raises(StorageUnavailableError, match=r"no response from http://127\.0\.0\.1:9: .*check the address"):
        Campaign.open("http://127.0.0.1:9", "c")


def attempts_until_given_up(client: ServiceClient, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often a call is sent without a server, if the time for a first contact is over at once."""
    attempts = 0

    def refused(*_: Any, **__: Any) -> httpx2.Response:
        nonlocal attempts
        attempts += 1
        raise httpx2.ConnectError("refused")

    monkeypatch.setattr(client._http, "request", refused)
    monkeypatch.setattr(service_client, "FIRST_CONTACT", -1.0)
    with pytest.raises(StorageUnavailableError):
        client.call("GET", "/campaigns")
    return attempts


def test_a_service_that_never_answered_is_given_up_soon_and_one_that_did_is_not(
    place: ServicePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(ServiceClient(place.address, place.token)) as client:
        assert attempts_until_given_up(client, monkeypatch) == 1
    with closing(ServiceClient(place.address, place.token)) as client:
        client.call("GET", "/campaigns")
        assert attempts_until_given_up(client, monkeypatch) == 4  # all that the fixture allows


def test_a_token_is_needed_and_comes_from_the_environment_too(
    place: ServicePlace, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("THRESHER_TOKEN", raising=False)
    with pytest.raises(AccessDeniedError, match="thresher token new"):
        Campaign.open(place.address, campaign.name)
    with pytest.raises(AccessDeniedError):
        Campaign.open(place.address, campaign.name, token="thresher_x_y")
    monkeypatch.setenv("THRESHER_TOKEN", f"{place.token}\n")  # as read from a file
    opened = Campaign.open(place.address + "/", campaign.name)
    assert opened.name == campaign.name
    opened.disconnect()


@pytest.mark.parametrize("address", ["https://", "https://user@host", "https://host?token=x", "ftp://host"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(InvalidInputError):
        ServiceClient(address)


def test_many_arms_go_in_several_calls(place: ServicePlace) -> None:
    names = [f"arm {k} {'x' * 100}" for k in range(4500)]
    campaign = place.create("many", arms=names, threshold=0.5, budget=5000)
    assert [row.arm for row in campaign.verdicts()] == names
    assert campaign.standing.arms == 4500


def test_a_long_history_comes_whole(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.campaign.service_client.ROWS_IN_A_CALL", 2)
    for ticket in campaign.ask(4):
        campaign.tell(ticket, 1)
    assert [entry.seq for entry in campaign.history()] == [1, 2, 3, 4, 5, 6, 7]
    assert [entry.seq for entry in campaign.history(after=1, limit=3)] == [2, 3, 4]


def test_what_is_no_ticket_is_not_even_sent(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_of(campaign), "request", None)
    for wrong in ("", "x", "1-" + "a" * 200):
        with pytest.raises(UnknownTicketError):
            campaign.tell(wrong, 1)


def test_a_campaign_is_created_once_if_the_answer_is_lost(place: ServicePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    send, lost = httpx2.Client.request, list[str]()

    def lossy(self: httpx2.Client, method: str, url: str, **given: Any) -> httpx2.Response:
        answer = send(self, method, url, **given)
        if method == "POST" and len(lost) < 2:
            lost.append(url)
            raise httpx2.ReadError("the line is dead")
        return answer

    given: dict[str, Any] = {"arms": ["a", "b", "c"], "control": "b", "budget": 20, "unit": "ms"}
    with monkeypatch.context() as patch:
        patch.setattr(httpx2.Client, "request", lossy)
        campaign = place.create("lost", **given)
    assert (len(lost), campaign.terms.unit, campaign.budget) == (2, "ms", 20)
    lost.clear()
    with monkeypatch.context() as patch:
        patch.setattr(httpx2.Client, "request", lossy)
        with pytest.raises(CampaignExistsError):  # that one is not what is asked for
            place.create("lost", **(given | {"unit": "s"}))
