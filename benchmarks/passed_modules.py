"""How many modules of ours a call of a campaign passes through, in a database and over HTTP.

A module is passed if a function of it is called between the begin and the end of the call, in any thread. What runs
when a module is imported does not count: every call is made once before it is counted. Before ``verdicts`` is counted
an outcome is told, so that nothing is answered from a cache. Over HTTP the client and the server are in this process,
and the modules of both count, each once.
"""

from __future__ import annotations

import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import thresher
from thresher.campaign import Campaign
from thresher.service import Settings, create_app
from thresher.service.server import Server

SOURCES = Path(thresher.__file__).parent
RATES = {"fair": 0.55, "bent": 0.3, "odd": 0.8}
PULLS = 60


class Recorder:
    """Notes the files whose functions are called, in the thread that makes it and in all that begin later."""

    def __init__(self) -> None:
        self._is_on, self._files = False, set[str]()
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        if self._is_on and event == "call" and frame.f_code.co_name != "<module>":
            self._files.add(frame.f_code.co_filename)

    def passed(self, call: Callable[[], Any], before: Callable[[], Any]) -> list[str]:
        """Return the modules of ours that a call passes through, the second time that it is made."""
        call()
        before()
        self._files.clear()
        self._is_on = True
        call()
        self._is_on = False
        found = [Path(name) for name in self._files]
        ours = [path.relative_to(SOURCES).with_suffix("") for path in found if path.is_relative_to(SOURCES)]
        return sorted(".".join(path.parts) for path in ours)


def new_campaign(address: str) -> Campaign:
    """Return a campaign with some outcomes."""
    campaign = Campaign.create(address, "coins", arms=list(RATES), threshold=0.5, budget=10_000)
    rng = random.Random(1)
    for _ in range(PULLS):
        ticket = campaign.ask()
        assert ticket is not None
        campaign.tell(ticket, rng.random() < RATES[ticket.arm])
    return campaign


@contextmanager
def served_campaign(database: str) -> Iterator[tuple[str, str]]:
    """Serve a new campaign, ``coins``; give the address of the service and a token."""
    new_campaign(database).disconnect()
    app, ready = create_app(database, Settings()), threading.Event()
    server = Server(app, host="127.0.0.1", port=0, when_ready=lambda _: ready.set())
    thread, interval = threading.Thread(target=server.serve_until_stopped), sys.getswitchinterval()
    thread.start()
    try:
        ready.wait(60)
        yield f"http://127.0.0.1:{server.port}", app.state.keyring.new_token("admin")
    finally:
        server.stop()
        thread.join()
        sys.setswitchinterval(interval)


def ask_and_tell(campaign: Campaign) -> None:
    """Ask for a ticket and tell its outcome."""
    ticket = campaign.ask()
    assert ticket is not None
    campaign.tell(ticket, True)


def main() -> None:
    """Print the numbers, and the modules of ``verdicts``."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/passed.db"
        recorder = Recorder()
        with served_campaign(database) as (address, token):
            places = {"local": Campaign.open(database, "coins"), "HTTP": Campaign.open(address, "coins", token=token)}
            for place, campaign in places.items():
                measure = partial(ask_and_tell, campaign)
                for name, call in (("ask and tell", measure), ("verdicts", campaign.verdicts)):
                    found = recorder.passed(call, measure)
                    print(f"{name}, {place}: {len(found)} modules\n  {' '.join(found)}")
                campaign.disconnect()


if __name__ == "__main__":
    main()
