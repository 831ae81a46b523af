"""A random seed of its own for each rerun, where pytest-randomly resets the seed before every test."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from zlib import crc32

import pytest


class Reseeding:
    """Changes the seed of pytest-randomly for reruns: with the same seed, a random test fails every time or never.

    The seed of a rerun depends on that of the session, the worker and the number of the run, so a session can be
    repeated; a failure names it.

    Parameters
    ----------
    config : pytest.Config
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._runs: Counter[str] = Counter()
        self._seed: int | None = None
        self.are_reruns = False  # whether a worker of xdist has got its last first run

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Set the seed of a rerun."""
        number = self._runs[item.nodeid]
        self._runs[item.nodeid] += 1
        base = getattr(self._config.option, "randomly_seed", None)
        if not isinstance(base, int) or not (number or self.are_reruns):
            return (yield)
        worker = os.environ.get("PYTEST_XDIST_WORKER", "")
        self._seed = self._config.option.randomly_seed = (base + crc32(f"{worker} {number}".encode())) % 2**32
        try:
            return (yield)
        finally:
            self._config.option.randomly_seed, self._seed = base, None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Name the seed of a rerun that failed."""
        report = yield
        if report.failed and self._seed is not None:
            report.sections.append(("pytest-randomly", f"This rerun had --randomly-seed={self._seed}"))
        return report
