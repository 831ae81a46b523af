"""Thousands of requests of every kind, while workers use the database: no response is an internal error."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.support.chaos.nursery import Nursery
from tests.support.chaos.requests import MixedClient, routes_in, send_all
from tests.support.chaos.workers import begin
from tests.support.service_process import ServiceProcess, keyring_of
from thresher.campaign.storage import open_storage

STORES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]
CLIENTS, WRITERS, REST = 8, 2, 0.1


@pytest.mark.nightly("postgresql")
@pytest.mark.parametrize("database", STORES, indirect=True)
def test_no_request_finds_a_fault_of_the_service(
    database: str,
    tmp_path: Path,
    nursery: Nursery,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    requests = often(300, 10_000)
    campaign = begin(database)
    with closing(open_storage(database)) as storage:
        token = keyring_of(storage).new_token("admin")
    target = "tests.support.chaos.workers:write_meanwhile"
    writers = [nursery.start(target, database, "c", rest=REST) for _ in range(WRITERS)]
    with ExitStack() as stack:
        server = stack.enter_context(ServiceProcess(database, tmp_path, "--log-level", "warning"))
        clients = [
            MixedClient(stack.enter_context(server.client(token)), random.Random(rng.random()), f"new {i}")
            for i in range(CLIENTS)
        ]
        sent = clients[0].send_each()
        send_all(clients, requests - clients[0].seen.total())
        assert server.process.poll() is None
        document = stack.enter_context(server.client(token)).get("/openapi.json").json()
        log = server.log()
    for writer in writers:
        writer.kill()
    seen = sum((one.seen for one in clients), Counter[int]())
    assert [line for one in clients for line in one.failed] == []
    # A route that is added to the API must be added to the requests.
    assert {
        route
        for route, pattern in routes_in(document).items()
        if not any(method == route[0] and pattern.fullmatch(path) for method, path in sent)
    } == set()
    assert "Traceback" not in log
    assert seen.total() == requests
    assert {200, 401, 404, 405, 422} <= seen.keys()
    campaign.verify()
    campaign.disconnect()
    answers = ", ".join(f"{count} × {code}" for code, count in sorted(seen.items()))
    figure("mixed requests", f"{database.partition(':')[0]}: {requests} by {CLIENTS} clients, no 5xx: {answers}")
