"""Limits of connections; acceptance/test_connections.py has what they do to real ones."""

import logging
import resource
from collections.abc import Iterator

import pytest

from thresher.service import connections
from thresher.service.connections import Shortage, connection_limit


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    """Let this process have no more than 200 file descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_descriptors")
def test_connections_leave_half_of_the_descriptors_to_the_database(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "thresher.service"):
        assert connection_limit(100) == 100
        assert caplog.records == []
        assert connection_limit(101) == 100
    [record] = caplog.records
    assert record.__dict__["facts"] == {"wanted": 101, "limit": 100, "descriptors": 200}


def test_a_shortage_is_logged_once_while_it_lasts(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortage = Shortage("nothing left")
    with caplog.at_level(logging.WARNING, "thresher.service"):
        for _ in range(1000):
            shortage.note(limit=3)
        assert [record.getMessage() for record in caplog.records] == ["nothing left"]
        monkeypatch.setattr(connections, "CALM", -1.0)  # it was over at once, and comes again
        shortage.note(limit=3)
        shortage.note(limit=3)
    assert len(caplog.records) == 2
