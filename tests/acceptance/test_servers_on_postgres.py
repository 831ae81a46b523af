"""Several servers on one PostgreSQL: one budget, and an outage of the database that all of them survive."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import httpx2
import pytest

from tests.support.postgres_server import PostgresServer
from tests.support.service_process import PATIENCE, ServiceProcess, keyring_of, wait_until
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage

pytestmark = pytest.mark.xdist_group("postgres")
BUDGET = 80


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.stop()


def measure_all(address: str, token: str, all_have_told: Barrier) -> int:
    """Work for campaign ``c`` until its budget is spent; return how many outcomes this worker told."""
    campaign = Campaign.open(address, "c", token=token)
    told = 0
    try:
        for ticket in campaign.tickets():
            told += campaign.tell(ticket, ticket.arm == "good").used
            if told == 1:
                all_have_told.wait(PATIENCE)
        return told
    finally:
        campaign.disconnect()


@pytest.mark.nightly
def test_servers_share_a_budget_and_heal_after_the_database_was_away(postgres: PostgresServer, tmp_path: Path) -> None:
    storage = open_storage(postgres.address, create=True)
    campaign = Campaign.create(storage, "c", arms=["good", "bad"], threshold=0.5, budget=BUDGET)
    token = keyring_of(storage).new_token("work", campaign="c")
    (tmp_path / "other").mkdir()
    with (
        ServiceProcess(postgres.address, tmp_path) as one,
        ServiceProcess(postgres.address, tmp_path / "other") as other,
        ThreadPoolExecutor(4) as pool,
        one.client(token) as to_one,
        other.client(token) as to_other,
    ):
        barrier = Barrier(4)
        workers = [pool.submit(measure_all, server.address, token, barrier) for server in (one, other, one, other)]
        wait_until(lambda: campaign.standing.told >= 20, "the workers measure")
        postgres.halt()
        for client in (to_one, to_other):
            assert client.get("/health").status_code == 200
            for path in ("/ready", "/campaigns/c", "/campaigns/c/verdicts"):
                answer = away(client, path)
                assert (answer.headers["retry-after"], answer.json()["status"]) == ("2", 503)
        postgres.start()
        for client in (to_one, to_other):
            wait_until(lambda client=client: client.get("/ready").status_code == 200, "it heals by itself")  # type: ignore[misc]
        told = [worker.result(PATIENCE) for worker in workers]
        assert all(count > 0 for count in told)
        for server in (one, other):
            server.ask_to_stop()
            assert server.wait() == 0
    storage.close()  # its connections died with the database
    campaign = Campaign.open(postgres.address, "c")
    assert (campaign.standing.told, campaign.outstanding, campaign.spent) == (BUDGET, 0, BUDGET)
    kinds = [entry.kind for entry in campaign.history()]
    assert kinds.count("told") == BUDGET
    campaign.verify()
    campaign.disconnect()


def away(client: httpx2.Client, path: str) -> httpx2.Response:
    """Return the first answer that says that the database is unavailable; a token is remembered for half a second."""
    answers: list[httpx2.Response] = []

    def is_away() -> bool:
        answers.append(client.get(path))
        return answers[-1].status_code == 503

    wait_until(is_away, "it says that the database is unavailable")
    assert {answer.status_code for answer in answers} <= {200, 503}
    return answers[-1]
