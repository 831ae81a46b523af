"""Campaigns in the memory of this process: for trying things out, and for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from thresher.campaign.storage.database import Run
from thresher.campaign.storage.protocol import Contents
from thresher.campaign.storage.sqlite import SqliteStorage, clock


class MemoryStorage(SqliteStorage):
    """Campaigns in an SQLite database without a file; readers and writers take turns on its one connection.

    Parameters
    ----------
    now : callable
        The clock, in µs since 1970.
    """

    def __init__(self, *, now: Callable[[], int] = clock) -> None:
        super().__init__(Path(":memory:"), now=now)

    def check_file(self, *, create: bool) -> None:
        """Do nothing: there is no file."""

    def connect(self) -> None:
        """Open the connection; a process that is forked goes on with its copy."""
        if not self._process:
            super().connect()

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """Hold the rows of one moment: nothing is written meanwhile."""
        with self.writing() as run:
            yield run

    def findings(self, campaign: int, check: Callable[[Contents], list[str]]) -> list[str]:
        """Return what `check` and SQLite find in a copy, so that asks and tells go on meanwhile."""
        return super(MemoryStorage, self.copy()).findings(campaign, check)

    def copy(self) -> MemoryStorage:
        """Return a copy, which changes no more when this one does."""
        copy = MemoryStorage(now=self._now)
        self._writer.copy_to(copy._writer)
        return copy

    def close(self) -> None:
        """Do nothing: memory goes with the process."""
