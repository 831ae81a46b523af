"""What is read together is of one moment, whatever others write meanwhile."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.support.places import StoragePlace
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage, Storage
from thresher.campaign.storage.database import SqlStorage
from thresher.service import Settings, create_app

POSTGRES = pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))
TOLD = 120  # enough for the check of independence to look at single outcomes


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
def place(request: pytest.FixtureRequest) -> StoragePlace:
    """A place of each kind."""
    found: StoragePlace = request.getfixturevalue(f"{request.param}_place")
    return found


@pytest.fixture(params=["sqlite", POSTGRES])
def database(request: pytest.FixtureRequest) -> StoragePlace:
    """A place whose snapshots are transactions."""
    found: StoragePlace = request.getfixturevalue(f"{request.param}_place")
    return found


def make(place: StoragePlace) -> Campaign:
    """Return a campaign with some outcomes."""
    campaign = place.create(arms=["a", "b", "c"], threshold=0.5, budget=10_000, policy="lsa")
    campaign.tell_many([(ticket, ticket.arm != "a") for ticket in campaign.ask(TOLD)])
    return campaign


def add_a_measured_arm(campaign: Campaign, name: str) -> None:
    """Add an arm and measure it: one that was never measured is issued first."""
    campaign.add_arms([name], threshold=0.5)
    [ticket] = campaign.ask(1)
    assert ticket.arm == name
    campaign.tell(ticket, 1)


class InterruptedRun:
    """The statements of a transaction, with something that happens after the arms were read."""

    def __init__(self, run: Any, then: Callable[[], None]) -> None:
        self._run, self._then = run, then

    def __call__(self, name: str, /, **parameters: Any) -> Any:
        return self._run(name, **parameters)

    def read(self, queries: Any) -> Any:
        rows = self._run.read(queries)
        if "arms_from" in queries:
            self._then()
        return rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)


def interrupted(storage: Storage, then: Callable[[], None]) -> Storage:
    """Return a storage in which something happens each time after arms were read."""
    assert isinstance(storage, SqlStorage)
    reading: Callable[[], AbstractContextManager[Any]] = storage.reading

    @contextmanager
    def read() -> Iterator[Any]:
        with reading() as run:
            yield InterruptedRun(run, then)

    storage.reading = read  # type: ignore[method-assign]
    return storage


def test_a_snapshot_does_not_see_what_is_written_after_its_first_read(place: StoragePlace) -> None:
    make(place)
    other, storage = place.open(), place.storage()
    writer = threading.Thread(target=add_a_measured_arm, args=(other, "new"))
    with storage.snapshot(storage.find("c").id) as now:
        arms = now.arms()
        writer.start()
        writer.join(0.2)  # in memory it waits until the snapshot is let go of
        pulls = now.pulls()
        assert (now.ledger().arms, now.ledger().pulls) == (len(arms), len(pulls)) == (3, TOLD)
        assert {pull.arm for pull in pulls} <= {arm.position for arm in arms}
    writer.join(60)
    with storage.snapshot(storage.find("c").id) as now:
        assert (now.ledger().arms, now.ledger().pulls) == (4, TOLD + 1)


def test_verdicts_are_of_one_moment_while_others_add_arms(database: StoragePlace) -> None:
    make(database)
    other = database.open()
    added: list[str] = []

    def add() -> None:
        added.append(f"new {len(added)}")
        add_a_measured_arm(other, added[-1])

    storage = interrupted(database.storage(), add)
    verdicts = Campaign.open(storage, "c").verdicts()
    assert [row.arm for row in verdicts] == ["a", "b", "c"]
    assert added == ["new 0"]
    assert [row.arm for row in other.verdicts()] == ["a", "b", "c", "new 0"]


@contextmanager
def client_of(storage: Storage) -> Iterator[TestClient]:
    """Serve a storage to one who may do everything."""
    app: FastAPI = create_app(storage, Settings(hosts=("testserver",), pause=0.01))
    headers = {"Authorization": f"Bearer {app.state.keyring.new_token('admin')}"}
    with TestClient(app, raise_server_exceptions=False, headers=headers) as client:
        yield client


def test_the_service_answers_with_verdicts_of_the_event_that_it_names(database: StoragePlace) -> None:
    events = make(database).standing.events
    other, count = database.open(), 0

    def add() -> None:
        nonlocal count
        count += 1
        add_a_measured_arm(other, f"new {count}")

    with client_of(interrupted(database.storage(), add)) as client:
        for before in range(2):
            answer = client.get("/api/v1/campaigns/c/verdicts")
            assert (answer.status_code, answer.json()["events"]) == (200, events + 3 * before)
            assert len(answer.json()["verdicts"]) == 3 + before


def test_an_export_of_outcomes_names_arms_that_were_added_meanwhile(database: StoragePlace) -> None:
    make(database)
    other, count = database.open(), 0

    def add() -> None:
        nonlocal count
        count += 1
        if count == 1:
            add_a_measured_arm(other, "new")

    with client_of(interrupted(database.storage(), add)) as client:
        lines = client.get("/api/v1/campaigns/c/export/outcomes.csv").text.splitlines()
    assert len(lines) - 1 in (TOLD, TOLD + 1)


def test_verdicts_are_answered_while_arms_are_added_all_the_time() -> None:
    storage = MemoryStorage()
    campaign = Campaign.create(storage, "c", arms=["a"], threshold=0.5, budget=10_000, policy="lsa")
    campaign.tell_many([(ticket, 1) for ticket in campaign.ask(TOLD)])

    def add() -> None:
        for i in range(200):
            add_a_measured_arm(campaign, f"new {i}")

    with client_of(storage) as client:
        writer = threading.Thread(target=add)
        writer.start()
        answers = [client.get("/api/v1/campaigns/c/verdicts")]
        while writer.is_alive():
            answers.append(client.get("/api/v1/campaigns/c/verdicts"))
        writer.join()
    assert {answer.status_code for answer in answers} == {200}
