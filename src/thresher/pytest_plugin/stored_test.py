"""What is stored of one test: its runs, session by session, and which of them still count."""

from __future__ import annotations

import math
from dataclasses import dataclass

DAY = 86_400_000_000  # µs
FAILURES_IN_WINDOW = 10  # of a test exactly at its bar: a test that fails twice as often differs by three deviations
LEAST_WINDOW = 100  # runs


@dataclass(frozen=True)
class SessionRuns:
    """The runs of one test in one session.

    Parameters
    ----------
    session : str
        Id of the session.
    at : int
        End of the session, µs since 1970.
    source : str
        Hash of the source that the test had.
    runs, failures : int
        Its runs, and those that failed.
    """

    session: str
    at: int
    source: str
    runs: int
    failures: int


@dataclass(frozen=True)
class Past:
    """The runs of a test in earlier sessions that still count.

    Parameters
    ----------
    runs, failures : int
        Its runs, and those that failed.
    streak : int
        Runs in sessions without a failure, since the last session with one.
    last_at, failed_at : int
        End of its last session, and of the last one with a failure; µs since 1970.
    """

    runs: int
    failures: int
    streak: int = 0
    last_at: int = 0
    failed_at: int = 0

    @property
    def after_last_failure(self) -> Past | None:
        """The part since the last session with a failure."""
        return Past(self.streak, 0, self.streak, self.last_at) if self.streak else None


@dataclass(frozen=True)
class StoredTest:
    """What is stored of one test.

    Parameters
    ----------
    runs : tuple of SessionRuns
        Oldest first.
    bar, cost : float
        Its bar, and what a wrong decision on it costs, in its last session.
    since : int
        Sessions up to this time, µs since 1970, no longer count: later runs contradict them.
    seconds : float, optional
        Mean duration of a run in the last session.
    failure, failed_on : str
        Text and date of the last failure; empty if there is none.
    """

    runs: tuple[SessionRuns, ...]
    bar: float = 0.5
    cost: float = 1.0
    since: int = 0
    seconds: float | None = None
    failure: str = ""
    failed_on: str = ""

    @property
    def source(self) -> str:
        """Hash of the source in the last session."""
        return self.runs[-1].source

    def past(self, source: str, bar: float, *, after: int = 0) -> Past | None:
        """Return the runs that count for a test with this source and this bar; None if there are none.

        Parameters
        ----------
        source : str
        bar : float
        after : int
            Sessions up to this time, µs since 1970, are too old.
        """
        counted = [each for each in self.runs if each.source == source and each.at > max(self.since, after)]
        kept, runs, most = [], 0, window(bar)
        for each in reversed(counted):
            if runs >= most:
                break
            kept.append(each)
            runs += each.runs
        if not kept:
            return None
        failed_at = max((each.at for each in kept if each.failures), default=0)
        streak = sum(each.runs for each in kept if each.at > failed_at)
        return Past(runs, sum(each.failures for each in kept), streak, kept[0].at, failed_at)


def window(bar: float) -> int:
    """Return how many of the last runs of a test count: those in which a test at its bar fails ten times."""
    return max(math.ceil(FAILURES_IN_WINDOW / (1.0 - bar) - 1e-9), LEAST_WINDOW)
