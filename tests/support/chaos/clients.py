"""Servers that are killed, and clients that go on through it."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from typing import Any

from tests.support.chaos.nursery import PATIENCE, ChildError, Report
from tests.support.chaos.workers import work_through_failures
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage
from thresher.campaign.storage.tokens import token_table
from thresher.service.tokens import Keyring


class Clients:
    """Threads that ask and tell over HTTP, through everything that happens to the server.

    Parameters
    ----------
    address, token : str
    number : int
        How many.
    """

    def __init__(self, address: str, token: str, number: int) -> None:
        self.reports: list[Report] = []
        self._answers, self._lock = 0, threading.Lock()
        self._campaign = Campaign.open(address, "c", token=token)
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(number)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        work_through_failures(self._say, self._campaign)

    def _say(self, **report: Any) -> None:
        with self._lock:
            self.reports.append(report)
            self._answers += "asked" in report or "told" in report

    def wait_for_answers(self, number: int) -> None:
        """Wait until this many more calls were answered."""
        goal, end = self._answers + number, time.monotonic() + PATIENCE
        while self._answers < goal:
            if time.monotonic() > end:
                raise ChildError(f"no answer came: {self.reports[-3:]}")
            time.sleep(0.002)

    def join(self) -> None:
        """Wait until the campaign is over for all of them."""
        for thread in self._threads:
            thread.join(PATIENCE)
        self._campaign.disconnect()
        if sum("end" in report for report in self.reports) != len(self._threads):
            raise ChildError(f"a client did not come to an end: {self.reports[-3:]}")


def new_token(address: str) -> str:
    """Return a token of scope ``admin`` for a service over that database."""
    storage = open_storage(address)
    try:
        return Keyring(token_table(storage)).new_token("admin")
    finally:
        storage.close()


def free_port() -> int:
    """Return a free port, and that no client is given for its own end of a connection.

    Else a client that tries to reach a server while it is down may meet itself, and keep the port from the server.
    """
    while True:
        port = random.randint(10_000, 30_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
