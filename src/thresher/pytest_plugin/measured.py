"""Reports of runs that are measurements: nobody else counts them; the judge logs the one that counts in the end."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import pytest

from thresher.pytest_plugin.source import fingerprint

MEASURED = "measured"  # the outcome of such a report: neither passed nor failed nor skipped
LEFT_OUT = pytest.StashKey[bool]()
ABOUT = pytest.StashKey[dict[str, Any]]()


class Measuring:
    """Turns the reports of a test into measurements, where the test runs.

    A test that is skipped, or that is expected to fail, is left to pytest.

    Parameters
    ----------
    bar : float
        For tests without a mark.
    is_worker : bool
        Whether this is a worker of xdist, which cannot refuse a session.
    """

    def __init__(self, bar: float, *, is_worker: bool) -> None:
        self._bar, self._is_worker = bar, is_worker
        self._faults: dict[str, str] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Read the marks, so that a wrong one is said before anything runs."""
        for item in items:
            try:
                item.stash[ABOUT] = about(item, self._bar)
            except pytest.UsageError as error:
                if not self._is_worker:
                    raise
                self._faults[item.nodeid] = str(error)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fail a test whose mark is wrong."""
        if item.nodeid in self._faults:
            pytest.fail(self._faults[item.nodeid], pytrace=False)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Make the report of a run one that nobody counts."""
        report = yield
        if report.when == "setup":
            item.stash[LEFT_OUT] = False
        if report.skipped or hasattr(report, "wasxfail"):
            item.stash[LEFT_OUT] = True
        if not item.stash[LEFT_OUT] and ABOUT in item.stash:
            hold_back(report, item.stash[ABOUT])
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """Tear a test down that is to run again at once: pytest would keep what the next one needs, which is all."""
        if nextitem is item:
            item.session._setupstate.teardown_exact(item.parent)  # type: ignore[arg-type]


def about(item: pytest.Item, bar: float) -> dict[str, Any]:
    """Return what the judge must know of a test: bar, cost, source.

    Raises
    ------
    pytest.UsageError
        If its mark is wrong.
    """
    mark = item.get_closest_marker("bar")
    share, cost = bar, 1.0
    if mark is not None:
        share, cost = _of_mark(item.nodeid, *mark.args, **mark.kwargs)
    return {"bar": share, "cost": cost, "source": fingerprint(item)}


def _of_mark(nodeid: str, *args: Any, **kwargs: Any) -> tuple[float, float]:
    share, cost = (*args, None)[0], kwargs.get("cost", 1.0)
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (share, cost))
    if len(args) != 1 or set(kwargs) - {"cost"} or not numbers or not (0.0 < share < 1.0 and 0.0 < cost < 1e9):
        raise pytest.UsageError(
            f"{nodeid}: its mark 'bar' has {args} and {kwargs}; write @pytest.mark.bar(0.95) or"
            " @pytest.mark.bar(0.95, cost=5), with a share between 0 and 1 and a positive cost"
        )
    return float(share), float(cost)


def hold_back(report: Any, facts: dict[str, Any]) -> None:
    """Make a report one that nobody counts, and keep in it what it was."""
    report.thresher = {**facts, "outcome": report.outcome, "when": report.when}
    if report.when == "setup" and report.passed:
        return  # pytest looks at it to decide whether to go on
    report.outcome = MEASURED
    if report.when == "teardown":
        report.when = MEASURED  # a teardown is where others close the book on a test


def release(reports: Sequence[Any]) -> list[Any]:
    """Return reports as they were, ready to be logged as those that count."""
    for report in reports:
        report.outcome, report.when = report.thresher["outcome"], report.thresher["when"]
        report.duration = 0.0  # it was counted when it was measured
    return list(reports)
