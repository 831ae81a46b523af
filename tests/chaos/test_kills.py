"""Kill -9 at random points: what was acknowledged is neither lost nor doubled."""

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import pytest

from tests.support.chaos.account import Account
from tests.support.chaos.clients import Clients, free_port, new_token
from tests.support.chaos.nursery import Child, Nursery
from tests.support.chaos.workers import begin

THRESHER = str(Path(sys.executable).parent / "thresher")
STORES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]
WORKERS = 8
LONGEST_LIFE = 0.03  # seconds from a sign of life to the kill, at most: a few calls


@pytest.mark.nightly("sqlite-2000", "postgresql-0")  # by day each database and each kind of campaign once
@pytest.mark.parametrize("items", [0, 2000])
@pytest.mark.parametrize("database", STORES, indirect=True)
def test_killed_workers_lose_and_double_nothing(
    items: int,
    database: str,
    nursery: Nursery,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    campaign, account, kills = begin(database, items=items), Account(), often(10, 250)

    def start(key: str) -> Child:
        return nursery.start("tests.support.chaos.workers:work", database, "c", key)

    workers = [start(uuid4().hex) for _ in range(WORKERS)]
    for i in range(kills):
        worker = workers[i % WORKERS]
        worker.wait_for("asked")
        time.sleep(rng.uniform(0.0, LONGEST_LIFE))
        reports = worker.kill()
        account.take(reports)
        workers[i % WORKERS] = start([report["key"] for report in reports if "key" in report][-1])
    for worker in workers:
        worker.wait_for("told")
    campaign.close()
    for worker in workers:
        worker.wait_for("end")
        account.take(worker.join())
    findings = account.compare(campaign)
    campaign.disconnect()
    store = database.partition(":")[0]
    what = "kill -9 of a worker, with items" if items else "kill -9 of a worker"
    figure(what, f"{store}: {kills} kills among {WORKERS} processes without a server, {findings}")
    assert (findings.lost, findings.doubled) == (0, 0)
    assert findings.told >= kills


@pytest.mark.nightly("sqlite-1", "postgresql-5")  # as above
@pytest.mark.parametrize("repeats", [1, 5])
@pytest.mark.parametrize("database", STORES, indirect=True)
def test_items_of_killed_workers_are_answered_once_by_others(
    repeats: int,
    database: str,
    nursery: Nursery,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    arms, items, kills = 4, often(40, 400) // repeats, often(6, 100)
    # Gaussian: no arm is certain before its last item.
    campaign = begin(database, arms=arms, items=items, repeats=repeats, lease=1.0)
    for _ in range(kills):
        worker = nursery.start("tests.support.chaos.workers:work", database, "c", uuid4().hex)
        worker.wait_for("asked")
        time.sleep(rng.uniform(0.0, LONGEST_LIFE))
        worker.kill()  # its ticket expires, and its item is the arm's next one
    crowd = nursery.start("tests.support.chaos.workers:work_as_crowd", database, "c", threads=4)
    crowd.wait_for("end")
    crowd.join()
    campaign.verify()
    answers = campaign.items().counts
    refits = sum(entry.kind == "refitted" for entry in campaign.history())
    spent = campaign.spent
    campaign.disconnect()
    store = database.partition(":")[0]
    what, whole = "items of killed workers" + (", with repeats" if repeats > 1 else ""), arms * items * repeats
    figure(what, f"{store}: {kills} kills, {answers.sum()} answers of {whole}, {refits} refits")
    assert (answers == repeats).all()
    assert spent == whole
    assert refits >= 3


class Mortal(Protocol):
    """A server that can be killed."""

    def kill(self) -> Any: ...


class Process:
    """``thresher serve`` as people start it."""

    def __init__(self, address: str, port: int) -> None:
        words = [THRESHER, "serve", "--db", address, "--port", str(port), "--log-level", "warning"]
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self._process.stdout
        assert self._process.stdout.readline().startswith(b"thresher serves")

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.mark.parametrize("database", STORES, indirect=True)
def test_a_killed_server_loses_and_doubles_nothing(
    database: str,
    nursery: Nursery,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    campaign, kills, cold = begin(database), often(15, 500), often(1, 10)
    server: Mortal = Process(database, port := free_port())
    clients = Clients(f"http://127.0.0.1:{port}", new_token(database), WORKERS)
    for i in range(1, kills + 1):
        clients.wait_for_answers(rng.randint(1, 8))
        time.sleep(rng.uniform(0.0, LONGEST_LIFE))
        server.kill()
        if i < cold:
            server = Process(database, port)
        else:  # the same code, in a process that had loaded it already
            server = child = nursery.start("tests.support.chaos.workers:serve", database, port=port)
            child.wait_for("line")
    clients.wait_for_answers(1)
    campaign.close()
    clients.join()
    server.kill()
    account = Account()
    account.take(clients.reports)
    findings = account.compare(campaign)
    campaign.disconnect()
    store = database.partition(":")[0]
    figure("kill -9 of the server", f"{store}: {kills} kills with {WORKERS} clients, {findings}")
    assert (findings.lost, findings.doubled) == (0, 0)
    assert findings.told >= kills
