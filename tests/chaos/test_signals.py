"""Past arms and scores told by processes that are killed: each is stored once, also if another one repeats it."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.chaos.clients import free_port, new_token
from tests.support.chaos.nursery import Nursery, Report
from tests.support.chaos.signals import ARMS, ITEMS, PAST, Told, begin_with_items, past_of, score_of, tell_signals
from thresher.campaign import Campaign

STORES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]
LONGEST_LIFE = 0.03  # seconds from a sign of life to the kill, at most: a few calls
WHOLE: set[Told] = {("past", h, -1) for h in range(PAST)} | {("score", k, i) for k in range(ARMS) for i in range(ITEMS)}


def stored_in(campaign: Campaign) -> Counter[Told]:
    """Return how often the log has each past arm and each score; verify that they are the right ones."""
    found = Counter[Told]()
    for entry in campaign.history():
        if entry.kind == "history-told":
            for name, outcomes in entry.details["arms"]:
                place = int(name.split()[-1])
                assert list(outcomes) == past_of(place)
                found["past", place, -1] += 1
        elif entry.kind == "proxy-told":
            for arm, items, scores in entry.details["scores"]:
                assert list(scores) == [score_of(arm, item) for item in items]
                found.update(("score", arm, item) for item in items)
    campaign.verify()
    return found


def acknowledged(reports: list[Report]) -> set[Told]:
    """Return what was stored, by what a process has said."""
    return {(kind, arm, item) for report in reports if "stored" in report for kind, arm, item in report["stored"]}


@pytest.mark.parametrize("database", STORES, indirect=True)
def test_killed_processes_lose_and_double_no_signal(
    database: str,
    nursery: Nursery,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    campaign, kills, said = begin_with_items(database), often(6, 100), set[Told]()
    worker = nursery.start("tests.support.chaos.workers:work", database, "c", "first")  # refits go on meanwhile
    worker.wait_for("told")
    for i in range(kills):
        # Each one begins anew, in an order of its own, and meets what its predecessors have stored.
        teller = nursery.start("tests.support.chaos.signals:tell_all", database, "c", order=rng.randrange(10**6))
        teller.wait_for("stored", times=1 + i % 4)
        time.sleep(rng.uniform(0.0, LONGEST_LIFE))
        said |= acknowledged(teller.kill())
    stored = stored_in(campaign)
    assert said <= set(stored)
    assert max(stored.values()) == 1
    last = nursery.start("tests.support.chaos.signals:tell_all", database, "c", order=0)
    last.wait_for("end")
    last.join()
    campaign.close()
    worker.join()
    assert stored_in(campaign) == Counter(WHOLE)
    campaign.disconnect()
    store = database.partition(":")[0]
    figure("kill -9 while signals come", f"{store}: {kills} kills, {len(WHOLE)} stored, 0 lost, 0 doubled")


@pytest.mark.parametrize("database", STORES, indirect=True)
def test_a_killed_server_loses_and_doubles_no_signal(
    database: str,
    nursery: Nursery,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    campaign, kills, reports = begin_with_items(database), often(4, 60), list[Report]()
    token, port, is_over = new_token(database), free_port(), threading.Event()
    server = nursery.start("tests.support.chaos.workers:serve", database, port=port)
    server.wait_for("line")

    def client() -> None:
        order = 0
        while not is_over.is_set() or not any("end" in report for report in reports):
            tell_signals(lambda **said: reports.append(said), f"http://127.0.0.1:{port}", "c", order, token=token)
            order += 1

    thread = threading.Thread(target=client, daemon=True)
    thread.start()
    for _ in range(kills):
        before, end = len(reports), time.monotonic() + 60.0
        while len(reports) < before + rng.randint(1, 4):
            assert thread.is_alive()
            assert time.monotonic() < end
            time.sleep(0.002)
        time.sleep(rng.uniform(0.0, LONGEST_LIFE))
        server.kill()
        server = nursery.start("tests.support.chaos.workers:serve", database, port=port)
        server.wait_for("line")
    is_over.set()
    thread.join(120.0)
    assert not thread.is_alive()
    server.kill()
    assert acknowledged(reports) == WHOLE
    assert stored_in(campaign) == Counter(WHOLE)
    campaign.disconnect()
    store = database.partition(":")[0]
    found = f"{store}: {kills} kills, {len(WHOLE)} stored, 0 lost, 0 doubled"
    figure("kill -9 of the server while signals come", found)


def test_an_import_that_was_killed_is_repeated(
    tmp_path: Path,
    nursery: Nursery,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    address, kills = f"sqlite:///{tmp_path}/c.db", often(5, 60)
    campaign, file = begin_with_items(address), tmp_path / "graded.csv"
    rows = [f"arm {k},{i + 1},{(k + i) % 3 / 2},{score_of(k, i)}" for k in range(ARMS) for i in range(ITEMS)]
    file.write_text("\n".join(["arm,item,human,judge", *rows]))
    columns = ["--outcome-column", "human", "--proxy-column", "judge"]
    command = ["tell", "c", "--db", address, "--from", str(file), *columns]
    for _ in range(kills):
        importer = nursery.start("tests.support.chaos.signals:command", command)
        importer.wait_for("ready")
        time.sleep(rng.uniform(0.0, 0.3))
        importer.kill()
        assert max(stored_in(campaign).values(), default=1) == 1
    last = nursery.start("tests.support.chaos.signals:command", command)
    assert last.wait_for("code")["code"] == 0
    last.join()
    assert set(stored_in(campaign)) == {told for told in WHOLE if told[0] == "score"}
    found = campaign.items()
    assert found.counts.sum() == ARMS * ITEMS
    assert found.table.tolist() == [[(k + i) % 3 / 2 for i in range(ITEMS)] for k in range(ARMS)]
    campaign.disconnect()
    figure("kill -9 of an import of scores", f"sqlite: {kills} kills, {ARMS * ITEMS} outcomes and scores, each once")
