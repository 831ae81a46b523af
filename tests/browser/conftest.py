"""A browser, and the dashboard over campaigns of every kind."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi import FastAPI

from chromium import MISSING, Visit, browsing, path_of_chromium
from sample_campaigns import furnish
from tests.support.hostile.markup import MARKUP
from tests.support.service_place import served
from thresher.campaign import Campaign
from thresher.campaign.similar_names import SimilarNamesWarning
from thresher.campaign.storage import MemoryStorage, Storage
from thresher.dashboard import create_app
from thresher.service import Settings

Visiting = Callable[..., Visit]


@dataclass(frozen=True)
class House:
    """A dashboard that is being served: where, by which application, over which storage."""

    address: str
    app: FastAPI
    storage: Storage

    def code(self) -> str:
        """Return a new one-time code."""
        code: str = self.app.state.keyring.new_code()
        return code


# For a module, not for the session: a browser keeps an event loop running, and a thread runs one at a time.


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium."""
    if path_of_chromium() is None:
        pytest.skip(MISSING)
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """A dashboard in this process, with campaigns under way, closed and untouched."""
    with _housed() as house:
        furnish(house.storage, told=40)
        yield house


@pytest.fixture(scope="module")
def hostile_house() -> Iterator[House]:
    """Another one, where every name and every reason would run something if it could."""
    with _housed() as house:
        for name in MARKUP:
            Campaign.create(house.storage, name, arms=[name, f"not {name}"], threshold=0.5, budget=9)
        with pytest.warns(SimilarNamesWarning):
            together = Campaign.create(
                house.storage, f"all: {MARKUP[0]}", arms=list(MARKUP), threshold=0.5, budget=2 * len(MARKUP)
            )
        for name, ticket in zip(MARKUP, together.ask(len(MARKUP)), strict=True):
            together.tell(ticket, 1)
            together.void(ticket, reason=name)
        together.tell_many([(ticket, 0) for ticket in together.ask(len(MARKUP))])
        yield house


@contextmanager
def _housed() -> Iterator[House]:
    storage = MemoryStorage()
    app = create_app(storage, Settings(pause=0.05, logins_per_minute=10_000))
    with served(app) as address:
        yield House(address, app, storage)


@pytest.fixture
def visiting(browser: Any, request: pytest.FixtureRequest) -> Iterator[Visiting]:
    """Give tabs that are logged in; after the test, none may have done what no page may do."""
    visits: list[Visit] = []

    def visit(to: House | None = None, **options: Any) -> Visit:
        house: House = to or request.getfixturevalue("house")
        visits.append(Visit(browser, house.address, **options))
        visits[-1].log_in(house.code())
        return visits[-1]

    yield visit
    for each in visits:
        each.leave()
    assert [fault for each in visits for fault in each.faults] == []
