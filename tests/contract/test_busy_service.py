"""Long reads of a service are held open: asks, token checks and readiness go on; one read too many is refused."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.places import PostgresPlace, StoragePlace
from thresher.campaign.storage import Contents, Heading
from thresher.campaign.storage.audit import audit
from thresher.campaign.storage.postgres import PostgresStorage
from thresher.service import Settings, create_app, exports

POSTGRES = pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))
PATIENCE = 60.0
C = "/api/v1/campaigns/c"


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
def client(request: pytest.FixtureRequest) -> Iterator[TestClient]:
    """A client with all rights, and a campaign ``c`` in each kind of storage."""
    place: StoragePlace = request.getfixturevalue(f"{request.param}_place")
    place.create(arms=["a", "b"], threshold=0.5, budget=1000)
    storage = PostgresStorage(place.address) if isinstance(place, PostgresPlace) else place.storage()
    app = create_app(storage, Settings(hosts=("testserver",), pause=0.01))
    headers = {"Authorization": f"Bearer {app.state.keyring.new_token('admin')}"}
    with TestClient(app, raise_server_exceptions=False, headers=headers) as client:
        yield client
    storage.close()


@contextmanager
def held_verifies(client: TestClient, monkeypatch: pytest.MonkeyPatch, times: int) -> Iterator[list[Any]]:
    """Hold verifies of a service open in the middle of the log; yield their answers once they are let go."""
    begun, go_on = threading.Semaphore(0), threading.Event()

    def held(heading: Heading, contents: Contents) -> list[str]:
        def log() -> Iterator[Any]:
            yield next(contents.log)
            begun.release()
            assert go_on.wait(PATIENCE)
            yield from contents.log

        return audit(heading, contents._replace(log=log()))

    monkeypatch.setattr("thresher.campaign.storage.audit", held)
    answers: list[Any] = []
    threads = [threading.Thread(target=lambda: answers.append(client.post(f"{C}/verify"))) for _ in range(times)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert begun.acquire(timeout=PATIENCE)
    try:
        yield answers
    finally:
        go_on.set()
        for thread in threads:
            thread.join(PATIENCE)


def test_the_service_goes_on_while_verifies_are_held_open(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    with held_verifies(client, monkeypatch, 2) as answers:
        client.app.state.keyring.forget()  # type: ignore[attr-defined] # the next call looks its token up again
        assert client.get("/api/v1/ready").status_code == 200
        [ticket] = client.post(f"{C}/ask", json={"n": 1}).json()["tickets"]
        told = client.post(f"{C}/tell", json={"outcomes": [{"ticket": ticket["id"], "outcome": 1}]})
        assert told.status_code == 200
        assert client.get(f"{C}/verdicts").status_code == 200
        for refused in (client.post(f"{C}/verify"), client.get(f"{C}/export/log.jsonl")):
            assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
            assert refused.json()["detail"] == "2 such reads are running, the maximum; try again later."
        assert answers == []
    assert [answer.json() for answer in answers] == [{"findings": []}] * 2
    assert client.get(f"{C}/export/log.jsonl").status_code == 200


def test_history_comes_in_pages_of_bounded_size_without_holes(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thresher.service.routes.reads.PAGE_BYTES", 1)
    monkeypatch.setattr(exports, "PAGE_BYTES", 1)
    client.post(f"{C}/ask", json={"n": 3})
    pages = [client.get(f"{C}/history").json()]
    while pages[-1]["next"] is not None:
        pages.append(client.get(f"{C}/history", params={"after": pages[-1]["next"], "limit": 100}).json())
    assert [[entry["seq"] for entry in page["entries"]] for page in pages] == [[1], [2], [3]]
    assert len(client.get(f"{C}/export/log.jsonl").text.splitlines()) == 3
    assert client.get(f"{C}/history", params={"after": 3}).json() == {"entries": [], "next": None}
