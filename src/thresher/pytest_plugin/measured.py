"""Reports of measured runs: other plugins ignore them; the judge logs the final report."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import pytest

from thresher.pytest_plugin.source import fingerprint

MARKS = ("thresher_bar", "bar")  # the second one is that of earlier versions
MEASURED = "measured"  # the outcome of such a report: neither passed nor failed nor skipped
LEFT_OUT = pytest.StashKey[bool]()
ABOUT = pytest.StashKey[dict[str, Any]]()


class Measuring:
    """Turns the reports of a test into measurements, where the test runs.

    A test that is skipped, or that is expected to fail, is reported by pytest as usual.

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
        self._is_partial = False

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Note that the session leaves tests out."""
        self._is_partial |= bool(items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Read the marks, so invalid ones are reported before any test runs."""
        for item in items:
            try:
                item.stash[ABOUT] = about(item, self._bar)
            except pytest.UsageError as error:
                if not self._is_worker:
                    raise
                self._faults[item.nodeid] = str(error)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fail a test whose mark is invalid; forget the output of the run before."""
        item._report_sections.clear()
        if item.nodeid in self._faults:
            pytest.fail(self._faults[item.nodeid], pytrace=False)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Replace the report of a run by one that is not counted."""
        report = yield
        if report.when == "setup":
            item.stash[LEFT_OUT] = False
        if report.skipped or hasattr(report, "wasxfail"):
            item.stash[LEFT_OUT] = True
        if not item.stash[LEFT_OUT] and ABOUT in item.stash:
            hold_back(report, item.stash[ABOUT] | {"partial": self._is_partial})
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """Tear down a test that runs again next: pytest would keep all its fixtures otherwise."""
        if nextitem is item:
            item.session._setupstate.teardown_exact(item.parent)  # type: ignore[arg-type]


def about(item: pytest.Item, bar: float) -> dict[str, Any]:
    """Return the bar, the cost and the source hash of a test.

    Raises
    ------
    pytest.UsageError
        If its mark is invalid.
    """
    mark = next((found for name in MARKS if (found := item.get_closest_marker(name)) is not None), None)
    share, cost = (bar, 1.0) if mark is None else _of_mark(item.nodeid, mark)
    return {"bar": share, "cost": cost, "source": fingerprint(item), "flaky": bool(item.get_closest_marker("flaky"))}


def _of_mark(nodeid: str, mark: pytest.Mark) -> tuple[float, float]:
    args, kwargs = mark.args, mark.kwargs
    share, cost = (*args, None)[0], kwargs.get("cost", 1.0)
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (share, cost))
    if len(args) != 1 or set(kwargs) - {"cost"} or not numbers or not (0.0 < share < 1.0 and 0.0 < cost < 1e9):
        given = ", ".join([*map(repr, args), *(f"{name}={value!r}" for name, value in kwargs.items())])
        raise pytest.UsageError(
            f"{nodeid}: its mark is @pytest.mark.{mark.name}({given}); write @pytest.mark.thresher_bar(0.95) or"
            " @pytest.mark.thresher_bar(0.95, cost=5), with a share between 0 and 1 and a positive cost"
        )
    return float(share), float(cost)


def hold_back(report: Any, facts: dict[str, Any]) -> None:
    """Mark a report as not counted, and keep its original outcome in it."""
    report.thresher = {**facts, "outcome": report.outcome, "when": report.when}
    if report.when == "setup" and report.passed:
        return  # pytest reads it to decide whether to continue
    report.outcome = MEASURED
    if report.when == "teardown":
        report.when = MEASURED  # other plugins finish a test at its teardown


def release(reports: Sequence[Any]) -> list[Any]:
    """Return the original reports, to be logged as final ones."""
    for report in reports:
        report.outcome, report.when = report.thresher["outcome"], report.thresher["when"]
        report.duration = 0.0  # it was counted when it was measured
    return list(reports)
