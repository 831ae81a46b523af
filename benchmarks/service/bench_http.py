"""How fast campaigns are over HTTP compared with a bare FastAPI endpoint, in one run on loopback.

One client, one connection, SQLite with an fsync for each commit on both sides. The figures to keep: one ask and one
tell take at most 3 times as long as two POSTs to the bare endpoint, which commits one row for each; in batches of 100
at least 20 times as many outcomes a second as one by one. A few seconds, a few thousand requests.
"""

import argparse
import http.client
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.support.service_process import ServiceProcess, keyring_of
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage

ROUNDS, PAIRS, BATCH, BATCHES = 40, 15, 100, 2
AT_MOST, AT_LEAST = 3.0, 20.0
ARMS = 100
BUDGET = 10**6


class Caller:
    """One connection that is kept open, with no more around it than the standard library has.

    Parameters
    ----------
    port : int
    token : str
    """

    def __init__(self, port: int, token: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}

    def post(self, path: str, body: Any) -> Any:
        """Return the answer to a POST."""
        self._connection.request("POST", path, json.dumps(body), self._headers)
        answer = self._connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text
        return json.loads(text)


def bare_pair(caller: Caller) -> None:
    """Send two bare POSTs."""
    for _ in range(2):
        caller.post("/row", {"ticket": "1-0123456789abcdef", "outcome": 1.0})


def pair(caller: Caller, n: int = 1) -> None:
    """Ask for this many tickets and tell their outcomes, in two calls."""
    asked = caller.post("/api/v1/campaigns/c/ask", {"n": n})["tickets"]
    told = [{"ticket": ticket["id"], "outcome": 1} for ticket in asked]
    receipts = caller.post("/api/v1/campaigns/c/tell", {"outcomes": told})["receipts"]
    assert len(receipts) == n


@contextmanager
def bare_server(folder: Path) -> Iterator[Caller]:
    """Serve the bare endpoint."""
    command = [sys.executable, str(Path(__file__).with_name("bare.py")), str(folder / "bare.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Caller(int(process.stdout.readline()))
        finally:
            process.terminate()


@contextmanager
def thresher_server(folder: Path) -> Iterator[tuple[Caller, Campaign]]:
    """Serve a campaign; give a bare connection to it, and the client that comes with thresher."""
    db = f"sqlite:///{folder}/campaigns.db"
    storage = open_storage(db, create=True)
    Campaign.create(storage, "c", arms=[f"arm {k}" for k in range(ARMS)], threshold=0.5, budget=BUDGET)
    token = keyring_of(storage).new_token("work", campaign="c")
    storage.close()
    with ServiceProcess(db, folder, "--log-level", "warning", "--token-rate", "0") as server:
        campaign = Campaign.open(server.address, "c", token=token)
        yield Caller(server.port, token), campaign
        campaign.disconnect()


def milliseconds(work: Callable[[], None], times: int) -> float:
    """Return how long one of several repetitions takes."""
    start = time.perf_counter()
    for _ in range(times):
        work()
    return 1e3 * (time.perf_counter() - start) / times


def measure(folder: Path, *, rounds: int) -> dict[str, float]:
    """Return the least of each time; rounds alternate, so that a busy machine slows all alike."""
    with bare_server(folder) as bare, thresher_server(folder) as (caller, campaign):

        def through_the_client() -> None:
            [ticket] = campaign.ask(1)
            campaign.tell(ticket, True)

        works: dict[str, tuple[Callable[[], None], int]] = {
            "two_bare_posts_ms": (lambda: bare_pair(bare), PAIRS),
            "ask_and_tell_ms": (lambda: pair(caller), PAIRS),
            "client_ask_and_tell_ms": (through_the_client, PAIRS),
            "batch_of_100_ms": (lambda: pair(caller, BATCH), BATCHES),
        }
        for work, _ in works.values():
            milliseconds(work, 5)
        times = [{name: milliseconds(*work) for name, work in works.items()} for _ in range(rounds)]
    least = {name: min(one[name] for one in times) for name in works}
    return least | {
        "ask_and_tell_by_two_bare_posts": least["ask_and_tell_ms"] / least["two_bare_posts_ms"],
        "batch_gain": BATCH * least["ask_and_tell_ms"] / least["batch_of_100_ms"],
    }


def main() -> None:
    """Print the table, or one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--folder", help="where the databases are, for their disk")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        found = measure(Path(folder), rounds=given.rounds)
    if given.json:
        print(
            json.dumps({"python": platform.python_version(), "cores": os.cpu_count(), "rounds": given.rounds} | found)
        )
        return
    versions = ", ".join(f"{name} {version(name)}" for name in ("fastapi", "uvicorn"))
    print(f"Over HTTP, best of {given.rounds}: Python {platform.python_version()}, {versions}, {os.cpu_count()} cores")
    print(f"  two bare POSTs, a commit each   {found['two_bare_posts_ms']:8.2f} ms")
    print(f"  one ask and one tell            {found['ask_and_tell_ms']:8.2f} ms", end="")
    print(f" {found['ask_and_tell_by_two_bare_posts']:7.2f} x   at most {AT_MOST}")
    print(f"  the same by thresher's client   {found['client_ask_and_tell_ms']:8.2f} ms")
    print(f"  an ask and a tell of 100        {found['batch_of_100_ms']:8.2f} ms", end="")
    print(f" {found['batch_gain']:7.1f} x   at least {AT_LEAST:g} as many outcomes")


if __name__ == "__main__":
    main()
