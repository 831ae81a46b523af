"""``thresher serve`` as a process: where it listens, who gets in, what it logs, how it stops."""

import json
import re
import socket
import stat
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor as Pool
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.support.service_process import ServiceProcess, keyring_of, typed, wait_until
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage

ELSEWHERE = "127.0.0.2"  # another address of this machine: who listens on 127.0.0.1 alone does not hear it
PUBLIC = "thresher.example.org"
BUDGET = 20


class Site:
    """A server, its database, and tokens of every scope."""

    def __init__(self, server: ServiceProcess, db: str) -> None:
        self.server, self.db = server, db
        self._storage = open_storage(db)
        self._keyring = keyring_of(self._storage)
        Campaign.create(self._storage, "c", arms=["a", "b"], threshold=0.5, budget=BUDGET)
        self.tokens = {
            "read": self._keyring.new_token("read"),
            "work": self._keyring.new_token("work", campaign="c"),
            "admin": self._keyring.new_token("admin"),
        }

    def close(self) -> None:
        """Let go of the database."""
        self._storage.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("served")
    db = f"sqlite:///{folder}/c.db"
    with ServiceProcess(db, folder, umask=0) as server:
        site = Site(server, db)
        yield site
        site.close()


def is_heard(address: str, port: int) -> bool:
    """Return whether a server listens there."""
    with socket.socket() as caller:
        return caller.connect_ex((address, port)) == 0


def test_it_listens_on_this_machine_alone(site: Site) -> None:
    assert is_heard("127.0.0.1", site.server.port)
    assert not is_heard(ELSEWHERE, site.server.port)


def test_another_address_needs_a_word_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = typed(capsys, "serve", "--host", "0.0.0.0", "--port", "0", "--db", "memory://")
    assert code == 3
    assert "tokens would be sent in clear text" in said
    assert "--expose" in said


def test_its_database_is_its_owners_alone(site: Site) -> None:
    folder = site.server.log_file.parent
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.glob("c.db*")}
    assert modes["c.db"] == 0o600
    assert set(modes.values()) == {0o600}


def test_a_token_of_the_command_line_opens_until_it_is_revoked(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--scope", "work", "--campaign", "c", "--label", "ci", "--db", site.db, "--json")
    code, made, _ = typed(capsys, "token", "new", *words)
    assert code == 0
    token = json.loads(made)["token"]
    with site.server.client(token) as client:
        assert client.get("/campaigns/c").status_code == 200
        assert typed(capsys, "token", "revoke", token.split("_")[1], "--db", site.db)[0] == 0
        time.sleep(1.0)  # the promise: within a second
        assert client.get("/campaigns/c").status_code == 401
        assert client.post("/campaigns/c/ask", json={}).status_code == 401


def test_no_secret_reaches_the_log(site: Site) -> None:
    server = site.server
    secrets, cookie = [*site.tokens.values(), server.code], f"thresher_session_{urlsplit(server.address).port}"
    with server.client() as client:
        for token in secrets:
            for headers in ({"Authorization": f"Bearer {token}"}, {"Cookie": f"{cookie}={token}"}, {}):
                client.get("/campaigns", headers=headers)
                client.get(f"/campaigns?token={token}", headers=headers)
                client.get(f"/campaigns/{token}", headers=headers)
                client.post("/campaigns/c/fail", json={"ticket": token, "reason": token}, headers=headers)
                client.post(f"/campaigns/c/{token}", content=token.encode(), headers=headers)
                client.get(f"/campaigns/c/export/{token}", headers=headers | {"Referer": token, "User-Agent": token})
        session = client.post(server.address + "/login", data={"code": server.code}, headers={"Origin": server.address})
        assert session.status_code == 303
        secrets += session.cookies.values()
    lines = [json.loads(line) for line in server.log().splitlines()]
    assert len([line for line in lines if line["message"] == "request"]) > 6 * 3 * len(site.tokens)
    assert [secret for secret in secrets if secret.split("_", 2)[-1] in server.log()] == []


def test_what_happened_is_counted(site: Site) -> None:
    def numbers() -> dict[str, float]:
        with site.server.client(site.tokens["read"]) as client:
            text = client.get("/metrics").text
        return {
            name: float(value) for name, value in re.findall(r"^(thresher_[^ ]+) ([0-9.e+-]+)$", text, re.MULTILINE)
        }

    before = numbers()
    with site.server.client(site.tokens["work"]) as client:
        asks = [
            client.post("/campaigns/c/ask", json={"n": 3}, headers={"Idempotency-Key": "once"}).json() for _ in range(3)
        ]
        told = {"outcomes": [{"ticket": one["id"], "outcome": True} for one in asks[0]["tickets"]]}
        for _ in range(2):
            assert client.post("/campaigns/c/tell", json=told).status_code == 200
        for _ in range(2):
            body = {"arm": "a", "n": 4, "total": 2}
            client.post("/campaigns/c/counts", json=body, headers={"Idempotency-Key": "counts"})
    after = numbers()
    ask = 'thresher_requests_total{method="POST",route="/api/v1/campaigns/{campaign}/ask",status="200"}'
    assert asks[0] == asks[1] == asks[2]
    assert after[ask] - before.get(ask, 0) == 3
    assert after["thresher_tickets_total"] - before["thresher_tickets_total"] == 3
    assert after["thresher_outcomes_total"] - before["thresher_outcomes_total"] == 3 + 4
    assert after["thresher_watchers"] == 0


class HalfSent:
    """A request of which only a part has been sent."""

    def __init__(self, port: int, path: str, body: bytes, token: str) -> None:
        self._rest = body[len(body) // 2 :]
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.sendall(head.encode() + body[: len(body) // 2])

    def finish(self) -> str:
        """Send the rest; return the whole answer."""
        self._socket.sendall(self._rest)
        with self._socket, self._socket.makefile("rb") as answer:
            return answer.read().decode()


def stream(client: httpx2.Client, seen: list[str]) -> None:
    """Listen to a campaign until the server ends the stream."""
    with client.stream("GET", "/campaigns/c/events") as events:
        seen += [line for line in events.iter_lines() if line.startswith("event:")]


def test_it_finishes_what_is_under_way_and_stops_without_complaint(tmp_path: Path) -> None:
    db = f"sqlite:///{tmp_path}/c.db"
    words = ("--host", "0.0.0.0", "--expose", "--public-url", f"https://{PUBLIC}")
    with ServiceProcess(db, tmp_path, *words) as server, Pool(2) as pool:
        assert is_heard(ELSEWHERE, server.port)
        campaign = Campaign.create(db, "c", arms=["a", "b"], threshold=0.5, budget=2)
        token = keyring_of(open_storage(db)).new_token("admin")
        ticket, _ = campaign.ask(2)
        with httpx2.Client(
            base_url=f"http://127.0.0.1:{server.port}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=90,
            trust_env=False,
        ) as client:
            hosts = {"localhost": 200, PUBLIC: 200, PUBLIC.upper() + ":443": 200, "evil.example": 421, ELSEWHERE: 421}
            assert {host: client.get("/health", headers={"Host": host}).status_code for host in hosts} == hosts

            seen: list[str] = []
            waiting = pool.submit(client.post, "/campaigns/c/ask?wait=60", json={"n": 1})
            listening = pool.submit(stream, client, seen)
            wait_until(lambda: "thresher_watchers 2.0" in client.get("/metrics").text, "both wait")
            told = json.dumps({"outcomes": [{"ticket": ticket.id, "outcome": True}]}).encode()
            half = HalfSent(server.port, "/api/v1/campaigns/c/tell", told, token)
            assert client.get("/ready").status_code == 200  # by now the server has read what was sent of the other

            server.ask_to_stop()
            wait_until(lambda: not is_heard("127.0.0.1", server.port), "it takes no more calls")
            assert half.finish().startswith("HTTP/1.1 200 OK")
            assert waiting.result(60).json() == {"tickets": [], "is_open": True}
            listening.result(60)
            assert set(seen) == {"event: standing"}
        assert server.wait() == 0
        assert campaign.standing.told == 1
        campaign.disconnect()
        assert all(json.loads(line)["level"] == "info" for line in server.log().splitlines() if "421" not in line)
