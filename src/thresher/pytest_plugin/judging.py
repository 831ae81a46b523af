"""Collects the runs of a night, judges the tests, logs the reports that count, and says what was found."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from thresher.pytest_plugin.history import History, HistoryError, Past
from thresher.pytest_plugin.measured import MEASURED, release
from thresher.pytest_plugin.night import Judged, Night, Test
from thresher.pytest_plugin.summary import sentence, summary


class Judging:
    """The judge; lives in the process that the user started.

    Parameters
    ----------
    config : pytest.Config
    bar : float
    reruns : int, optional
    history : Path
    """

    def __init__(self, config: pytest.Config, *, bar: float, reruns: int | None, history: Path) -> None:
        self._config, self._bar = config, bar
        self._history = History(history)
        try:
            past = self._history.load()
        except HistoryError as error:
            raise pytest.UsageError(str(error)) from error
        self.night = Night(reruns=reruns, past=past)
        self._running: dict[tuple[str, str], list[Any]] = {}
        self._passed: dict[str, list[Any]] = {}
        self._failed: dict[str, list[Any]] = {}
        self._nodes: dict[str, Any] = {}
        self._lost: set[str] = set()
        self._judged: list[Judged] = []
        self._logging: Any = None  # the report that is being logged as the one that counts
        self._fault = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Collect what is measured; note what nobody measured."""
        if report is self._logging:
            return
        if not hasattr(report, "thresher") and report.failed:
            self._lost.add(report.nodeid)  # its process died: pytest has counted that
        run = report.nodeid, getattr(report, "worker_id", "")
        self._running.setdefault(run, []).append(report)
        if hasattr(report, "node"):
            # Reruns may happen on other workers; for those who count, a test stays where it was first.
            report.node = self._nodes.setdefault(report.nodeid, report.node)
        if report.when == "teardown" or report.when == MEASURED:
            self._take(report.nodeid, self._running.pop(run))

    def _take(self, nodeid: str, reports: list[Any]) -> None:
        """Tell the night what came of a run."""
        measured = all(hasattr(report, "thresher") for report in reports)
        passed = all(report.thresher["outcome"] == "passed" for report in reports) if measured else None
        if passed is not None:
            (self._passed if passed else self._failed)[nodeid] = reports
        if nodeid in self.night.tallies:
            self.night.rerun(nodeid, passed=passed)
        elif passed is not None:
            facts = reports[0].thresher
            test = Test(nodeid, float(facts["bar"]), float(facts["cost"]), str(facts["source"]))
            self.night.first(test, passed=passed)

    def lose(self, nodeid: str) -> None:
        """Give up a rerun whose process died."""
        self.night.rerun(nodeid, passed=None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, Any] | None:
        """Show a run as it comes; show a verdict by its count alone."""
        if report is self._logging:
            failed = "failed" if report.when == "call" else "error"
            return (failed if report.failed else "passed" if report.when == "call" else "", "", "")
        if report.outcome != MEASURED:
            return None
        if report.thresher["outcome"] != "passed":
            return "", "R", ("RERUN", {"yellow": True})
        return ("", ".", ("PASSED", {"green": True})) if report.when == "call" else ("", "", "")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Log the reports that count when all has run, or when it was interrupted."""
        try:
            return (yield)
        finally:
            self._judged = self.night.judge()
            for judged in self._judged:
                if judged.test.name not in self._lost:
                    self._log(judged)

    def _log(self, judged: Judged) -> None:
        name, failed = judged.test.name, judged.fails
        runs = (self._failed if failed else self._passed).get(name)
        reports = release(runs or self._passed[name])
        # The past may say so alone, or a subtest: pytest reports those apart.
        whole = [report for report in reports if not hasattr(report, "context")]
        if failed and not any(report.failed for report in whole):
            _fail_for(whole, sentence(judged))
        for report in reports:
            if report.failed:
                report.sections.append(("thresher", sentence(judged)))
            report.user_properties = [*report.user_properties, *_properties(judged)]
            self._logging = report
            self._config.hook.pytest_runtest_logreport(report=report)
        self._logging = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Keep what was seen for the nights to come."""
        seen = [
            (tally.test.name, Past(tally.test.source, tally.runs, tally.failures), tally.past is not None)
            for tally in self.night.tallies.values()
        ]
        try:
            if seen:
                self._history.keep(seen)
        except HistoryError as error:
            self._fault = f"History was not kept: {error}"

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was found, for people."""
        if not self._judged:
            return
        count = len(self._judged)
        terminalreporter.section("thresher: " + ("1 test, its bar" if count == 1 else f"{count} tests, their bars"))
        for line in summary(self._judged, self.night, self._history.path, self._fault):
            terminalreporter.write_line(line)


def _fail_for(reports: list[Any], why: str) -> None:
    """Make the report of a call that passed say that the test fails its bar all the same."""
    for report in reports:
        if report.when == "call":
            report.outcome, report.longrepr = "failed", why


def _properties(judged: Judged) -> list[tuple[str, object]]:
    return [
        ("thresher_runs", judged.runs),
        ("thresher_failures", judged.failures),
        ("thresher_bar", judged.test.bar),
        ("thresher_decision", judged.decision),
        ("thresher_proven", judged.verdict.proven),
    ]
