"""Write ``items.sql``: an SQLite database with items, of the version before past arms and scores were stored.

Do not run this again: later versions have more tables. It was run with that version's `thresher`, from this folder:

    python record_items.py
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from thresher import Campaign

DUMP = Path(__file__).parent / "items.sql"
INFINITY = re.compile(r"(?<=[,-])Inf(?=,)")  # as SQLite shows an infinite number, and cannot read it
ARMS, ITEMS, MORE = ("a", "b"), tuple(f"q{i}" for i in range(1, 13)), ("q13", "q14")
TOLD = 16  # outcomes, before items were added and two tickets were left in flight


def truth(arm: str, item: str) -> float:
    """Return the answer of an arm to an item."""
    return float((int(item[1:]) * (3 if arm == "a" else 5)) % 7 > 2)


def main() -> None:
    """Write the dump."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recorded.db"
        campaign = Campaign.create(f"sqlite:///{path}", "exam", arms=ARMS, items=ITEMS, threshold=0.5, budget=24)
        for _ in range(TOLD):
            ticket = campaign.ask()
            assert ticket is not None
            assert ticket.item is not None
            campaign.tell(ticket, truth(ticket.arm, ticket.item))
        campaign.add_items(MORE)
        campaign.ask(2)
        campaign.verify()
        campaign.disconnect()
        with closing(sqlite3.connect(path)) as connection:
            DUMP.write_text("\n".join(INFINITY.sub("9e999", line) for line in connection.iterdump()) + "\n")


if __name__ == "__main__":
    main()
