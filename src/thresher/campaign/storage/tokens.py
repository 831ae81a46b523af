"""Where tokens are kept: in the database of the campaigns, or in memory with campaigns in memory."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from thresher.campaign.storage.database import LAST_MOMENT, SqlStorage
from thresher.campaign.storage.memory import MemoryStorage
from thresher.campaign.storage.protocol import Storage


class TokenRow(NamedTuple):
    """One token, one-time code or session; of its secret there is the SHA-256 alone.

    Attributes
    ----------
    id, digest : str
        What it is called, and the SHA-256 of its secret in hexadecimal.
    kind, scope : str
        ``token``, ``code`` or ``session``; ``read``, ``work`` or ``admin``.
    campaign : str or None
        The one campaign that a token of scope ``work`` is for.
    label, parent : str
        What its owner calls it; the token that opened a session, else empty.
    made, expires : int
        µs since 1970 by the database's clock.
    """

    id: str
    digest: str
    kind: str
    scope: str
    campaign: str | None
    label: str
    parent: str
    made: int = 0
    expires: int = 0

    def goes_with(self, token: str) -> bool:
        """Return whether deleting `token` deletes this row: the token itself, or a session that it opened."""
        return self.id == token or (self.parent == token and self.parent != "")


class TokenTable:
    """The table of tokens of a database."""

    def __init__(self, storage: SqlStorage) -> None:
        self._storage = storage

    def add(self, row: TokenRow, *, lasts: int) -> None:
        """Write a token that is valid for this many µs, but not after `row.expires` unless it is 0; delete old ones."""
        with self._storage.writing() as run:
            run("delete_old_tokens")
            run("insert_token", **row._asdict(), lasts=lasts, until=row.expires or LAST_MOMENT)

    def find(self, token: str) -> TokenRow | None:
        """Return a token by its id, unless its time has come."""
        with self._storage.reading() as run:
            rows = run("find_token", id=token)
        return TokenRow._make(rows[0]) if rows else None

    def rows(self) -> list[TokenRow]:
        """Return all tokens, oldest first."""
        with self._storage.reading() as run:
            return [TokenRow._make(row) for row in run("list_tokens")]

    def delete(self, token: str) -> bool:
        """Delete a token and the sessions that it opened; return whether this call deleted the token itself."""
        with self._storage.writing() as run:
            return (token,) in run("delete_token", id=token)


_in_memory: WeakKeyDictionary[Storage, MemoryStorage] = WeakKeyDictionary()


def token_table(storage: Storage) -> TokenTable:
    """Return the table of tokens that goes with a storage: in its database, or in memory where there is none."""
    if isinstance(storage, SqlStorage):
        return TokenTable(storage)
    return TokenTable(_in_memory.setdefault(storage, MemoryStorage()))
