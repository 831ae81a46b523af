"""Something for an xdist worker to hold while it waits: a worker runs a test only once it knows the one after it."""

from __future__ import annotations

import pytest

IDLE = "thresher-idle"


class Idle(pytest.Item):
    """A test that does nothing and that nobody sees."""

    def runtest(self) -> None:
        """Do nothing."""


class Idling:
    """Adds an idle test behind those of a worker, and lets it pass in silence."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Add it after everybody has chosen and sorted, before the controller is told."""
        session.items.append(Idle.from_parent(session, name=IDLE))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Run nothing, report nothing."""
        return True if isinstance(item, Idle) else None
