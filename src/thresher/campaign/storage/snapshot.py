"""A whole campaign, copied from memory over one of the same name in a file."""

from __future__ import annotations

import sqlite3

from thresher.campaign.storage.memory import MemoryStorage

TABLES = ("ledger", "arm", "pull", "request", "event", "item", "signal")
NAMED = "SELECT id FROM campaign WHERE name = ?"
GUARD = "SELECT sql FROM sqlite_master WHERE name = 'event_is_kept'"


def replace_campaign(database: sqlite3.Connection, source: MemoryStorage, name: str) -> None:
    """Replace the campaign of a name by that of another storage, in the caller's transaction.

    No event of a campaign is changed: the whole campaign makes room for another one, with a log of its own.

    Parameters
    ----------
    database : sqlite3.Connection
    source : MemoryStorage
    name : str
    """
    found = database.execute(NAMED, (name,)).fetchone()
    number = found[0] if found else database.execute("SELECT coalesce(max(id), 0) + 1 FROM campaign").fetchone()[0]
    [(guard,)] = database.execute(GUARD).fetchall()
    database.execute("DROP TRIGGER event_is_kept")
    for table in TABLES:
        database.execute(f"DELETE FROM {table} WHERE campaign = ?", (number,))  # noqa: S608
    database.execute(guard)
    database.execute("DELETE FROM campaign WHERE id = ?", (number,))
    with source.alone() as memory:
        [(theirs, terms)] = memory.execute("SELECT id, terms FROM campaign WHERE name = ?", (name,)).fetchall()
        database.execute("INSERT INTO campaign (id, name, terms) VALUES (?, ?, ?)", (number, name, terms))
        for table in TABLES:
            _copy(memory, theirs, database, number, table)


def _copy(memory: sqlite3.Connection, theirs: int, database: sqlite3.Connection, number: int, table: str) -> None:
    rows = memory.execute(f"SELECT * FROM {table} WHERE campaign = ?", (theirs,))  # noqa: S608
    columns = [column[0] for column in rows.description]
    place = columns.index("campaign")
    insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608
    database.executemany(insert, ((*row[:place], number, *row[place + 1 :]) for row in rows))
