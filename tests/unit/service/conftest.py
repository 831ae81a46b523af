"""A service over campaigns in memory, and tokens of every scope."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.service import Settings, create_app


@pytest.fixture
def app() -> FastAPI:
    return create_app(MemoryStorage(), Settings(hosts=("testserver",), pause=0.01))


@pytest.fixture
def campaign(app: FastAPI) -> Campaign:
    storage = app.state.registry.storage
    return Campaign.create(storage, "c", arms=["a", "b", "c"], threshold=0.5, budget=9, policy="lsa")


@pytest.fixture
def tokens(app: FastAPI) -> dict[str, str]:
    keyring = app.state.keyring
    return {
        "read": keyring.new_token("read"),
        "work": keyring.new_token("work", campaign="c"),
        "work elsewhere": keyring.new_token("work", campaign=uuid4().hex),
        "admin": keyring.new_token("admin"),
    }


@pytest.fixture
def client(app: FastAPI, tokens: dict[str, str], campaign: Campaign) -> Iterator[TestClient]:
    """A client with all rights, and a campaign ``c``."""
    with TestClient(
        app, raise_server_exceptions=False, headers={"Authorization": f"Bearer {tokens['admin']}"}
    ) as client:
        yield client


@pytest.fixture
def stranger(app: FastAPI, campaign: Campaign) -> Iterator[TestClient]:
    """One without a token."""
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client
