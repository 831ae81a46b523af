"""One text for both databases."""

import re
import sqlite3

import pytest

from thresher.errors import SchemaVersionError
from thresher.storage.migrations import apply_migrations, check_version, load_migrations
from thresher.storage.statements import in_words_of, load_statements

SQLITE, POSTGRESQL = load_statements("sqlite"), load_statements("postgresql")


def test_names_become_places_in_their_order() -> None:
    arm = SQLITE["arm_at"]
    assert arm.names == ("campaign", "position")
    assert arm.text.endswith("WHERE campaign = ? AND position = ?")
    assert POSTGRESQL["arm_at"].text.endswith("WHERE campaign = $1 AND position = $2")
    assert arm.values({"position": 2, "campaign": 1, "more": 3}) == (1, 2)


def test_a_name_that_comes_twice_is_sent_once_where_places_have_numbers() -> None:
    assert POSTGRESQL["advance"].names.count("seq") == 1
    assert SQLITE["advance"].names.count("seq") == 2


def test_both_databases_have_the_same_statements() -> None:
    assert SQLITE.keys() == POSTGRESQL.keys()
    for name, statement in SQLITE.items():
        assert set(statement.names) == set(POSTGRESQL[name].names), name


def test_no_remark_is_left_over() -> None:
    # In PostgreSQL those of a step stay until the whole step is one statement.
    alone = {name: sql for name, sql in POSTGRESQL.items() if "from the step" not in sql.text}
    left = [name for found in (SQLITE, alone) for name, sql in found.items() if "/*" in sql.text or ":" in sql.text]
    assert left == []
    assert len(POSTGRESQL) - len(alone) == 7


def test_what_a_remark_stands_for() -> None:
    assert in_words_of("sqlite", "x /* clustered */ /* often updated */") == "x WITHOUT ROWID "
    assert "fillfactor" in in_words_of("postgresql", "x /* clustered */ /* often updated */")
    assert POSTGRESQL["lock_ledger"].text.endswith("FOR UPDATE")
    assert "FOR UPDATE" not in SQLITE["lock_ledger"].text


@pytest.mark.parametrize("name", SQLITE)
def test_every_statement_fits_the_schema(name: str) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.create_function("thresher_clock", 0, lambda: 0)
    apply_migrations(lambda sql, values: connection.execute(sql, values).fetchall(), "sqlite", 0, load_migrations())
    connection.execute(f"EXPLAIN {SQLITE[name].text}", [None] * len(SQLITE[name].names))
    connection.close()


def test_migrations_are_numbered_without_holes() -> None:
    steps = load_migrations()
    assert [step.version for step in steps] == list(range(1, len(steps) + 1))


def test_a_statement_for_one_database_stays_there() -> None:
    first = load_migrations()[0]
    assert not [sql for sql in first.statements("sqlite") if re.search(r"FUNCTION|plpgsql", sql)]
    assert not [sql for sql in first.statements("postgresql") if re.search(r"ROWID|raise\(ABORT", sql)]
    assert sum("CREATE TABLE" in sql for sql in first.statements("sqlite")) == 6


def test_an_older_schema_needs_steps_and_a_newer_one_another_thresher() -> None:
    steps = load_migrations()
    assert check_version("x", 0, steps)
    assert not check_version("x", steps[-1].version, steps)
    with pytest.raises(SchemaVersionError):
        check_version("x", steps[-1].version + 1, steps)
