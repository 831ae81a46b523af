"""Measure the first view of a campaign of 10,000 arms: how long the server takes, how many bytes it sends.

``python -m benchmarks.service.bench_page``. Each of the five times the server is new and has seen nothing, so that it
reads all arms, judges them and draws the page; the best counts, as the machine does other things, too. The time is that
of the request on loopback, next to that of the same number of bytes from a bare FastAPI endpoint in the same run, and
the processor time, which does not depend on other processes. A later view is one of a user who comes back, or stays
while workers tell: it does not wait for the verdicts.
"""

import argparse
import http.client
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.responses import HTMLResponse

from tests.support.service_place import served
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.dashboard import create_app
from thresher.service import Settings
from thresher.service import create_app as create_service

TIMES = 5
MOST_SECONDS, MOST_BYTES = 0.3, 300_000
PATH = "/campaigns/big"


def fill(address: str, *, arms: int, outcomes: int) -> None:
    """Make a campaign, with pass rates spread evenly, measured by the default policy in batches."""
    rng = random.Random(8)
    rates = {f"arm {k}": rng.random() for k in range(arms)}
    campaign = Campaign.create(address, "big", arms=list(rates), threshold=0.5, budget=2 * outcomes)
    while campaign.spent < outcomes:
        campaign.tell_many([(ticket, rng.random() < rates[ticket.arm]) for ticket in campaign.ask(1000)])
    campaign.disconnect()


def view(address: str, token: str) -> tuple[float, float, bytes]:
    """Return how many seconds a page took, for how many of them this process was computing, and the page."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc)
    connection.connect()
    started, computed = time.perf_counter(), time.process_time()
    connection.request("GET", PATH, headers={"Authorization": f"Bearer {token}", "Accept": "text/html"})
    answer = connection.getresponse()
    page = answer.read()
    taken, computed = time.perf_counter() - started, time.process_time() - computed
    assert answer.status == 200, page
    connection.close()
    return taken, computed, page


def first_view(address: str) -> tuple[float, float, bytes]:
    """Return how long the first view of a new server takes, the computing in it, and the page."""
    app = create_app(address, Settings())
    token = app.state.keyring.new_token("admin")
    with served(app) as place:
        return view(place, token)


def later_view(address: str) -> float:
    """Return how long a view takes once the server knows the campaign, the best of five."""
    app = create_app(address, Settings())
    token = app.state.keyring.new_token("admin")
    with served(app) as place:
        board = app.state.boards.of(app.state.registry.open("big"))
        board.catch_up()
        return min(view(place, token)[0] for _ in range(TIMES))


def bare(page: bytes) -> float:
    """Return how long a bare endpoint takes that sends the same page."""
    app = FastAPI(openapi_url=None)
    # The service needs this to stop.
    app.state.watch = create_service(MemoryStorage()).state.watch
    app.add_api_route(PATH, lambda: HTMLResponse(page))
    with served(app) as place:
        return min(view(place, "")[0] for _ in range(TIMES))


def main() -> None:
    """Measure, print, and exit with 1 where a page takes more computing or more bytes than it should."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=10_000)
    parser.add_argument("--outcomes", type=int, default=20_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        address = f"sqlite:///{Path(folder) / 'big.db'}"
        fill(address, arms=given.arms, outcomes=given.outcomes)
        found = [first_view(address) for _ in range(TIMES)]
        later = later_view(address)
    first, computed, page = min(row[0] for row in found), min(row[1] for row in found), found[0][2]
    figures = {
        "arms": given.arms,
        "first_view_ms": round(1000 * first, 1),
        "first_views_ms": [round(1000 * row[0], 1) for row in found],
        "first_view_computing_ms": round(1000 * computed, 1),
        "later_view_ms": round(1000 * later, 1),
        "bare_endpoint_ms": round(1000 * bare(page), 1),
        "kilobytes": round(len(page) / 1000, 1),
    }
    print(json.dumps(figures, indent=1))
    sys.exit(computed > MOST_SECONDS or len(page) > MOST_BYTES)


if __name__ == "__main__":
    main()
