"""Write ``judged.sql``: an SQLite database with the scores of a judge, of the version before arms were ranked by them.

Do not run this again: that version ranked an arm by what items and scores leave of its variance together. It was run
with that version's `thresher`, from this folder:

    python record_judged.py
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from thresher import Campaign
from thresher.types import Floats

DUMP = Path(__file__).parent / "judged.sql"
ARMS, ITEMS = ("a", "b", "c"), tuple(f"q{i}" for i in range(1, 25))
TOLD = 45
EASY = np.where(np.arange(24) % 3 == 0, 0.9, 0.35)  # chance of an item to be answered rightly, by past arms too
TRUTH = (np.random.default_rng(7).random((3, 24)) < EASY).astype(float)
PAST = (np.random.default_rng(9).random((12, 24)) < EASY).astype(float)
JUDGE = np.where(np.random.default_rng(8).random((3, 24)) < [[0.95], [0.6], [0.95]], TRUTH, 1.0 - TRUTH)


def answers(table: Floats) -> dict[str, dict[str, float]]:
    """Return a table by the names of arms and items."""
    return {arm: dict(zip(ITEMS, row, strict=True)) for arm, row in zip(ARMS, table.tolist(), strict=True)}


def main() -> None:
    """Write the dump."""
    with tempfile.TemporaryDirectory() as folder:
        path, truth = Path(folder) / "recorded.db", answers(TRUTH)
        terms: dict[str, Any] = {"arms": ARMS, "items": ITEMS, "threshold": 0.5, "budget": TOLD}
        past = {f"past {h}": dict(zip(ITEMS, row, strict=True)) for h, row in enumerate(PAST.tolist())}
        campaign = Campaign.create(f"sqlite:///{path}", "judged", **terms, history=past, proxy=answers(JUDGE))
        for _ in range(TOLD):
            ticket = campaign.ask()
            assert ticket is not None
            assert ticket.item is not None
            campaign.tell(ticket, truth[ticket.arm][ticket.item])
        campaign.verify()
        campaign.disconnect()
        with closing(sqlite3.connect(path)) as connection:
            DUMP.write_text("\n".join(connection.iterdump()) + "\n")


if __name__ == "__main__":
    main()
