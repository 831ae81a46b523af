"""Hostile requests: refused, never with an internal error, and nothing is stored."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from tests.support.cases import check_each
from tests.support.hostile.requests import API, CASES, MARK, ODD, Case
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.service import Settings, create_app

NAMES = [case.name for case in CASES]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """One who may do everything; the same service for all cases, since nothing of them stays."""
    app = create_app(MemoryStorage(), Settings(hosts=("testserver",)))
    headers = {"Authorization": f"Bearer {app.state.keyring.new_token('admin')}"}
    with TestClient(app, raise_server_exceptions=False, headers=headers) as client:
        yield client


@pytest.fixture(scope="module")
def campaign(client: TestClient) -> Campaign:
    storage = client.app.state.registry.storage  # type: ignore[attr-defined]
    return Campaign.create(storage, "c", arms=["a", "b", "c"], threshold=0.5, budget=10_000)


def test_there_are_enough_of_them_and_each_has_a_name_of_its_own() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 150


def test_each_is_refused_and_leaves_nothing(client: TestClient, campaign: Campaign) -> None:
    check_each({case.name: case for case in CASES}, lambda case: assert_refused(client, campaign, case))


def assert_refused(client: TestClient, campaign: Campaign, case: Case) -> None:
    """Send a hostile request; check the answer, and that nothing has changed."""
    [ticket] = campaign.ask(1)
    before = campaign.standing
    body = case.body.replace(b"<ticket>", ticket.id.encode())
    content = iter([body[:1000], body[1000:]]) if case.is_chunked else body
    answer = client.request(case.method, case.path, content=content, headers=case.headers)
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == answer.status_code
    assert len(answer.content) < 3000
    assert answer.text.isascii()
    assert "<" not in answer.text
    if case.name != "new: an unknown family":  # that one is quoted, as names are
        assert MARK not in answer.text
    assert campaign.standing == before
    assert len(client.get(f"{API}/campaigns").json()["campaigns"]) == 1


def test_a_strange_name_is_kept_as_it_is(client: TestClient) -> None:
    check_each(ODD, lambda name: assert_kept(client, name))


def assert_kept(client: TestClient, name: str) -> None:
    """Create a campaign of a name, and find it by this name."""
    made = client.post(f"{API}/campaigns", json={"name": name, "arms": [name], "threshold": 0.5, "budget": 5})
    assert made.status_code == 201
    place = f"{API}/campaigns/{quote(name, safe='')}"
    assert client.get(place).json()["name"] == name
    assert client.get(f"{place}/verdicts").json()["verdicts"][0]["arm"] == name
    assert client.post(f"{place}/retire", json={"arm": name}).status_code == 200
