"""Processor time by test file, with that of the processes that a test has waited for: ``pytest --cpu-time``."""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

FILES = 40  # that the table shows


class CpuTime:
    """Measures each phase of each test where it runs, and prints the sums where the session ends."""

    def __init__(self) -> None:
        self._since = processor_time()
        self._by_file: Counter[str] = Counter()

    def pytest_runtest_logstart(self) -> None:
        """Begin to measure a test."""
        self._since = processor_time()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Put the processor time of a phase on its report, which xdist sends to the controller."""
        report = yield
        now = processor_time()
        report.cpu_time, self._since = now - self._since, now
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Add what a phase took."""
        self._by_file[report.nodeid.partition("::")[0]] += report.cpu_time

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the files that took most."""
        terminalreporter.section("processor time in seconds, without collection and servers of a session")
        for name, seconds in self._by_file.most_common(FILES):
            terminalreporter.write_line(f"{seconds:8.1f}  {name}")
        terminalreporter.write_line(f"{self._by_file.total():8.1f}  all")


def processor_time() -> float:
    """Return the processor time of this process and of its children that have ended."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
