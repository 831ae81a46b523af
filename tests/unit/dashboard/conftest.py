"""The dashboard over campaigns in memory, and a client with all rights."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.dashboard import create_app
from thresher.service import Settings


@pytest.fixture
def app() -> FastAPI:
    return create_app(MemoryStorage(), Settings(hosts=("testserver",), pause=0.01))


@pytest.fixture
def campaign(app: FastAPI) -> Campaign:
    storage = app.state.registry.storage
    return Campaign.create(storage, "c/d", arms=["a", "b", "c"], threshold=0.5, budget=30, policy="lsa")


@pytest.fixture
def stranger(app: FastAPI, campaign: Campaign) -> Iterator[TestClient]:
    """One without a token, in a browser."""
    headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    with TestClient(app, raise_server_exceptions=False, headers=headers, follow_redirects=False) as client:
        yield client


@pytest.fixture
def admin(app: FastAPI, stranger: TestClient) -> TestClient:
    """One who has logged in with a one-time code."""
    answer = stranger.post("/login", data={"code": app.state.keyring.new_code()})
    assert answer.status_code == 303
    return stranger
