"""A token that is revoked or expires during a request: streams end, waiting asks get 401 and no ticket."""

import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor as Pool
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.support.places import SqlitePlace
from tests.support.service_place import served
from tests.support.service_process import ServiceProcess, keyring_of, typed, wait_until
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage
from thresher.dashboard import create_app
from thresher.service import Settings
from thresher.service.authentication import COOKIE
from thresher.service.settings import API
from thresher.service.tokens import DAY, TOKEN_LASTS

SHORT = 30.0  # seconds: half of what an ask waits, and less than a stream lasts


class Waiters:
    """A worker that waits for a ticket, a program and a browser that follow a stream, all of one server.

    Parameters
    ----------
    address : str
        Of the server.
    token : str
        Of scope ``admin``.
    session : str
        The browser's, which the token opened.
    """

    def __init__(self, address: str, token: str, session: str, pool: Pool) -> None:
        self._client = httpx2.Client(base_url=address + API, timeout=90, trust_env=False)
        self._bearer = {"Authorization": f"Bearer {token}"}
        self._cookie = {"Cookie": f"{COOKIE}_{urlsplit(address).port}={session}"}
        self._started = time.monotonic()
        ask = {"method": "POST", "url": "/campaigns/c/ask?wait=60", "json": {"n": 3}}
        read = {"method": "GET", "url": "/campaigns/c?wait=60"}
        self.asks = [pool.submit(self._client.request, **one, headers=self._bearer) for one in (ask, read)]
        self.streams = [pool.submit(self._follow, headers) for headers in (self._bearer, self._cookie)]

    def _follow(self, headers: dict[str, str]) -> list[str]:
        with self._client.stream("GET", "/campaigns/c/events", headers=headers) as events:
            return [line for line in events.iter_lines() if line.startswith("event:")]

    def are_there(self, reader: str) -> bool:
        """Return whether all of them wait, as another token sees it."""
        metrics = self._client.get("/metrics", headers={"Authorization": f"Bearer {reader}"})
        return "thresher_watchers 4.0" in metrics.text

    def check_that_they_end(self) -> None:
        """Check that each ends long before its time, the asks with 401."""
        answers = [ask.result(SHORT) for ask in self.asks]
        assert [answer.status_code for answer in answers] == [401, 401]
        assert [answer.headers["www-authenticate"] for answer in answers] == ["Bearer", "Bearer"]
        assert "revoked" in answers[0].json()["detail"]
        assert [set(stream.result(SHORT)) for stream in self.streams] == [{"event: standing"}] * 2
        self._client.close()


@pytest.fixture
def pool() -> Iterator[Pool]:
    with Pool(4) as pool:
        yield pool


def test_revoking_ends_streams_and_waits_and_hands_out_no_ticket(
    tmp_path: Path, pool: Pool, capsys: pytest.CaptureFixture[str]
) -> None:
    db = f"sqlite:///{tmp_path}/c.db"
    with ServiceProcess(db, tmp_path) as server:
        storage = open_storage(db)
        campaign = Campaign.create(storage, "c", arms=["a", "b"], threshold=0.5, budget=3)
        held = campaign.ask(3)
        keyring = keyring_of(storage)
        token, reader = keyring.new_token("admin"), keyring.new_token("read")
        waiters = Waiters(server.address, token, keyring.open_session(token) or "", pool)
        wait_until(lambda: waiters.are_there(reader), "all of them wait")
        assert typed(capsys, "token", "revoke", token.split("_")[1], "--db", db, "--yes")[0] == 0
        waiters.check_that_they_end()
        for ticket in held:
            campaign.fail(ticket)
        assert campaign.standing.outstanding == 0
        assert '"level": "error"' not in server.log()
        storage.close()


def test_a_token_that_expires_ends_streams_and_waits(tmp_path: Path, pool: Pool) -> None:
    place = SqlitePlace(tmp_path / "c.db")
    campaign = place.create("c", arms=["a", "b"], threshold=0.5, budget=3)
    campaign.pause()
    app = create_app(place.storage(), Settings(pause=0.05))
    keyring = app.state.keyring
    token = keyring.new_token("admin")
    place.advance((TOKEN_LASTS - DAY // 2) / 1e6)
    reader, session = keyring.new_token("read"), keyring.open_session(token) or ""
    with served(app) as address:
        waiters = Waiters(address, token, session, pool)
        wait_until(lambda: waiters.are_there(reader), "all of them wait")
        place.advance(DAY / 1e6)
        waiters.check_that_they_end()
    place.leave()


def test_a_body_that_comes_after_the_revocation_does_nothing(tmp_path: Path) -> None:
    place = SqlitePlace(tmp_path / "c.db")
    campaign = place.create("c", arms=["a", "b"], threshold=0.5, budget=3)
    app = create_app(place.storage(), Settings())
    token = app.state.keyring.new_token("work", campaign="c")
    body = json.dumps({"n": 3}).encode()
    head = f"POST {API}/campaigns/c/ask HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with (
        served(app) as address,
        socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=60) as worker,
    ):
        worker.sendall(head.encode() + body[:2])
        assert httpx2.get(f"{address}{API}/health", trust_env=False).status_code == 200  # it has read the header
        keyring_of(place.storage()).revoke(token.split("_")[1])  # another process would do it like this
        time.sleep(1.0)  # the promise: within a second
        worker.sendall(body[2:])
        with worker.makefile("rb") as answer:
            assert answer.read().startswith(b"HTTP/1.1 401 ")
    assert campaign.standing.outstanding == 0
    place.leave()
