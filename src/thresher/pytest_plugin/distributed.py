"""Reruns on xdist workers: the usual scheduler assigns the first runs, then the night assigns the reruns."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from thresher.pytest_plugin.idle import IDLE
from thresher.pytest_plugin.reruns import Judging

STAY = ("loadscope", "loadfile", "loadgroup")  # modes that keep a group of tests on one worker


class Distributing:
    """Wraps the scheduler that xdist would use in the one below.

    Parameters
    ----------
    judging : Judging
    """

    def __init__(self, judging: Judging) -> None:
        self._judging = judging

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Remove the idle test from the collection that a worker reports: other plugins must not see it."""
        if ids and ids[-1].endswith(IDLE):
            ids.pop()
        self._judging.collected.update(ids)

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Return the scheduler."""
        session = config.pluginmanager.getplugin("dsession")
        assert session is not None
        usual = session.pytest_xdist_make_scheduler(config, log)
        return Rerunning(usual, self._judging, stay=config.getvalue("dist") in STAY)


class _Worker:
    """A worker as the usual scheduler sees it: a shutdown only ends the wait for its last test."""

    def __init__(self, node: Any, send_home: Callable[[Any], None]) -> None:
        self._node, self._send_home = node, send_home

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)

    def shutdown(self) -> None:
        self._send_home(self._node)


class Rerunning:
    """A scheduler of xdist: first runs by another one, then reruns.

    Parameters
    ----------
    usual : scheduler
        Assigns the first runs.
    judging : Judging
    stay : bool
        Whether a test is rerun on the worker where it ran first.
    """

    def __init__(self, usual: Any, judging: Judging, *, stay: bool) -> None:
        self._usual, self._judging, self._stay = usual, judging, stay
        self._workers: dict[Any, _Worker] = {}
        self._collection: list[str] = []
        self._homes: dict[int, Any] = {}
        self._running: dict[Any, int] = {}
        self._waiting: dict[Any, list[int]] = {}
        self._orphans: list[int] = []

    @property
    def nodes(self) -> list[Any]:
        """All workers."""
        return list(self._workers)

    @property
    def collection_is_completed(self) -> bool:
        """Whether every worker has collected."""
        return bool(self._usual.collection_is_completed)

    @property
    def has_pending(self) -> bool:
        """Whether a test is running or pending."""
        return bool(self._usual.has_pending or self._running)

    @property
    def tests_finished(self) -> bool:
        """Whether no test is left to run, now or later."""
        return bool(self._usual.tests_finished and not self._usual.has_pending and not self._running)

    def add_node(self, node: Any) -> None:
        """Add a worker."""
        self._workers[node] = _Worker(node, self._let_go)
        self._judging.night.spending.workers = len(self._workers)
        self._usual.add_node(self._workers[node])

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        """Add the collection of a worker, followed by the idle test."""
        self._collection = list(collection)
        self._usual.add_node_collection(self._workers[node], self._collection)

    def schedule(self) -> None:
        """Start, or continue with a new worker."""
        self._usual.schedule()
        self._go_on()

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Continue after a test has run."""
        if item_index == len(self._collection):
            return
        if self._running.get(node) == item_index:
            del self._running[node]
        else:
            self._homes[item_index] = node
            self._usual.mark_test_complete(self._workers[node], item_index, duration)
        self._go_on()

    def mark_test_pending(self, item: str) -> None:
        """Run a test again that crashed its worker, if a plugin requests it."""
        self._usual.mark_test_pending(item)

    def remove_pending_tests_from_node(self, node: Any, indices: Sequence[int]) -> None:
        """Take back the tests that a worker has not started."""
        self._usual.remove_pending_tests_from_node(self._workers[node], indices)
        self._go_on()

    def remove_node(self, node: Any) -> str | None:
        """Remove a worker; return the test during which it crashed, if any."""
        worker = self._workers.pop(node)
        crashed = self._usual.remove_node(worker) if worker in self._usual.nodes else None
        if (running := self._running.pop(node, None)) is not None:
            crashed = self._collection[running]
            self._judging.lose(crashed)
        self._orphans += self._waiting.pop(node, [])
        self._go_on()
        return crashed

    def _let_go(self, node: Any) -> None:
        """Make a worker run its last test, by queueing the idle test after it."""
        if not node.shutting_down:
            _hand(node, [len(self._collection)])

    def _go_on(self) -> None:
        """Assign reruns once every test has run."""
        if not self._usual.collection_is_completed or not self._collection or not self._usual.tests_finished:
            return
        if self._usual.has_pending:
            for node in self.nodes:
                self._let_go(node)
            return
        while free := [node for node in self.nodes if node not in self._running and not node.shutting_down]:
            if not self._hand_out(free):
                return

    def _hand_out(self, free: list[Any]) -> bool:
        """Assign a rerun to a free worker; return False if there is none."""
        for node in free:
            if self._waiting.get(node):
                self._send(node, self._waiting[node].pop(0))
                return True
        if self._orphans:
            self._send(free[0], self._orphans.pop())
            return True
        if sum(map(len, self._waiting.values())) >= len(self._workers):
            return False
        name = self._judging.night.next()
        if name is None:
            return False
        index = self._collection.index(name)
        home = self._homes.get(index)
        if self._stay and home in self._workers and home not in free:
            self._waiting.setdefault(home, []).append(index)
        else:
            self._send(home if self._stay and home in free else free[0], index)
        return True

    def _send(self, node: Any, index: int) -> None:
        self._running[node] = index
        _hand(node, [index, len(self._collection)])


def _hand(node: Any, indices: list[int]) -> None:
    """Send tests to a worker. If it has just crashed, this fails silently: xdist reports that and removes it."""
    with contextlib.suppress(OSError):
        node.send_runtest_some(indices)
