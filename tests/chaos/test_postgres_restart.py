"""PostgreSQL stopped at once in mid-transaction: nothing is lost, and the service heals by itself."""

import random
import time
from collections.abc import Callable

import httpx2
import psycopg
import pytest

from tests.support.chaos.account import Account
from tests.support.chaos.clients import Clients, free_port, new_token
from tests.support.chaos.nursery import Nursery
from tests.support.chaos.workers import begin
from tests.support.postgres_server import PostgresServer
from thresher.campaign import Campaign

pytestmark = pytest.mark.xdist_group("postgres")
WORKERS = 8


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_service_outlives_its_database(
    database: str,
    durable_postgres: PostgresServer,
    nursery: Nursery,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    campaign, cycles = begin(database), often(2, 20)
    service, token = f"http://127.0.0.1:{(port := free_port())}", new_token(database)
    server = nursery.start("tests.support.chaos.workers:serve", database, port=port)
    server.wait_for("line")
    clients = Clients(service, token, WORKERS)
    for cycle in range(cycles):
        clients.wait_for_answers(rng.randint(1, 20))
        if cycle % 2:
            time.sleep(rng.uniform(0.0, 0.03))
            durable_postgres.halt()
        else:
            halt_in_mid_transaction(database, durable_postgres)
        for path in ("ready", "campaigns/c"):
            answer = httpx2.get(f"{service}/api/v1/{path}", headers={"Authorization": f"Bearer {token}"}, timeout=60)
            assert (answer.status_code, answer.headers["retry-after"].isdigit()) == (503, True)
        durable_postgres.start()
        clients.wait_for_answers(WORKERS)
    campaign.disconnect()
    campaign = Campaign.open(database, "c")  # all who hold a storage are told to try again, and this one did not look
    campaign.close()
    clients.join()
    server.kill()
    account = Account()
    account.take(clients.reports)
    findings = account.compare(campaign)
    campaign.disconnect()
    figure("database restart", f"postgresql: {cycles} immediate stops, {findings}; 503 with Retry-After in between")
    assert (findings.lost, findings.doubled) == (0, 0)


def halt_in_mid_transaction(database: str, server: PostgresServer) -> None:
    """Stop the server while transactions of the service are open for certain: they wait for a row that is held."""
    with psycopg.connect(database) as holder:
        holder.execute("SELECT seq FROM thresher.ledger FOR UPDATE")
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        while holder.execute(waiting).fetchall() == [(0,)]:
            holder.execute("SELECT pg_stat_clear_snapshot()")
            time.sleep(0.01)
        server.halt()
        with pytest.raises(psycopg.OperationalError):
            holder.execute("SELECT 1")
