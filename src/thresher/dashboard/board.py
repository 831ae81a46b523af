"""The content of a campaign's pages, cached if it is slow to compute."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from starlette.requests import Request

from thresher.campaign import MOST_EVENTS, Entry, Overview, Trajectory, Verdict, Verdicts, overview_of
from thresher.errors import ThresherError
from thresher.report import distance, rank_of
from thresher.service import CampaignRegistry, ServedCampaign, log

PAGE = 100  # arms on a page
PATIENCE = 5.0  # largest age of verdicts, as a multiple of the time to compute them
MOST_BOARDS = 200  # each holds the statistics of every arm
HANDS = 2  # boards that are updated at a time
SMALL = 5_000  # arms and outcomes of a campaign whose verdicts are fast to compute
NEWEST = 20  # campaigns whose verdicts are computed in advance
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
    """The filter and the order of the arms on a page, and another bar to judge them by."""

    order: str = "decision"
    kind: str = "all"
    search: str = ""
    start: int = 0
    bar: str = ""

    def of(self, rows: Verdicts) -> list[tuple[int, Verdict]]:
        """Return the selected arms with their positions, in order."""
        wanted = self.search.casefold()
        found = [
            (place, row)
            for place, row in enumerate(rows)
            if KINDS[self.kind](row) and (not wanted or wanted in row.arm.casefold())
        ]
        if self.order == "decision":
            rank = rank_of(rows.said.passes)
            return sorted(found, key=lambda entry: (rank(entry[1]), entry[0]))
        key, drawn = KEYS[self.order], rows.drawn
        return sorted(found, key=lambda entry: (key(drawn[entry[0]]), entry[0]))


class Boards:
    """The boards of a server, one for each campaign that was viewed.

    Parameters
    ----------
    registry : CampaignRegistry
    """

    def __init__(self, registry: CampaignRegistry) -> None:
        self._registry = registry
        self._boards: OrderedDict[str, Board] = OrderedDict()
        self._lock = threading.Lock()
        self._is_stopping = threading.Event()
        # Not a background task of the response: that would hold the connection and delay a shutdown.
        self._hands = ThreadPoolExecutor(max_workers=HANDS, thread_name_prefix="board")

    def of(self, served: ServedCampaign) -> Board:
        """Return the board of a campaign, shared by all viewers; the least recently used are dropped."""
        with self._lock:
            board = self._boards.setdefault(served.backend.name, Board(served))
            self._boards.move_to_end(served.backend.name)
            if len(self._boards) > MOST_BOARDS:
                self._boards.popitem(last=False)
            return board

    def warm_up(self) -> None:
        """Compute the verdicts of the newest campaigns in advance, so the first page does not wait."""
        for served in map(self._registry.open, self._registry.names()[-NEWEST:]):
            if not served.backend.note:
                self.freshen(self.of(served))

    def freshen(self, board: Board) -> None:
        """Schedule an update of a board, without waiting for it."""
        if not board.is_catching_up and not self._is_stopping.is_set():
            board.is_wanted = True
            self._hands.submit(self._catch_up, board)

    def judge_soon(self, boards: Sequence[Board]) -> None:
        """Schedule updates of these campaigns, without waiting; those beyond the number of boards are skipped."""
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
        """Stop updates, before the database is closed."""
        self._is_stopping.set()
        self._hands.shutdown(cancel_futures=True)


class Dates(NamedTuple):
    """When a campaign was created, and when it last changed."""

    created: datetime
    changed: datetime


class _Known(NamedTuple):
    """Verdicts as of an event, the seconds they took to compute, and when they become stale."""

    events: int
    verdicts: Verdicts
    cost: float
    until: float


class Board:
    """The content of the pages of one campaign.

    Parameters
    ----------
    served : ServedCampaign
    """

    def __init__(self, served: ServedCampaign) -> None:
        self.served = served
        self._trajectory = Trajectory(served.terms)
        self._replaying = threading.Lock()
        self._computing = threading.Lock()
        self._known: _Known | None = None
        self._dates: tuple[int, Dates] | None = None
        self.is_wanted = False
        self.is_awaited = False

    def verdicts(self) -> Verdicts:
        """Return the verdicts; if they are slow to compute, cached ones until :meth:`catch_up`."""
        known = self._known
        if known is None or known.cost < LONG:
            known = self.judge()
        return known.verdicts

    @property
    def known_verdicts(self) -> Verdicts | None:
        """The last verdicts that were computed, if there are any."""
        return None if self._known is None else self._known.verdicts

    def dates(self, events: int) -> Dates:
        """Return when the campaign was created and when it had this many events; cached until there are more."""
        known = self._dates
        if known is None or known[0] != events:
            read = self.served.backend.history
            created = read(after=0, limit=1)[0].at if known is None else known[1].created
            self._dates = known = (events, Dates(created, read(after=events - 1, limit=1)[0].at))
        return known[1]

    @property
    def is_behind(self) -> bool:
        """Whether the verdicts are out of date."""
        return not self.is_as_of(self.served.backend.standing().events)

    @property
    def is_reading(self) -> bool:
        """Whether the curves lack events of the log."""
        return self._trajectory.events < min(self.served.backend.standing().events, MOST_EVENTS)

    def is_as_of(self, events: int) -> bool:
        """Return whether the verdicts include this many events."""
        return self._known is not None and self._known.events == events

    @property
    def is_catching_up(self) -> bool:
        """Whether an update is running or scheduled."""
        return self.is_wanted or self._replaying.locked()

    def judge(self) -> _Known:
        """Return the newest verdicts, or cached ones if they are slow to compute."""
        with self._computing:
            known = self._known
            if known is None or time.monotonic() > known.until:
                started = time.monotonic()
                events, found = self._first_verdicts() if known is None else self.served.verdicts()
                cost = time.monotonic() - started
                self._known = known = _Known(events, found, cost, time.monotonic() + min(PATIENCE * cost, 30.0))
            return known

    def _first_verdicts(self) -> tuple[int, Verdicts]:
        """Return the first verdicts to show: for a large campaign approximate ones, as of no event."""
        standing = self.served.backend.standing()
        if standing.arms + standing.told <= SMALL:
            return self.served.verdicts()
        return 0, self.served.backend.judging.quick_verdicts()

    def glance(self) -> Overview:
        """Return the overview of the campaign."""
        return overview_of(
            self.served.backend.standing(), self.verdicts(), self._trajectory.points, self._trajectory.settled
        )

    def catch_up(self, is_stopping: Callable[[], bool] = bool) -> None:
        """Compute the verdicts again if pages do not wait for them, and read new events for the curve.

        One thread at a time does this; it stops if `is_stopping` returns true.
        """
        self.is_wanted = False

        def history(*, after: int, limit: int | None) -> list[Entry]:
            return [] if is_stopping() else self.served.backend.history(after=after, limit=limit)

        if not self._replaying.acquire(blocking=False):
            return
        try:
            if self.is_behind:
                self.judge()
            self._trajectory.catch_up(history)
        finally:
            self._replaying.release()


def boards_of(request: Request) -> Boards:
    """Return the boards of this server."""
    boards: Boards = request.app.state.boards
    return boards
