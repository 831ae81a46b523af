"""Void and amend during other writes: the sums equal those of a replay, and the lock is held briefly."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.places import StoragePlace
from thresher.campaign import Campaign
from thresher.campaign.amendments import CORRECTIONS
from thresher.campaign.ledger import CampaignState
from thresher.campaign.local import LocalBackend
from thresher.campaign.storage import RowsToRead

POSTGRES = pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))
VALUES = [0.1, 0.7, 1e9, -0.2, 0.3, 1e8 + 0.1]  # sums of these depend on their order


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
def place(request: pytest.FixtureRequest) -> StoragePlace:
    """A place for campaigns in each kind of storage."""
    found: StoragePlace = request.getfixturevalue(f"{request.param}_place")
    return found


@pytest.fixture
def campaign(place: StoragePlace) -> Campaign:
    """A campaign of two arms; ``a`` has an outcome of each value."""
    campaign = place.create("c", arms=["a", "b"], threshold=0.3, budget=1000, family="gaussian", sigma=1.0)
    for value in VALUES:
        tell(campaign, "a", value)
    return campaign


def tell(campaign: Campaign, arm: str, value: float) -> str:
    """Tell an outcome of an arm; return its ticket."""
    return campaign.tell_counts(arm, n=1, total=value, squares=value * value).ticket


def tickets_of(campaign: Campaign) -> list[str]:
    """Return the tickets of all outcomes, in their order."""
    return [entry.details["ticket"] for entry in campaign.history() if entry.kind == "counted"]


def interrupt(campaign: Campaign, monkeypatch: pytest.MonkeyPatch, *doings: Callable[[], object]) -> None:
    """Do something between each look of a correction and its transaction."""
    backend = campaign._backend
    assert isinstance(backend, LocalBackend)
    look, waiting = backend.stored.storage.look, list(doings)

    def interrupted(number: int, need: RowsToRead) -> CampaignState:
        seen = look(number, need)
        if need.arm_pulls and waiting:
            monkeypatch.setattr(backend.stored.storage, "look", look)  # what is done in between may look too
            waiting.pop(0)()
            monkeypatch.setattr(backend.stored.storage, "look", interrupted)
        return seen

    monkeypatch.setattr(backend.stored.storage, "look", interrupted)


def statistics_of(campaign: Campaign) -> tuple[int, float]:
    """Return the outcomes and the sum of arm ``a``."""
    backend = campaign._backend
    assert isinstance(backend, LocalBackend)
    with backend.stored.snapshot() as now:
        arm = now.arms(first=0, limit=1)[0]
    return arm.pulls, arm.total


def test_outcomes_that_come_in_between_are_in_the_sums(
    campaign: Campaign, place: StoragePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = place.open("c")

    def meanwhile() -> None:
        tell(other, "a", 0.7)
        tell(other, "b", 5.0)
        tell(other, "a", 1e-9)

    interrupt(campaign, monkeypatch, meanwhile)
    campaign.void(tickets_of(campaign)[2])
    kept, total = [*VALUES[:2], *VALUES[3:], 0.7, 1e-9], 0.0
    for value in kept:
        total += value
    assert statistics_of(campaign) == (7, total)
    campaign.verify()


@pytest.mark.parametrize("times", [1, CORRECTIONS])
def test_another_correction_in_between_is_in_the_sums(
    campaign: Campaign, place: StoragePlace, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    other, tickets = place.open("c"), tickets_of(campaign)
    left = [ticket for k, ticket in enumerate(tickets) if k != 2]
    interrupt(campaign, monkeypatch, *(lambda ticket=ticket: other.void(ticket) for ticket in left[:times]))
    campaign.void(tickets[2], reason="a typo")
    kept, total = [value for value in VALUES if value != VALUES[2]][times:], 0.0
    for value in kept:
        total += value
    assert statistics_of(campaign) == (len(kept), total)
    campaign.verify()


def test_a_correction_reads_a_fixed_number_of_rows_in_the_lock(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend, read = campaign._backend, list[int]()
    assert isinstance(backend, LocalBackend)
    transact = backend.stored.storage.transact

    def counting(*given: Any) -> Any:
        done = transact(*given)
        read.append(len(done.state.pulls))
        return done

    monkeypatch.setattr(backend.stored.storage, "transact", counting)
    tickets = tickets_of(campaign)
    campaign.void(tickets[2])
    campaign.void(tickets[4])
    assert read == [1, 1]
