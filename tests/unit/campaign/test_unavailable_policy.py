"""A campaign whose policy is not available in this process does not block others."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.own_index import OWN, own_index
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage, Storage, open_storage
from thresher.errors import CorruptionError, PolicyUnavailableError, UnknownNameError

NOTE = f"policy not available here (import it with --plugin): '{OWN}'"


def fill(storage: Storage) -> list[str]:
    """Make a campaign with a custom index, with an outcome, and a usual one; return tickets of the former."""
    with own_index():
        campaign = Campaign.create(storage, "own", arms=["a", "b"], threshold=0.5, budget=9, policy=OWN)
        tickets = campaign.ask(3)
        campaign.tell(tickets[0], 1)
    Campaign.create(storage, "usual", arms=["a"], threshold=0.5, budget=9)
    return [ticket.id for ticket in tickets]


@pytest.fixture(params=["memory", "sqlite"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    made = MemoryStorage() if request.param == "memory" else open_storage(f"sqlite:///{tmp_path}/c.db", create=True)
    yield made
    made.close()


def test_all_campaigns_are_listed_and_a_note_says_what_is_missing(storage: Storage) -> None:
    fill(storage)
    own, usual = Campaign.list(storage)
    assert (own.name, own.status, own.told, own.outstanding, own.note) == ("own", "open", 1, 2, NOTE)
    assert (usual.name, usual.note, usual.to_dict()["note"]) == ("usual", "", "")


NEED_THE_POLICY: dict[str, Callable[[Campaign, list[str]], object]] = {
    "ask": lambda campaign, _: campaign.ask(),
    "ask many": lambda campaign, _: campaign.ask(3),
    "tell": lambda campaign, tickets: campaign.tell(tickets[1], 1),
    "tell_counts": lambda campaign, _: campaign.tell_counts("a", n=1, total=1),
    "fail": lambda campaign, tickets: campaign.fail(tickets[1]),
    "void": lambda campaign, tickets: campaign.void(tickets[0]),
    "amend": lambda campaign, tickets: campaign.amend(tickets[0], 0),
    "add_arms": lambda campaign, _: campaign.add_arms(["c"], threshold=0.5),
    "verdicts": lambda campaign, _: campaign.verdicts(),
}


@pytest.mark.parametrize("name", NEED_THE_POLICY)
def test_what_needs_the_policy_names_it_and_stores_nothing(storage: Storage, name: str) -> None:
    tickets = fill(storage)
    campaign = Campaign.open(storage, "own")
    before = campaign.standing
    with pytest.raises(PolicyUnavailableError, match=rf"the policy '{OWN}' .* not available here .*--plugin MODULE"):
        NEED_THE_POLICY[name](campaign, tickets)
    assert campaign.standing == before


def test_what_does_not_need_the_policy_is_done(storage: Storage) -> None:
    tickets = fill(storage)
    campaign = Campaign.open(storage, "own")
    campaign.extend(3)
    campaign.pause()
    assert campaign.ask() is None
    campaign.resume()
    assert [ticket is not None for ticket in campaign.heartbeat(*tickets[1:])] == [True, True]
    assert [entry.kind for entry in campaign.history()][-4:] == ["extended", "paused", "resumed", "renewed"]
    campaign.verify()
    campaign.close()
    assert campaign.standing.status == "closed"


def test_a_campaign_that_is_open_goes_on_once_the_policy_is_there(storage: Storage) -> None:
    tickets = fill(storage)
    campaign = Campaign.open(storage, "own")
    assert campaign.standing.note == NOTE
    with own_index():
        assert campaign.standing.note == ""
        campaign.tell(tickets[1], 0)
        assert len(campaign.verdicts()) == 2
        campaign.verify()


def test_a_new_campaign_with_an_unknown_policy_is_refused_with_the_nearest(storage: Storage) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'lsa'"):
        Campaign.create(storage, "c", arms=["a"], threshold=0.5, budget=9, policy="lsb")
    assert Campaign.list(storage) == []


def test_a_parameter_that_the_policy_here_does_not_have_is_said(tmp_path: Path) -> None:
    storage = open_storage(f"sqlite:///{tmp_path}/c.db", create=True)
    fill(storage)
    with closing(sqlite3.connect(tmp_path / "c.db")) as database, database:
        database.execute("UPDATE campaign SET terms = replace(terms, ?, ?)", (f'"{OWN}"', f'"{OWN}:weight=2"'))
    with (
        own_index(),
        pytest.raises(PolicyUnavailableError, match=r"not available here \(unknown parameter 'weight' of"),
    ):
        Campaign.open(storage, "own").ask()
    database.close()
    storage.close()


def test_the_audit_compares_all_but_the_order_of_the_arms(tmp_path: Path) -> None:
    storage = open_storage(f"sqlite:///{tmp_path}/c.db", create=True)
    fill(storage)
    campaign = Campaign.open(storage, "own")
    campaign.verify()
    with closing(sqlite3.connect(tmp_path / "c.db")) as database, database:
        database.execute("UPDATE arm SET total = total + 1 WHERE position = 0")
    with pytest.raises(CorruptionError, match=r"arm 0 differs from the log in total"):
        campaign.verify()
    storage.close()
