"""What a campaign's pages show, computed no more often than it is worth."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from thresher.errors import ThresherError
from thresher.live import Entry, Verdict, Verdicts
from thresher.live.overview import Overview, overview_of
from thresher.live.trajectory import Trajectory
from thresher.report.decisions import rank_of
from thresher.report.verdict_rows import distance
from thresher.service.desk import Desk, File
from thresher.service.request_log import log

PAGE = 100  # arms on a page
PATIENCE = 5.0  # verdicts may be so many times as old as they take to compute
MOST_BOARDS = 200  # each holds what is known of every arm
HANDS = 2  # boards that catch up at the same time
SMALL = 5_000  # arms and outcomes of a campaign that is judged in no time
NEWEST = 20  # campaigns that are judged before they are looked at
LONG = 0.1  # seconds that a page waits for newer verdicts
ORDERS = {
    "decision": "by decision",
    "nearest": "nearest to the bar",
    "mean": "highest first",
    "pulls": "most measured",
    "wrong": "highest chance of error",
    "name": "name",
}
KEYS: dict[str, Callable[[Verdict], float | str]] = {  # but for the first order, which all surfaces share
    "nearest": lambda row: abs(distance(row)),
    "mean": lambda row: math.inf if row.mean is None else -row.mean,
    "pulls": lambda row: -row.pulls,
    "wrong": lambda row: 1.0 if math.isnan(row.p_wrong) else -row.p_wrong,
    "name": lambda row: row.arm.casefold(),
}
KINDS: dict[str, Callable[[Verdict], bool]] = {
    "all": lambda _: True,
    "pass": lambda row: row.decision == "pass",
    "fail": lambda row: row.decision == "fail",
    "open": lambda row: row.decision == "open",
    "proven": lambda row: row.proven,
}


@dataclass(frozen=True)
class Choice:
    """Which arms are wanted on a page, in which order."""

    order: str = "decision"
    kind: str = "all"
    search: str = ""
    start: int = 0

    def of(self, rows: Verdicts) -> list[tuple[int, Verdict]]:
        """Return all arms that are wanted, with their places, in the wanted order."""
        wanted = self.search.casefold()
        found = [
            (place, row)
            for place, row in enumerate(rows)
            if KINDS[self.kind](row) and (not wanted or wanted in row.arm.casefold())
        ]
        if self.order == "decision":
            rank = rank_of(rows.said.passes)
            return sorted(found, key=lambda entry: (rank(entry[1]), entry[0]))
        key = KEYS[self.order]
        return sorted(found, key=lambda entry: (key(entry[1]), entry[0]))


class Boards:
    """The boards of a server, one for each campaign that was looked at.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._boards: OrderedDict[str, Board] = OrderedDict()
        self._lock = threading.Lock()
        self._is_stopping = threading.Event()
        # Not a task behind the answer: that would hold the connection, and a server that is to stop.
        self._hands = ThreadPoolExecutor(max_workers=HANDS, thread_name_prefix="board")

    def of(self, file: File) -> Board:
        """Return the board of a campaign, the same for all who look at it; those not looked at for long are dropped."""
        with self._lock:
            board = self._boards.setdefault(file.backend.name, Board(file))
            self._boards.move_to_end(file.backend.name)
            if len(self._boards) > MOST_BOARDS:
                self._boards.popitem(last=False)
            return board

    def warm_up(self) -> None:
        """Judge the newest campaigns in advance, so that the first page does not wait."""
        for file in map(self._desk.open, self._desk.names()[-NEWEST:]):
            if not file.backend.note:
                self.freshen(self.of(file))

    def freshen(self, board: Board) -> None:
        """Let a board catch up, soon and without waiting for it."""
        if not board.is_catching_up and not self._is_stopping.is_set():
            board.is_wanted = True
            self._hands.submit(self._catch_up, board)

    def judge_soon(self, boards: Sequence[Board]) -> None:
        """Judge these campaigns again, soon and without waiting for it; more than are kept are left alone."""
        for board in boards[:MOST_BOARDS]:
            if not board.is_awaited and not self._is_stopping.is_set():
                board.is_awaited = True
                self._hands.submit(self._judge, board)

    def _judge(self, board: Board) -> None:
        board.is_awaited = False
        try:
            if not self._is_stopping.is_set():
                board.judge()
        except ThresherError:
            log.warning("board", exc_info=True)  # the database is unavailable: the next look tries again

    def _catch_up(self, board: Board) -> None:
        try:
            board.catch_up(self._is_stopping.is_set)
        except ThresherError:
            log.warning("board", exc_info=True)  # the database is unavailable: the next look tries again

    def stop(self) -> None:
        """Leave off as soon as may be, before the database is let go of."""
        self._is_stopping.set()
        self._hands.shutdown(cancel_futures=True)


class _Known(NamedTuple):
    """Verdicts: as of which event, how many seconds they took, and until when they are good enough."""

    events: int
    verdicts: Verdicts
    cost: float
    until: float


class Board:
    """What is shown of one campaign.

    Parameters
    ----------
    file : File
    """

    def __init__(self, file: File) -> None:
        self.file = file
        self._trajectory = Trajectory(file.terms)
        self._replaying = threading.Lock()
        self._computing = threading.Lock()
        self._known: _Known | None = None
        self.is_wanted = False
        self.is_awaited = False

    def verdicts(self) -> Verdicts:
        """Return the verdicts; where they take long to compute, those of a moment ago until :meth:`catch_up`."""
        known = self._known
        if known is None or known.cost < LONG:
            known = self.judge()
        return known.verdicts

    @property
    def known_verdicts(self) -> Verdicts | None:
        """The last verdicts that were computed, if there are any."""
        return None if self._known is None else self._known.verdicts

    @property
    def is_behind(self) -> bool:
        """Whether newer verdicts are to be had."""
        return not self.is_as_of(self.file.backend.standing().events)

    def is_as_of(self, events: int) -> bool:
        """Return whether the verdicts include this many events."""
        return self._known is not None and self._known.events == events

    @property
    def is_catching_up(self) -> bool:
        """Whether it is being computed, or will be soon."""
        return self.is_wanted or self._replaying.locked()

    def judge(self) -> _Known:
        """Return the newest verdicts, or those of a moment ago if they took long to compute."""
        with self._computing:
            known = self._known
            if known is None or time.monotonic() > known.until:
                started = time.monotonic()
                events, found = self._first_verdicts() if known is None else self.file.verdicts()
                cost = time.monotonic() - started
                self._known = known = _Known(events, found, cost, time.monotonic() + min(PATIENCE * cost, 30.0))
            return known

    def _first_verdicts(self) -> tuple[int, Verdicts]:
        """Return the first verdicts that are shown: of a large campaign the quick ones, which are as of no event."""
        standing = self.file.backend.standing()
        if standing.arms + standing.told <= SMALL:
            return self.file.verdicts()
        return 0, self.file.backend.quick_verdicts()

    def glance(self) -> Overview:
        """Return the campaign at a glance."""
        return overview_of(self.file.backend.standing(), self.verdicts(), self._trajectory.points)

    def catch_up(self, is_stopping: Callable[[], bool] = bool) -> None:
        """Judge anew where pages do not wait for it, and take in the events since the last time for the curve.

        One thread at a time does, and leaves off when it is told to stop.
        """
        self.is_wanted = False

        def history(*, after: int, limit: int | None) -> list[Entry]:
            return [] if is_stopping() else self.file.backend.history(after=after, limit=limit)

        if not self._replaying.acquire(blocking=False):
            return
        try:
            if self.is_behind:
                self.judge()
            self._trajectory.catch_up(history)
        finally:
            self._replaying.release()
