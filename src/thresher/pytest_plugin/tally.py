"""The runs of one test tonight, and the part of its history that still counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from thresher.live import Ticket
from thresher.pytest_plugin.history import Past

SURPRISE = 1e-5  # the history is discarded if the new outcomes are less likely than this under it
LONGEST_FAILURE = 20_000  # characters of a traceback that are kept, the last ones


@dataclass(frozen=True)
class Test:
    """A test: its name, its bar, what a wrong verdict on it costs, a hash of its source."""

    __test__ = False  # pytest would collect it otherwise

    name: str
    bar: float
    cost: float
    source: str


@dataclass(frozen=True)
class TestRun:
    """One run of a test: whether it passed, how long it took, and the text of its failure."""

    __test__ = False  # pytest would collect it otherwise

    passed: bool
    seconds: float = 0.0
    failure: str = ""


@dataclass
class Tally:
    """The runs of a test tonight, and the past that still counts.

    Parameters
    ----------
    test : Test
    stored : Past, optional
        The past in the history file, if the source of the test is the same.
    """

    test: Test
    stored: Past | None
    runs: int = 0
    failures: int = 0
    streak: int = 0  # passes tonight since the last failure, or since the start
    seconds: float = 0.0
    first_passed: bool = True
    failure: str = ""
    past_ticket: str = ""
    tickets: list[Ticket] = field(default_factory=list)
    queued: int = 0  # reruns of a suspect that are under way
    reserved: list[float] = field(default_factory=list)  # expected cost of each rerun that is under way
    dropped: bool = False  # it can no longer be judged

    def __post_init__(self) -> None:
        self.past = self.stored

    @property
    def fails_every_time(self) -> bool:
        """Whether it has failed in every run tonight."""
        return self.failures == self.runs > 0

    @property
    def expected_seconds(self) -> float:
        """How long a run is expected to take: the mean of the last night, or of tonight if it is new or rerun."""
        if self.stored is not None and self.stored.seconds is not None and self.runs < 2:
            return self.stored.seconds
        return self.seconds / max(self.runs, 1)

    def add(self, run: TestRun) -> bool:
        """Count a run; return whether it ends the history."""
        if self.runs == 0:
            self.first_passed = run.passed
        self.runs += 1
        self.failures += not run.passed
        self.streak = self.streak + 1 if run.passed else 0
        self.seconds += run.seconds
        if not run.passed:
            self.failure = run.failure[-LONGEST_FAILURE:]
        return self._end_past()

    def _end_past(self) -> bool:
        """Discard the history, or its part before the last failure, if tonight shows that the test has changed."""
        past = self.past
        if past is None:
            return False
        if surprise(past, self.runs, self.failures) < SURPRISE:
            self.past = None
        elif not self.failures and past.failures:
            # Passes of several nights count together: they are the only sign of a test that was fixed elsewhere.
            before = Past(past.source, past.runs - past.streak, past.failures)
            if surprise(before, past.streak + self.streak, 0) < SURPRISE:
                self.past = Past(past.source, past.streak, 0, past.streak) if past.streak else None
        return self.past is not past

    def kept(self, today: str) -> tuple[str, Past, bool]:
        """Return the row for the history: the name, the outcomes to add, and whether the stored ones still count."""
        goes_on = self.past is not None and self.past is self.stored
        before = self.past.runs if self.past is not None and not goes_on else 0
        streak = self.streak if self.failures else self.streak + before
        tonight = Past(
            self.test.source, self.runs + before, self.failures, streak, self.seconds / self.runs,
            self.failure, today if self.failures else "",
        )  # fmt: skip
        return self.test.name, tonight, goes_on


def surprise(past: Past, runs: int, failures: int) -> float:
    r"""Return how likely outcomes at least as unlike the past are, if nothing has changed.

    Twice the smaller tail of the beta-binomial distribution, at most 1: `runs` more runs of a test whose failure rate
    has, after :math:`f` failures in :math:`n` runs and a flat prior, the distribution Beta(f + 1, n - f + 1).
    """
    a, b = past.failures + 1.0, past.runs - past.failures + 1.0
    chances = [
        math.exp(_log_beta(a + k, b + runs - k) - _log_beta(a, b) - _log_beta(k + 1.0, runs - k + 1.0)) / (runs + 1.0)
        for k in range(runs + 1)
    ]
    return min(2.0 * min(sum(chances[failures:]), sum(chances[: failures + 1])), 1.0)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
