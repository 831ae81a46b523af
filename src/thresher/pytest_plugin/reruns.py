"""Collects the runs of a session, judges the tests, logs the reports that count, and prints the summary."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from thresher.number_text import exact
from thresher.pytest_plugin.history import History, HistoryError
from thresher.pytest_plugin.measured import MEASURED, release
from thresher.pytest_plugin.night import Judged, Night
from thresher.pytest_plugin.rerun_budget import RerunBudget
from thresher.pytest_plugin.summary import Summary, sentence
from thresher.pytest_plugin.tally import Test, TestRun

MOST_NAMES = 5  # of tests that are gone


class Judging:
    """Judges tests, in the main process.

    Parameters
    ----------
    config : pytest.Config
    budget, guarantee
        As in :class:`~thresher.pytest_plugin.night.Night`.
    history : History
    """

    def __init__(self, config: pytest.Config, *, budget: RerunBudget, history: History, guarantee: str) -> None:
        self._config, self._history = config, history
        try:
            self._records = history.load()
        except HistoryError as error:
            raise pytest.UsageError(str(error)) from error
        self.night = Night(
            budget=budget,
            records=self._records,
            count_outage=config.getoption("thresher_count_outage"),
            guarantee=guarantee,
            oldest=history.oldest,
        )
        self.collected: set[str] = set()
        self._session: pytest.Session | None = None
        self._running: dict[tuple[str, str], list[Any]] = {}
        self._passed: dict[str, list[Any]] = {}
        self._failed: dict[str, list[Any]] = {}
        self._nodes: dict[str, Any] = {}
        self._lost: set[str] = set()
        self._marked_flaky: set[str] = set()
        self._judged: list[Judged] = []
        self._logging: Any = None  # the final report that is being logged
        self._fault = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which tests there are."""
        self._session = session
        self.collected.update(item.nodeid for item in session.items)

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
            if not self.night.tallies and self._is_whole(facts):
                self.night.gone = sorted(self._records.keys() - self.collected)
            if facts["flaky"]:
                self._marked_flaky.add(nodeid)
            self.night.first(Test(nodeid, float(facts["bar"]), float(facts["cost"]), str(facts["source"])), run)
            if not run.passed:
                self._stop_if_enough()

    def _is_whole(self, facts: dict[str, Any]) -> bool:
        """Return whether all tests were collected: none was named, selected or deselected."""
        config = self._config
        is_named = config.args_source == pytest.Config.ArgsSource.ARGS
        chosen = [config.getoption(name, None) for name in ("keyword", "markexpr", "deselect", "ignore", "ignore_glob")]
        return not (is_named or any(chosen) or facts["partial"])

    def _stop_if_enough(self) -> None:
        """Stop the session as pytest does after ``-x`` or ``--maxfail``: each test that failed in its run counts."""
        most = self._config.getoption("maxfail")
        failed = sum(not tally.first_passed for tally in self.night.tallies.values())
        if not most or failed < most:
            return
        why = f"stopping after {failed} failures"
        distributed = self._config.pluginmanager.getplugin("dsession")
        if distributed is not None:
            distributed.shouldstop = distributed.shouldstop or why
        elif self._session is not None:
            self._session.shouldfail = why

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
        """Store the runs and the campaign in the history, and write the Markdown file."""
        today = datetime.now(UTC).date().isoformat()
        try:
            if kept := self.night.stored_as(token_hex(6), time.time_ns() // 1000, today):
                self._history.keep(kept, self.night.campaign.storage)
        except HistoryError as error:
            self._fault = f"The history was not stored: {error}"

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the summary, and write it as Markdown."""
        if not self._judged:
            return
        session = self._session
        was_stopped = session is not None and bool(session.shouldfail or session.shouldstop)
        found = Summary(self._judged, self.night, notes=self._notes(), was_stopped=was_stopped)
        terminalreporter.section(f"thresher: {found.title}")
        for line in found.lines(terminalreporter._tw.fullwidth):
            terminalreporter.write_line(line)
        if path := self._config.getoption("thresher_markdown"):
            Path(path).write_text(found.markdown(), encoding="utf-8")

    def _notes(self) -> list[str]:
        """Return notes after the decisions: options without effect, tests that are gone, the history."""
        notes = [*_without_effect(self._config, len(self._marked_flaky)), *self._about_gone()]
        path = self._history.path
        with suppress(ValueError):
            path = path.relative_to(Path.cwd())
        unchanged = f"The history in {path} is as before."
        return [*notes, self._fault or (unchanged if self.night.is_outage else f"The history is in {path}.")]

    def _about_gone(self) -> list[str]:
        gone = self.night.gone
        if not gone:
            return []
        names = ", ".join(gone[:MOST_NAMES]) + (", …" if len(gone) > MOST_NAMES else "")
        tests = "1 test of the history was" if len(gone) == 1 else f"{len(gone):,} tests of the history were"
        return [
            f"{tests} not collected, so removed or renamed: {names}. Their runs are kept for"
            f" {exact(self._history.days)} days."
        ]


def _without_effect(config: pytest.Config, n_marked: int) -> list[str]:
    """Return a note if pytest-rerunfailures was asked for reruns: it sees no failure to rerun."""
    if not (config.pluginmanager.hasplugin("rerunfailures") or config.pluginmanager.hasplugin("pytest_rerunfailures")):
        return []
    asked = [f"--reruns {config.getoption('reruns')}"] if config.getoption("reruns", None) else []
    asked += [f"the mark 'flaky' of {n_marked} {'test' if n_marked == 1 else 'tests'}"] if n_marked else []
    if not asked:
        return []
    return [
        f"pytest-rerunfailures has no effect here ({' and '.join(asked)}): thresher reruns tests and counts every run."
    ]


def _run_of(reports: list[Any]) -> TestRun | None:
    """Return a run from the reports of its phases; None if one of them is not a measurement."""
    if not all(hasattr(report, "thresher") for report in reports):
        return None
    failures = [report for report in reports if report.thresher["outcome"] != "passed"]
    text = next((str(report.longrepr) for report in failures if report.longrepr), "")
    return TestRun(not failures, sum(report.duration for report in reports), text)


def _why(judged: Judged) -> str:
    """Return why a test is red although it passed every time in this session, with its last failure."""
    record = judged.tally.record
    if record is None or not record.failure:
        return sentence(judged)
    return f"{sentence(judged)}\n\nThe last failure ({record.failed_on}):\n{record.failure}"


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
