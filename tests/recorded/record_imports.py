"""Write ``imports.sql``: an SQLite database with imports of the version that stored a hash chain instead of lines.

Do not run this again: later versions store imports in another way. It was run with that version's `thresher`:

    python tests/recorded/record_imports.py
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from thresher.campaign import Campaign
from thresher.campaign.storage.sqlite import SqliteStorage
from thresher.run.importers import Columns, read_log, tell_log

DUMP = Path(__file__).parent / "imports.sql"
INFINITY = re.compile(r"(?<=[,-])Inf(?=,)")  # as SQLite shows an infinite number, and cannot read it
# Two arms; the last line of b comes before the last ones of a.
LINES = [f"{'ab'[i % 2 if i < 7 else 0]},{int(i % 3 == 0)},{i // 2}" for i in range(10)]


def text_of(lines: list[str]) -> str:
    """Return a table."""
    return "\n".join(["arm,outcome,run", *lines]) + "\n"


def main() -> None:
    """Write the dump."""
    with tempfile.TemporaryDirectory() as folder:
        database, table = Path(folder) / "recorded.db", Path(folder) / "labels.csv"
        storage = SqliteStorage(database, create=True)
        for name, key in (("lines", ""), ("keys", "run")):
            campaign = Campaign.create(storage, name, arms=["a", "b"], threshold=0.5, budget=60)
            for end in (6, 10) if not key else (5,):
                lines = LINES[:end] if not key else [f"a,1,{i}" for i in range(end)]
                table.write_text(text_of(lines))
                tell_log(campaign, read_log(table, Columns(key=key))[0])  # type: ignore[arg-type]
            campaign.verify()
        storage.close()
        with closing(sqlite3.connect(database)) as connection:
            DUMP.write_text("\n".join(INFINITY.sub("9e999", line) for line in connection.iterdump()) + "\n")


if __name__ == "__main__":
    main()
