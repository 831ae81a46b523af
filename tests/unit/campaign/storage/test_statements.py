"""The named statements of both databases: the same names, and the columns of the rows."""

import re
import sqlite3
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from thresher.campaign.ledger import Arm, Ledger, LogEntry, Pull, Request
from thresher.campaign.storage.migrations import apply_migrations, check_version, load_migrations
from thresher.campaign.storage.statements import RESULTS, load_statements
from thresher.campaign.storage.tokens import TokenRow
from thresher.errors import SchemaVersionError

SQLITE, POSTGRESQL = load_statements("sqlite"), load_statements("postgresql")
WRITTEN: dict[str, Any] = {
    "create_ledger": Ledger,
    "update_ledger": Ledger,
    "append_event": LogEntry,
    "insert_arms": Arm,
    "insert_pulls": Pull,
    "insert_requests": Request,
    "insert_token": TokenRow,
}


def parameters(sql: str) -> set[str]:
    return set(re.findall(r":(\w+)", sql))


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """An empty database with the schema of this version."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.create_function("thresher_clock", 0, lambda: 0)
    apply_migrations(connection.execute, "sqlite", 0, load_migrations())
    yield connection
    connection.close()


def test_both_files_define_the_same_statements() -> None:
    assert POSTGRESQL.keys() == SQLITE.keys()


def test_a_statement_that_is_the_same_is_written_once() -> None:
    folder = resources.files("thresher.campaign.storage")
    common, *own = (
        set(re.findall(r"^-- name: (\w+)$", folder.joinpath(f"{name}.sql").read_text(encoding="utf-8"), re.MULTILINE))
        for name in ("common", "sqlite", "postgresql")
    )
    assert own[0] == own[1]
    assert not common & own[0]
    assert common == {name for name, sql in SQLITE.items() if sql == POSTGRESQL[name]}


def test_both_databases_take_the_same_parameters() -> None:
    for name, sql in SQLITE.items():
        assert parameters(sql) == parameters(POSTGRESQL[name]), name


def test_a_statement_is_plain_sql_without_comments() -> None:
    assert SQLITE["find_campaign"] == "SELECT id, name, terms FROM campaign WHERE name = :name"
    for sql in (*SQLITE.values(), *POSTGRESQL.values()):
        assert "--" not in sql
        assert "/*" not in sql
        assert not sql.endswith(";")


@pytest.mark.parametrize("name", SQLITE)
def test_every_statement_fits_the_schema(connection: sqlite3.Connection, name: str) -> None:
    # SQLite refuses to compile a statement that names a table or a column that is not there.
    assert connection.execute(f"EXPLAIN {SQLITE[name]}", dict.fromkeys(parameters(SQLITE[name]))).fetchall()


@pytest.mark.parametrize("name", RESULTS)
def test_a_statement_returns_the_fields_of_its_row(connection: sqlite3.Connection, name: str) -> None:
    given = {key: "[]" if key in ("numbers", "names") else 0 for key in parameters(SQLITE[name])}
    columns = [column[0] for column in connection.execute(SQLITE[name], given).description]
    assert columns == [*RESULTS[name].kind._fields, *(["name", "now"] if name == "read_ledger" else [])]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_statement_writes_every_field_of_its_row(connection: sqlite3.Connection, name: str) -> None:
    fields = set(WRITTEN[name]._fields)
    if name != "insert_token":  # whose times come from the clock
        assert parameters(SQLITE[name]) - {"campaign"} == fields - {"campaign"}
    table = re.search(r"(?:INTO|UPDATE) (\w+)", SQLITE[name])
    assert table is not None
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table[1]})")]
    assert set(columns) - {"campaign"} == fields - {"campaign"}


@pytest.mark.parametrize("name", [name for name in SQLITE if "VALUES" in SQLITE[name]])
def test_a_column_gets_the_value_of_its_own_name(name: str) -> None:
    listed, given = SQLITE[name].split("VALUES")
    assert re.findall(r"\w+", listed.partition("(")[2]) == re.findall(r":(\w+)", given)


@pytest.mark.parametrize("name", [name for name in SQLITE if name.startswith("update")])
def test_a_column_is_set_to_the_value_of_its_own_name(name: str) -> None:
    pairs = re.findall(r"(\w+) = :(\w+)", SQLITE[name])
    assert pairs
    assert all(column == value for column, value in pairs)


def test_migrations_are_numbered_without_holes() -> None:
    steps = load_migrations()
    assert [step.version for step in steps] == list(range(1, len(steps) + 1))


def test_a_statement_for_one_database_stays_there() -> None:
    first = load_migrations()[0]
    assert not [sql for sql in first.statements("sqlite") if re.search(r"FUNCTION|plpgsql|fillfactor|/\*", sql)]
    assert not [sql for sql in first.statements("postgresql") if re.search(r"ROWID|raise\(ABORT|/\*", sql)]
    assert sum("CREATE TABLE" in sql for sql in first.statements("sqlite")) == 6


def test_an_older_schema_needs_steps_and_a_newer_one_another_thresher() -> None:
    steps = load_migrations()
    assert check_version("x", 0, steps)
    assert not check_version("x", steps[-1].version, steps)
    with pytest.raises(SchemaVersionError):
        check_version("x", steps[-1].version + 1, steps)
