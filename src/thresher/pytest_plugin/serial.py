"""Reruns in one process, after the usual loop."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from thresher.pytest_plugin.reruns import Judging


class Repeating:
    """Runs tests again while the night requests it.

    Parameters
    ----------
    judging : Judging
    """

    def __init__(self, judging: Judging) -> None:
        self._judging = judging

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Let every test run once, then rerun."""
        result = yield
        items = {item.nodeid: item for item in session.items}
        night = self._judging.night
        current = night.next()
        while current is not None:
            # Look one test ahead, to keep the fixtures that it needs too.
            following = night.next()
            item, nextitem = items[current], None if following is None else items[following]
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
            current = night.next() if following is None else following
        return result
