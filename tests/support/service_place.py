"""A service in a thread of this process, and campaigns behind it as a place for the contracts."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI

from tests.support.places import StoragePlace
from thresher.campaign import Campaign, Standing
from thresher.service import Settings, create_app
from thresher.service.server import Server


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """Serve an application on a free port of this machine; give its address."""
    ready = threading.Event()
    server = Server(app, host="127.0.0.1", port=0, when_ready=lambda _: ready.set())
    thread = threading.Thread(target=server.serve_until_stopped)
    # The two sides of a connection in one process: by default each would wait 5 ms for the other to give way.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.0002)
    thread.start()
    try:
        assert ready.wait(30)
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.stop()
        thread.join()
        sys.setswitchinterval(interval)


class ServicePlace:
    """Campaigns behind a service.

    Parameters
    ----------
    address : str
    token : str
        Of scope ``admin``.
    storages : StoragePlace
        Where the service keeps them; its clock can be moved.
    """

    def __init__(self, address: str, token: str, storages: StoragePlace) -> None:
        self.address, self.token, self._storages = address, token, storages
        self._open: list[Campaign] = []

    def create(self, name: str = "c", **given: Any) -> Campaign:
        """Return a new campaign."""
        return self._kept(Campaign.create(self.address, name, token=self.token, **given))

    def open(self, name: str = "c") -> Campaign:
        """Return a campaign as another process would open it."""
        return self._kept(Campaign.open(self.address, name, token=self.token))

    def _kept(self, campaign: Campaign) -> Campaign:
        self._open.append(campaign)
        return campaign

    def standings(self, *, archived: bool = False) -> list[Standing]:
        """Return how all campaigns stand."""
        return Campaign.list(self.address, token=self.token, archived=archived)

    def advance(self, seconds: float) -> None:
        """Let time pass on the database's clock."""
        self._storages.advance(seconds)

    def leave(self) -> None:
        """Let go of all connections."""
        for campaign in self._open:
            campaign.disconnect()


@contextmanager
def service_place(storages: StoragePlace) -> Iterator[ServicePlace]:
    """Serve the campaigns of a place of storages; give the place behind the service."""
    app = create_app(storages.storage(), Settings(pause=0.05))
    token = app.state.keyring.new_token("admin")
    with served(app) as address:
        place = ServicePlace(address, token, storages)
        try:
            yield place
        finally:
            place.leave()
