"""Things to break, how often to break them, and the table of what came of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.chaos.disk import build_disk
from tests.support.chaos.nursery import Nursery
from tests.support.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def often(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """Choose between a count for every day and one for `make chaos`."""
    full = request.config.option.full
    return lambda small, large: large if full else small


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    with Nursery() as nursery:
        yield nursery


@pytest.fixture(scope="session")
def failing_nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """A nursery whose children write to a disk that can fail."""
    environment = build_disk(tmp_path_factory.mktemp("disk"))
    if environment is None:
        pytest.skip("needs Linux and a C compiler")
    with Nursery(environment) as nursery:
        yield nursery


@pytest.fixture(scope="session")
def durable_postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL that waits for its disk."""
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database: SQLite or PostgreSQL, as the parameter says."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/c.db"
    server: PostgresServer = request.getfixturevalue("durable_postgres")
    server.execute("DROP SCHEMA IF EXISTS thresher CASCADE")
    return server.address


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str, str], None]:
    """Record what a test measured, for the table at the end of `make chaos`."""
    return lambda promise, found: record_property("figure", f"{promise}\t{found}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the figure of every promise."""
    if not config.option.full:
        return
    terminalreporter.section("what the live side promises, and what this run found")
    reports = [report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, [])]
    lines = {value for report in reports for name, value in report.user_properties if name == "figure"}
    for line in sorted(lines):
        promise, found = line.split("\t")
        terminalreporter.write_line(f"{promise:<24} {found}")
