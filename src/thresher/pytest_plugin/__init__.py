"""A pytest plugin that decides which tests are flaky and spends reruns where they matter.

``pytest --thresher-bar 0.98 --thresher-budget 120s`` runs every test once and then reruns those that matter;
``@pytest.mark.thresher_bar(0.95, cost=5)`` sets the bar of one test. Without a bar the plugin does nothing.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from thresher.pytest_plugin.rerun_budget import RerunBudget
from thresher.terms import TERMS

DATABASE = ".thresher-pytest.db"
GUARANTEES = next(term.choices for term in TERMS if term.name == "guarantee")
MARK = "(share, cost=1): the share of runs that this test must pass, and what a wrong decision costs"

__all__ = ["pytest_addoption", "pytest_configure"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, on the command line and in the configuration file."""
    group = parser.getgroup("thresher", "judge tests by how often they pass")
    for name, metavar, text in (
        ("bar", "SHARE", "A test passes if it passes in more than this share of its runs, such as 0.98; turns reruns"
         " on."),
        ("budget", "BUDGET", "What to spend on reruns after every test has run once: a number of them, such as 500, or"
         " seconds, such as 120s. Default: one rerun for each test."),
        ("guarantee", "NAME", f"What a decision promises: {', '.join(GUARANTEES)}. Default: calibrated."),
        ("window", "DAYS", "Runs of earlier sessions count for this many days. Default: 90."),
    ):  # fmt: skip
        group.addoption(f"--thresher-{name}", default=None, metavar=metavar, type=_READ[name], help=text)
        parser.addini(f"thresher_{name}", f"Default of --thresher-{name}.")
    group.addoption(
        "--thresher-db", default=None, metavar="FILE",
        help=f"File of the history, a campaign database. Default: {DATABASE} in the root directory.",
    )  # fmt: skip
    parser.addini("thresher_history", "Default of --thresher-db, relative to the root directory.")
    group.addoption(
        "--thresher-count-outage", action="store_true", default=False,
        help="Count a session in which most tests fail like any other. Default: it changes no decision.",
    )  # fmt: skip
    group.addoption(
        "--thresher-markdown", default=None, metavar="FILE",
        help="Write the decisions as Markdown, such as for the summary of a CI job.",
    )  # fmt: skip


def _share(text: str) -> float:
    from thresher.problem import rate_in

    share = rate_in(text)
    if share is None or not 0.0 < share < 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number between 0 and 1, such as 0.98 or 98%")
    return share


def _budget(text: str) -> RerunBudget:
    try:
        return RerunBudget.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _guarantee(text: str) -> str:
    if text in GUARANTEES:
        return text
    raise argparse.ArgumentTypeError(f"{text!r} must be one of {', '.join(GUARANTEES)}")


def _days(text: str) -> float:
    with suppress(ValueError):
        if 0.0 < (value := float(text)) <= 36_500.0:
            return value
    raise argparse.ArgumentTypeError(f"{text!r} must be a positive number of days, such as 90")


_READ: dict[str, Any] = {"bar": _share, "budget": _budget, "guarantee": _guarantee, "window": _days}


def _option(config: pytest.Config, name: str) -> Any:
    """Return an option of the command line, or of the configuration file, or None.

    Raises
    ------
    pytest.UsageError
        If the value in the file is invalid.
    """
    if (given := config.getoption(f"thresher_{name}")) is not None:
        return given
    text = str(config.getini(f"thresher_{name}") or "")
    try:
        return _READ[name](text) if text else None
    except argparse.ArgumentTypeError as error:
        raise pytest.UsageError(f"thresher_{name} in {config.inipath}: {error}") from error


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugins that the options require; nothing is imported without them."""
    for name in ("thresher_bar", "bar"):
        config.addinivalue_line("markers", name + MARK)
    bar = _option(config, "bar")
    if bar is None and config.getoption("thresher_budget") is not None:
        raise pytest.UsageError("--thresher-budget without --thresher-bar; give the bar too, such as 0.98")
    if bar is None or config.getoption("collectonly"):
        return
    from thresher.pytest_plugin.measured import Measuring
    from thresher.pytest_plugin.reseeding import Reseeding

    is_worker, reseeding = hasattr(config, "workerinput"), Reseeding(config)
    config.pluginmanager.register(Measuring(bar, is_worker=is_worker), "thresher-measuring")
    config.pluginmanager.register(reseeding, "thresher-reseeding")
    if is_worker:
        from thresher.pytest_plugin.idle import Idling

        config.pluginmanager.register(Idling(reseeding), "thresher-idling")
    else:
        _register_judging(config)


def _register_judging(config: pytest.Config) -> None:
    """Register what collects runs and chooses reruns, in the main process."""
    dist = config.getoption("dist", "no")
    if dist == "each":
        raise pytest.UsageError("--thresher-bar does not go with --dist each; use --dist load or another one")
    from thresher.pytest_plugin.history import History
    from thresher.pytest_plugin.reruns import Judging

    given, stored = config.getoption("thresher_db"), str(config.getini("thresher_history") or DATABASE)
    history = History(Path(given) if given else config.rootpath / stored, days=_option(config, "window") or 90.0)
    judging = Judging(
        config,
        budget=_option(config, "budget") or RerunBudget(),
        history=history,
        guarantee=_option(config, "guarantee") or "calibrated",
    )
    config.pluginmanager.register(judging, "thresher-judging")
    if dist != "no":
        from thresher.pytest_plugin.distributed import Distributing

        config.pluginmanager.register(Distributing(judging), "thresher-distributing")
    else:
        from thresher.pytest_plugin.serial import Repeating

        config.pluginmanager.register(Repeating(judging), "thresher-repeating")
