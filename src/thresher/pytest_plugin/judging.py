"""Collects the runs of a night, judges the tests, logs the reports that count, and prints the summary."""

from __future__ import annotations

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from thresher.pytest_plugin.history import History, HistoryError
from thresher.pytest_plugin.measured import MEASURED, release
from thresher.pytest_plugin.night import Judged, Night
from thresher.pytest_plugin.rerun_budget import RerunBudget
from thresher.pytest_plugin.summary import sentence, summary
from thresher.pytest_plugin.tally import Test, TestRun


class Judging:
    """Judges tests, in the main process.

    Parameters
    ----------
    config : pytest.Config
    budget, count_outage
        As in :class:`~thresher.pytest_plugin.night.Night`.
    history : Path
    """

    def __init__(self, config: pytest.Config, *, budget: RerunBudget, history: Path, count_outage: bool) -> None:
        self._config = config
        self._history = History(history)
        try:
            past = self._history.load()
        except HistoryError as error:
            raise pytest.UsageError(str(error)) from error
        self.night = Night(budget=budget, past=past, count_outage=count_outage)
        self._running: dict[tuple[str, str], list[Any]] = {}
        self._passed: dict[str, list[Any]] = {}
        self._failed: dict[str, list[Any]] = {}
        self._nodes: dict[str, Any] = {}
        self._lost: set[str] = set()
        self._judged: list[Judged] = []
        self._logging: Any = None  # the final report that is being logged
        self._fault = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Collect measurements; note crashed processes, which are not measurements."""
        if report is self._logging:
            return
        if not hasattr(report, "thresher") and report.failed:
            self._lost.add(report.nodeid)  # its process crashed: pytest has counted that
        run = report.nodeid, getattr(report, "worker_id", "")
        self._running.setdefault(run, []).append(report)
        if hasattr(report, "node"):
            # Reruns may run on other workers; reports keep the first worker.
            report.node = self._nodes.setdefault(report.nodeid, report.node)
        if report.when == "teardown" or report.when == MEASURED:
            self._take(report.nodeid, self._running.pop(run))

    def _take(self, nodeid: str, reports: list[Any]) -> None:
        """Report the outcome of a run to the night."""
        run = _run_of(reports)
        if run is not None:
            (self._passed if run.passed else self._failed)[nodeid] = reports
        if nodeid in self.night.tallies:
            self.night.rerun(nodeid, run)
        elif run is not None:
            facts = reports[0].thresher
            test = Test(nodeid, float(facts["bar"]), float(facts["cost"]), str(facts["source"]))
            self.night.first(test, run)

    def lose(self, nodeid: str) -> None:
        """Cancel a rerun whose process crashed."""
        self.night.rerun(nodeid, None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, Any] | None:
        """Show each run as it ends; show a final report only in the counts."""
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
        """Log the final reports when all tests have run, or after an interrupt."""
        try:
            return (yield)
        finally:
            self._judged = self.night.judge()
            for judged in self._judged:
                if judged.test.name not in self._lost:
                    self._log(judged)

    def _log(self, judged: Judged) -> None:
        name, failed = judged.test.name, judged.is_red
        runs = (self._failed if failed else self._passed).get(name)
        reports = release(runs or self._passed[name])
        # A test may be red because of its history or of a subtest, which pytest reports separately.
        whole = [report for report in reports if not hasattr(report, "context")]
        if failed and not any(report.failed for report in whole):
            _fail_for(whole, _why(judged))
        for report in reports:
            if report.failed:
                report.sections.append(("thresher", sentence(judged)))
            report.user_properties = [*report.user_properties, *_properties(judged)]
            self._logging = report
            self._config.hook.pytest_runtest_logreport(report=report)
        self._logging = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Store the outcomes in the history."""
        try:
            if kept := self.night.kept(datetime.now(UTC).date().isoformat()):
                self._history.keep(kept)
        except HistoryError as error:
            self._fault = f"History was not kept: {error}"

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the summary."""
        if not self._judged:
            return
        count = len(self._judged)
        terminalreporter.section("thresher: " + ("1 test, its bar" if count == 1 else f"{count} tests, their bars"))
        for line in summary(self._judged, self.night, self._history.path, self._fault):
            terminalreporter.write_line(line)


def _run_of(reports: list[Any]) -> TestRun | None:
    """Return a run from the reports of its phases; None if one of them is not a measurement."""
    if not all(hasattr(report, "thresher") for report in reports):
        return None
    failures = [report for report in reports if report.thresher["outcome"] != "passed"]
    text = next((str(report.longrepr) for report in failures if report.longrepr), "")
    return TestRun(not failures, sum(report.duration for report in reports), text)


def _why(judged: Judged) -> str:
    """Return why a test is red although it passed every time tonight, with its last failure."""
    past = judged.tally.past
    if past is None or not past.failure:
        return sentence(judged)
    return f"{sentence(judged)}\n\nThe last failure ({past.failed_on}):\n{past.failure}"


def _fail_for(reports: list[Any], why: str) -> None:
    """Change the report of a passing call: the test fails its bar."""
    for report in reports:
        if report.when == "call":
            report.outcome, report.longrepr = "failed", why


def _properties(judged: Judged) -> list[tuple[str, object]]:
    return [
        ("thresher_runs", judged.tally.runs),
        ("thresher_failures", judged.tally.failures),
        ("thresher_bar", judged.test.bar),
        ("thresher_decision", judged.decision),
        ("thresher_proven", judged.verdict.proven),
    ]
