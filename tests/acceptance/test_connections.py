"""Connections that send nothing, or too slowly: they are closed, and others are answered meanwhile."""

import contextlib
import json
import resource
import select
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor as Pool
from pathlib import Path

import httpx2
import pytest

from tests.support.service_process import PATIENCE, ServiceProcess, keyring_of, wait_until
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage

TIMEOUT = 2.0  # seconds for a request: long compared with the pauses of a busy machine
HEALTH = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"


def connect(port: int) -> socket.socket:
    """Return a connection to a server of this machine."""
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


@contextlib.contextmanager
def silent(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Give connections that send nothing."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(connect(port)) for _ in range(count)]


def rest_of(connection: socket.socket) -> bytes:
    """Return what comes until the server ends a connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):
        while part := connection.recv(65536):
            found += part
    return found


def is_closed(connection: socket.socket) -> bool:
    """Return whether the server has ended a connection on which it sends nothing."""
    if not select.select([connection], [], [], 0)[0]:
        return False
    assert rest_of(connection) == b""
    return True


def drip(connection: socket.socket, text: bytes) -> bytes:
    """Send a byte now and then until the server has enough of it; return what it says."""
    deadline = time.monotonic() + PATIENCE
    for at in range(len(text)):
        if select.select([connection], [], [], TIMEOUT / 10)[0]:
            return rest_of(connection)
        assert time.monotonic() < deadline, "the server takes whatever comes"
        connection.sendall(text[at : at + 1])
    raise AssertionError("the server waited for all of it")


class Site:
    """A server that gives little time, its campaign, and a token for it."""

    def __init__(self, server: ServiceProcess, db: str) -> None:
        self.server, self.storage = server, open_storage(db)
        self.campaign = Campaign.create(self.storage, "c", arms=["a", "b"], threshold=0.5, budget=20)
        self.token = keyring_of(self.storage).new_token("admin")

    def head(self, path: str, length: int) -> bytes:
        """Return the header of a request with a body."""
        lines = [f"POST /api/v1/campaigns/c/{path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {self.token}"]
        lines += ["Content-Type: application/json", f"Content-Length: {length}", "", ""]
        return "\r\n".join(lines).encode()


pytestmark = pytest.mark.xdist_group("connections")  # one worker starts the server and waits, for all of them


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("served")
    db = f"sqlite:///{folder}/c.db"
    with ServiceProcess(db, folder, "--request-timeout", str(TIMEOUT)) as server:
        site = Site(server, db)
        yield site
        site.storage.close()


@pytest.fixture(scope="module")
def said(site: Site) -> Iterator[dict[str, bytes]]:
    """Give what the server says to clients that are too slow in different ways, all at the same time."""
    [ticket] = site.campaign.ask(1)
    body = json.dumps({"outcomes": [{"ticket": ticket.id, "outcome": True}]}).encode()
    told = site.head("tell", len(body) + 5000)
    refused = site.head("tell", 1000).replace(site.token.encode(), b"nobody")
    sent = {
        "silent": (b"", b""),
        "dripping header": (b"", HEALTH[:-2] + b"X-Padding: " + b"x" * 5000),
        "body that never comes": (told, b""),
        "dripping body": (told, body + b" " * 4999),
        "refused": (refused, b""),
        "idle after three requests": (3 * HEALTH, b""),
    }

    def answer_to(at_once: bytes, slowly: bytes) -> bytes:
        with connect(site.server.port) as connection:
            connection.sendall(at_once)
            return drip(connection, slowly) if slowly else rest_of(connection)

    with Pool(len(sent)) as pool:
        answers = {name: pool.submit(answer_to, *parts) for name, parts in sent.items()}
    yield {name: answer.result() for name, answer in answers.items()}
    site.campaign.fail(ticket)


def test_a_silent_connection_is_closed(said: dict[str, bytes]) -> None:
    assert said["silent"] == b""


def test_a_header_that_comes_byte_by_byte_is_not_waited_for(said: dict[str, bytes]) -> None:
    assert said["dripping header"].startswith(b"HTTP/1.1 408 ")
    document = json.loads(said["dripping header"].partition(b"\r\n\r\n")[2])
    assert document["title"] == "Request timeout"
    assert "after 2 seconds" in document["detail"]


def test_a_body_that_comes_too_slowly_is_not_waited_for(site: Site, said: dict[str, bytes]) -> None:
    assert said["body that never comes"].startswith(b"HTTP/1.1 408 ")
    assert said["dripping body"].startswith(b"HTTP/1.1 408 ")
    assert site.campaign.standing.told == 0
    assert "fault" not in site.server.log()


def test_a_refused_request_whose_body_never_comes_is_closed_too(said: dict[str, bytes]) -> None:
    assert said["refused"].startswith(b"HTTP/1.1 401 ")


def test_a_connection_serves_several_requests_and_is_closed_when_it_is_idle(said: dict[str, bytes]) -> None:
    assert said["idle after three requests"].count(b"HTTP/1.1 200 ") == 3


def test_a_client_that_does_not_read_its_answers_is_not_waited_for(site: Site) -> None:
    request = f"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {site.token}\r\n\r\n"

    def is_reset() -> bool:
        try:
            connection.send(b"x")
        except (ConnectionResetError, BrokenPipeError):
            return True
        return False

    with connect(site.server.port) as connection:
        connection.sendall(400 * request.encode())  # more answers than all buffers in between hold
        wait_until(is_reset, "the connection is closed")


def test_streams_and_waits_take_their_time(site: Site) -> None:
    headers = {"Authorization": f"Bearer {site.token}"}
    site.campaign.pause()
    seen: list[int] = []

    def follow() -> None:
        with site.server.client(site.token) as client, client.stream("GET", "/campaigns/c/events") as events:
            for line in events.iter_lines():
                if line.startswith("id: "):
                    seen.append(int(line.removeprefix("id: ")))
                if len(seen) == 2:
                    return

    with Pool(1) as pool, site.server.client(site.token) as client:
        following = pool.submit(follow)
        wait_until(lambda: len(seen) == 1, "the stream has begun")
        answer = client.post(f"/campaigns/c/ask?wait={1.5 * TIMEOUT}", json={"n": 1}, headers=headers)
        assert (answer.status_code, answer.json()["tickets"]) == (200, [])
        site.campaign.resume()
        following.result(PATIENCE)
    assert seen[1] == seen[0] + 1


def test_a_few_file_descriptors_are_enough_against_many_silent_connections(tmp_path: Path) -> None:
    words = ("--request-timeout", "1")
    with ServiceProcess(f"sqlite:///{tmp_path}/c.db", tmp_path, *words, descriptors=64) as server:
        with silent(server.port, 100) as connections:
            answer = httpx2.get(f"{server.address}/api/v1/ready", timeout=PATIENCE, trust_env=False)
            assert answer.status_code == 200
            wait_until(lambda: all(map(is_closed, connections)), "the silent ones are closed")
        lines = [json.loads(line) for line in server.log().splitlines()]
        assert len(lines) < 20
        assert [line["limit"] for line in lines if "fewer connections" in line["message"]] == [32]


def test_without_file_descriptors_accepting_pauses_and_one_line_says_so(tmp_path: Path) -> None:
    words = ("--request-timeout", "1")
    with ServiceProcess(f"sqlite:///{tmp_path}/c.db", tmp_path, *words) as server:
        pid = server.process.pid
        taken = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (taken + 8, hard))
        with silent(server.port, 40) as connections:
            wait_until(lambda: "Too many open files" in server.log(), "there are no more descriptors")
            answer = httpx2.get(f"{server.address}/api/v1/health", timeout=PATIENCE, trust_env=False)
            assert answer.status_code == 200
            wait_until(lambda: all(map(is_closed, connections)), "the silent ones are closed")
        assert server.log().count("Too many open files") == 1
        assert len(server.log().splitlines()) < 20


def test_at_the_limit_the_connection_that_has_waited_longest_gives_way(tmp_path: Path) -> None:
    db = f"sqlite:///{tmp_path}/c.db"
    words = ("--request-timeout", "3600", "--max-connections", "4")
    with ServiceProcess(db, tmp_path, *words) as server:
        site = Site(server, db)
        request = b"GET /api/v1/campaigns/c/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
        with silent(server.port, 10) as idle:
            wait_until(lambda: sum(map(is_closed, idle)) == 6, "six of ten are closed")
            assert [is_closed(one) for one in idle] == [True] * 6 + [False] * 4
            with silent(server.port, 4) as streams:
                for stream in streams:
                    stream.sendall(request % keyring_of(site.storage).new_token("read").encode())
                    assert stream.recv(65536).startswith(b"HTTP/1.1 200 ")
                assert [is_closed(one) for one in idle] == [True] * 10
                with connect(server.port) as another:
                    assert rest_of(another) == b""  # all four are being answered
                site.campaign.pause()
                newest = b"id: %d" % site.campaign.standing.events
                for stream in streams:
                    seen = b""
                    while newest not in seen:
                        part = stream.recv(65536)
                        assert part, "a stream has ended"
                        seen += part
        assert server.log().count("connection limit reached") == 1
        site.storage.close()


@pytest.mark.nightly
def test_one_token_does_not_lock_the_others_out(tmp_path: Path) -> None:
    db = f"sqlite:///{tmp_path}/c.db"
    with ServiceProcess(db, tmp_path, "--max-connections", "40") as server, silent(server.port, 60) as streams:
        site = Site(server, db)
        greedy = keyring_of(site.storage).new_token("read")
        head = "GET /api/v1/campaigns/c/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n"
        said = []
        for stream in streams:
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):  # one of the first 20, above the limit
                stream.sendall(head.format(greedy).encode())
                said.append(stream.recv(12))
        assert [said.count(b"HTTP/1.1 200"), b"HTTP/1.1 429" in said] == [5, True]
        with server.client() as client:
            answer = client.get("/campaigns/c", headers={"Authorization": f"Bearer {site.token}"})
        assert answer.status_code == 200
        site.storage.close()
