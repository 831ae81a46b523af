"""Databases for campaigns: memory, SQLite and PostgreSQL.

A :class:`Storage` locks a campaign, reads the rows that a decision needs, lets :mod:`thresher.campaign` decide, and
writes the event with the rows that it changes, in one transaction. ``common.sql``, ``sqlite.sql`` and
``postgresql.sql`` have every statement, ``migrations/`` the steps of the schema. :func:`open_storage` takes an address;
each passes the suites in ``tests/contract``.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.campaign.storage.address import hide_password, open_storage
    from thresher.campaign.storage.audit import audit
    from thresher.campaign.storage.backup import back_up, copy, restore
    from thresher.campaign.storage.memory import MemoryStorage
    from thresher.campaign.storage.protocol import (
        Contents,
        Heading,
        Plan,
        RowsToRead,
        Snapshot,
        Storage,
        TransactionResult,
    )
    from thresher.campaign.storage.snapshot import replace_campaign
    from thresher.campaign.storage.sqlite import SqliteStorage, make_private_file
    from thresher.campaign.storage.tokens import TokenRow, TokenTable, token_table

import_lazily(__name__)

__all__ = [
    "Contents",
    "Heading",
    "MemoryStorage",
    "Plan",
    "RowsToRead",
    "Snapshot",
    "SqliteStorage",
    "Storage",
    "TokenRow",
    "TokenTable",
    "TransactionResult",
    "audit",
    "back_up",
    "copy",
    "hide_password",
    "make_private_file",
    "open_storage",
    "replace_campaign",
    "restore",
    "token_table",
]
