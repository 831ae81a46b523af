"""A pytest plugin that decides which tests are flaky and spends reruns where they matter.

``pytest --thresher-bar 0.98 --thresher-budget 120s`` runs every test once and then reruns those that matter;
``@pytest.mark.bar(0.95, cost=5)`` sets the bar of one test. Without the option the plugin does nothing.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

import pytest

from thresher.pytest_plugin.rerun_budget import RerunBudget

DATABASE = ".thresher-pytest.db"

__all__ = ["pytest_addoption", "pytest_configure"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("thresher", "judge tests by how often they pass")
    group.addoption(
        "--thresher-bar", type=_share, default=None, metavar="SHARE",
        help="A test passes if it passes in more than this share of its runs, such as 0.98; turns reruns on.",
    )  # fmt: skip
    group.addoption(
        "--thresher-budget", type=_budget, default=None, metavar="BUDGET",
        help="What to spend after every test has run once: reruns, such as 500, or seconds of test time, such as 120s."
        " Default: one rerun for each test.",
    )  # fmt: skip
    group.addoption(
        "--thresher-count-outage", action="store_true", default=False,
        help="Count a night in which most tests fail like any other. Default: it is reported and changes no verdict.",
    )  # fmt: skip
    group.addoption(
        "--thresher-db", default=None, metavar="FILE",
        help=f"File of the history. Default: {DATABASE} in the root directory.",
    )  # fmt: skip


def _share(text: str) -> float:
    with suppress(ValueError):
        if 0.0 < (value := float(text)) < 1.0:
            return value
    raise argparse.ArgumentTypeError(f"{text!r} must be a number between 0 and 1, such as 0.98")


def _budget(text: str) -> RerunBudget:
    try:
        return RerunBudget.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugins that the options require; nothing is imported without them."""
    config.addinivalue_line(
        "markers", "bar(share, cost=1): the share of runs that this test must pass, and what a wrong verdict costs"
    )
    bar = config.getoption("thresher_bar")
    if bar is None and config.getoption("thresher_budget") is not None:
        raise pytest.UsageError("--thresher-budget without --thresher-bar; give the bar too, such as 0.98")
    if bar is None or config.getoption("collectonly"):
        return
    from thresher.pytest_plugin.measured import Measuring

    is_worker = hasattr(config, "workerinput")
    config.pluginmanager.register(Measuring(bar, is_worker=is_worker), "thresher-measuring")
    if is_worker:
        from thresher.pytest_plugin.idle import Idling

        config.pluginmanager.register(Idling(), "thresher-idling")
        return
    if config.getoption("dist", "no") == "each":
        raise pytest.UsageError("--thresher-bar does not go with --dist each; use --dist load or another one")
    from thresher.pytest_plugin.judging import Judging

    path = config.getoption("thresher_db")
    place = Path(path) if path else config.rootpath / DATABASE
    judging = Judging(
        config,
        budget=config.getoption("thresher_budget") or RerunBudget(),
        history=place,
        count_outage=config.getoption("thresher_count_outage"),
    )
    config.pluginmanager.register(judging, "thresher-judging")
    if config.getoption("dist", "no") != "no":
        from thresher.pytest_plugin.distributed import Distributing

        config.pluginmanager.register(Distributing(judging), "thresher-distributing")
    else:
        from thresher.pytest_plugin.serial import Repeating

        config.pluginmanager.register(Repeating(judging), "thresher-repeating")
