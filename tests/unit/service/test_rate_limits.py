"""Rate limits: by token, and by address for requests without a valid token; both say when to try again."""

from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.errors import InvalidInputError
from thresher.service import Settings, create_app
from thresher.service.rate_limits import RateLimit
from thresher.service.settings import API


def app_with(**rates: Any) -> FastAPI:
    app = create_app(MemoryStorage(), Settings(hosts=("testserver",), **rates))
    Campaign.create(app.state.registry.storage, "c", arms=["a"], threshold=0.5, budget=9)
    return app


def statuses(client: TestClient, times: int, token: str = "", path: str = "/campaigns/c") -> list[int]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return [client.get(API + path, headers=headers).status_code for _ in range(times)]


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no second pass between the requests of a test."""
    monkeypatch.setattr("limits.storage.memory.time.time", lambda: 1e9)


def test_a_token_is_limited_by_itself_with_its_sessions() -> None:
    app = app_with(token_rate=3)
    first, second = (app.state.keyring.new_token("admin") for _ in range(2))
    session = app.state.keyring.open_session(first)
    with TestClient(app) as client:
        assert statuses(client, 4, first) == [200, 200, 200, 429]
        assert statuses(client, 1, second) == [200]
        answer = client.get(f"{API}/campaigns/c", headers={"Authorization": f"Bearer {first}"})
        assert (answer.headers["retry-after"], answer.headers["content-type"]) == ("1", "application/problem+json")
        assert "More than 3 requests of this token in a second" in answer.json()["detail"]
        client.cookies.set("thresher_session_80", session)
        assert statuses(client, 1) == [429]


def test_requests_without_a_valid_token_are_limited_and_do_not_lock_out_the_others() -> None:
    app = app_with(address_rate=3)
    token = app.state.keyring.new_token("read")
    with TestClient(app) as client:
        assert statuses(client, 1, token) == [200]  # from now on the server knows it
        assert statuses(client, 2, "wrong") + statuses(client, 2) == [401, 401, 401, 429]
        assert statuses(client, 4, token) == [200] * 4
        assert statuses(client, 1, app.state.keyring.new_token("read")) == [429]
        # Probes are counted by themselves.
        assert statuses(client, 4, path="/health") == [200, 200, 200, 429]
        assert statuses(client, 1, path="/ready") == [200]


def test_a_revoked_token_is_a_stranger_again() -> None:
    app = app_with(address_rate=1)
    token = app.state.keyring.new_token("read")
    with TestClient(app) as client:
        assert statuses(client, 1, token) == [200]
        app.state.keyring.revoke(token.split("_")[1])
        assert statuses(client, 2, token) == [401, 429]


def test_zero_is_no_limit() -> None:
    app = app_with(token_rate=0, address_rate=0)
    with TestClient(app) as client:
        assert set(statuses(client, 50)) == {401}
        assert set(statuses(client, 50, app.state.keyring.new_token("read"))) == {200}
    assert RateLimit(0).hit("x")


@pytest.mark.parametrize("wrong", [{"token_rate": -1}, {"address_rate": 100_001}])
def test_a_rate_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="must be a number of requests per second"):
        Settings(**wrong)
