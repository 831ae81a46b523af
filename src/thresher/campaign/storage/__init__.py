"""Databases for campaigns: memory, SQLite and PostgreSQL.

A :class:`Storage` locks a campaign, reads the rows that a decision needs, lets :mod:`thresher.campaign` decide, and
writes the event with the rows that it changes, in one transaction. ``common.sql``, ``sqlite.sql`` and
``postgresql.sql`` have every statement, ``migrations/`` the steps of the schema. :func:`open_storage` takes an address;
each passes the suites in ``tests/contract``.
"""

from thresher.storage.address import open_storage
from thresher.storage.memory import MemoryStorage
from thresher.storage.protocol import Contents, Done, Heading, Need, Plan, Snapshot, Storage

__all__ = [
    "Contents",
    "Done",
    "Heading",
    "MemoryStorage",
    "Need",
    "Plan",
    "Snapshot",
    "Storage",
    "open_storage",
]
