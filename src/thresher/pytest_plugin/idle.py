"""An idle test for xdist workers: a worker runs a test only once it has received the next one."""

from __future__ import annotations

import pytest

from thresher.pytest_plugin.reseeding import Reseeding

IDLE = "thresher-idle"


class Idle(pytest.Item):
    """A test that does nothing and is not reported."""

    def runtest(self) -> None:
        """Do nothing."""


class Idling:
    """Adds an idle test after those of a worker, and does not report it.

    Parameters
    ----------
    reseeding : Reseeding
        Its `are_reruns` is set by the idle test, which comes after the last first run of a worker.
    """

    def __init__(self, reseeding: Reseeding) -> None:
        self._reseeding = reseeding

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Add it after all plugins have selected and sorted tests, before the collection is reported."""
        session.items.append(Idle.from_parent(session, name=IDLE))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Run nothing, report nothing."""
        if not isinstance(item, Idle):
            return None
        self._reseeding.are_reruns = True
        return True
