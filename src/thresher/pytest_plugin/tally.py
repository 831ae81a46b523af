"""The runs of one test in this session, and the part of its history that still counts."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field

from thresher.campaign import Ticket
from thresher.pytest_plugin.stored_test import Past, SessionRuns, StoredTest

SURPRISE = 1e-5  # the history is discarded if the new outcomes are less likely than this under it
SECOND_CHANCES = 3  # reruns of a test that has only failed in this session
LONGEST_FAILURE = 20_000  # characters of a traceback that are kept, the last ones
LONGEST_NAME = 500  # characters of the name of an arm


@dataclass(frozen=True)
class Test:
    """A test: its name, its bar, the cost of a wrong verdict, a hash of its source."""

    __test__ = False  # pytest would collect it otherwise

    name: str
    bar: float
    cost: float
    source: str

    @property
    def arm(self) -> str:
        """Its name as an arm: printable, on one line, of limited length; different for different tests."""
        return arm_name(self.name)


def arm_name(name: str) -> str:
    """Return the name of a test as that of an arm; a name that must be changed ends with a hash of the original."""
    shown = name if name.isprintable() else name.encode("unicode_escape").decode()
    if shown == name and len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{shown[: LONGEST_NAME - 10]}… {digest}"


@dataclass(frozen=True)
class TestRun:
    """One run of a test: whether it passed, how long it took, and the text of its failure."""

    __test__ = False  # pytest would collect it otherwise

    passed: bool
    seconds: float = 0.0
    failure: str = ""


@dataclass
class Tally:
    """The runs of a test in this session, and the past that still counts.

    Parameters
    ----------
    test : Test
    stored : Past, optional
        The part of the history that counts at the start of the session.
    record : StoredTest, optional
        All that is stored of the test.
    """

    test: Test
    stored: Past | None
    record: StoredTest | None = None
    runs: int = 0
    failures: int = 0
    seconds: float = 0.0
    first_passed: bool = True
    failure: str = ""
    past_ticket: str = ""
    tickets: list[Ticket] = field(default_factory=list)
    queued: int = 0  # reruns of a suspect that are under way
    reserved: list[float] = field(default_factory=list)  # expected cost of each rerun that is under way
    dropped: bool = False  # it can no longer be judged
    since: int = 0  # sessions up to this time no longer count

    def __post_init__(self) -> None:
        self.past = self.stored

    @property
    def fails_every_time(self) -> bool:
        """Whether it has failed in every run of this session."""
        return self.failures == self.runs > 0

    @property
    def is_broken(self) -> bool:
        """Whether it has failed every time, often enough that no more reruns are needed."""
        return self.fails_every_time and self.runs > SECOND_CHANCES

    @property
    def all_runs(self) -> int:
        """Its runs in this session and in the past that counts."""
        return self.runs + (self.past.runs if self.past is not None else 0)

    @property
    def expected_seconds(self) -> float:
        """How long a run is expected to take: as in the last session, or as in this one if it is new or rerun."""
        if self.record is not None and self.record.seconds is not None and self.runs < 2:
            return self.record.seconds
        return self.seconds / max(self.runs, 1)

    def add(self, run: TestRun) -> bool:
        """Count a run; return whether it ends the history."""
        if self.runs == 0:
            self.first_passed = run.passed
        self.runs += 1
        self.failures += not run.passed
        self.seconds += run.seconds
        if not run.passed:
            self.failure = run.failure[-LONGEST_FAILURE:]
        return self._end_past()

    def _end_past(self) -> bool:
        """Discard the history, or its part up to the last failure, if this session shows that the test has changed."""
        past = self.past
        if past is None:
            return False
        if surprise(past, self.runs, self.failures) < SURPRISE:
            self.past, self.since = None, past.last_at
        elif not self.failures and past.failures:
            # Passes of several sessions count together: they are the only sign of a test that was fixed elsewhere.
            before = Past(past.runs - past.streak, past.failures)
            if surprise(before, past.streak + self.runs, 0) < SURPRISE:
                self.past, self.since = past.after_last_failure, past.failed_at
        return self.past is not past

    def stored_as(self, session: str, at: int, today: str) -> StoredTest:
        """Return the stored facts of this session: its id, its end (µs since 1970) and its date."""
        return StoredTest(
            (SessionRuns(session, at, self.test.source, self.runs, self.failures),),
            self.test.bar, self.test.cost, self.since, self.seconds / self.runs,
            self.failure, today if self.failures else "",
        )  # fmt: skip


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
