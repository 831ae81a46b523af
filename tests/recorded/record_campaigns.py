"""Write ``campaigns.sql`` and ``campaigns.json``: an SQLite database with every kind of event, and its verdicts.

The dump is a database of an earlier version: later versions must open, migrate and verify it. Do not run this again;
add another dump next to it when a new kind of event is released:

    .venv/bin/python -m tests.recorded.record_campaigns
"""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from thresher.campaign import Campaign, Ticket
from thresher.campaign.storage.sqlite import SqliteStorage

DUMP, VERDICTS = (Path(__file__).parent / f"campaigns.{end}" for end in ("sql", "json"))
# What follows from the log alone; intervals and chances of error may improve from version to version.
FIELDS = ("arm", "verdict", "mean", "pulls", "outstanding", "retired")

LEASE = 60.0
INFINITY = re.compile(r"(?<=[,-])Inf(?=,)")  # as SQLite shows an infinite number, and cannot read it
CAMPAIGNS: dict[str, dict[str, Any]] = {
    "coins": {"family": "bernoulli", "threshold": [0.5, 0.4, 0.6], "expiry": "reissue"},
    "grades, forfeit": {"family": "bounded", "threshold": 1.5, "low": 1.0, "high": 2.0, "expiry": "forfeit"},
    "lengths": {"family": "gaussian", "threshold": 0.1, "sigma": [1.0, 0.5, 2.0], "pull_costs": [1, 2.5, 0.1]},
    "weights, forfeit": {"family": "gaussian-unknown-variance", "threshold": 0.3, "expiry": "forfeit"},
}


class Clock:
    """A clock that moves by a millisecond whenever it is read."""

    def __init__(self) -> None:
        self.ticks = count(1_790_000_000_000_000, 1000)
        self.shift = 0

    def __call__(self) -> int:
        """Return the time in µs since 1970."""
        return next(self.ticks) + self.shift


def outcome(family: str, i: int) -> float:
    """Return an outcome that the family can give."""
    if family == "bernoulli":
        return float(i % 3 == 0)
    return 1.0 + (i * 37 % 100) / 100


def live(campaign: Campaign, clock: Clock) -> None:
    """Do everything that can be done to a campaign."""
    numbers = count()

    def tell(*tickets: Ticket) -> None:
        campaign.tell_many([(ticket, outcome(campaign.terms.family, next(numbers))) for ticket in tickets])

    tell(*campaign.ask(9, key="first nine"))
    lost, late, failed, voided, amended, renewed = campaign.ask(6)
    tell(voided, amended)
    campaign.fail(failed, reason="no power")
    campaign.void(voided, reason="spilt")
    campaign.amend(amended, outcome(campaign.terms.family, 50), reason="read again: 1 é")
    clock.shift += 40_000_000
    campaign.heartbeat(renewed)
    clock.shift += 40_000_000
    tell(*campaign.ask(2))  # finds two expired leases
    tell(late)
    campaign.tell_counts("b", n=4, total=4.0, squares=None if campaign.terms.family == "bernoulli" else 4.0, key="k")
    campaign.tell_counts("a", n=1, total=1.0, squares=1.0, paid=False)
    campaign.add_arms(["d", "e'\"\\"], threshold=[0.5, 0.2] if campaign.terms.family != "bounded" else [1.2, 1.8],
                      sigma=1.0 if campaign.terms.family == "gaussian" else None)  # fmt: skip
    campaign.extend(12.5, key="more")
    campaign.pause()
    campaign.resume()
    tell(*campaign.ask(8))
    campaign.void(amended)
    campaign.amend(amended, outcome(campaign.terms.family, 51))
    campaign.retire("b")
    campaign.ask(2)
    _spend(campaign, tell)
    tell(lost)  # after its unit was given to another
    campaign.close(reason="enough")
    tell(renewed)


def _spend(campaign: Campaign, tell: Any) -> None:
    """Ask and tell until no unit is left."""
    while tickets := campaign.ask(5):
        tell(*tickets)


def main() -> None:
    """Write both files."""
    clock, verdicts = Clock(), {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recorded.db"
        storage = SqliteStorage(path, create=True, now=clock)
        for name, given in CAMPAIGNS.items():
            campaign = Campaign.create(storage, name, arms=["a", "b", "c"], budget=60, lease=LEASE, **given)
            live(campaign, clock)
            campaign.verify()
            verdicts[name] = [[row.to_dict()[field] for field in FIELDS] for row in campaign.verdicts()]
        storage.close()
        with closing(sqlite3.connect(path)) as connection:
            lines = [INFINITY.sub("9e999", line) for line in connection.iterdump()]
        DUMP.write_text("\n".join(lines) + "\n", encoding="utf-8")
    VERDICTS.write_text(json.dumps(verdicts, indent=1) + "\n")


if __name__ == "__main__":
    main()
