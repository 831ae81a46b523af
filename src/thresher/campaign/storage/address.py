"""From an address to a storage: ``sqlite:///file.db``, ``postgresql://…``, ``memory://name``."""

from __future__ import annotations

import math
import re
import threading
from pathlib import Path
from urllib.parse import parse_qs

from thresher.campaign.storage.memory import MemoryStorage
from thresher.campaign.storage.protocol import Storage
from thresher.campaign.storage.sqlite import SqliteStorage
from thresher.errors import InvalidInputError, MissingExtraError
from thresher.number_text import exact

WRITE = "write sqlite:///thresher.db, postgresql://user@host/database or memory://"
LONGEST_TIMEOUT = 86_400.0  # seconds

PASSWORD = re.compile(r"^((?:[\w+.-]*:?//)?[^:/@]*):(?!//).*(?=@)")  # and the user before it, scheme or not

_memories: dict[str, MemoryStorage] = {}
_lock = threading.Lock()


def open_storage(address: str | Storage, *, create: bool = False) -> Storage:
    """Return the storage at an address; a storage itself comes back as it is.

    Parameters
    ----------
    address : str or Storage
        ``sqlite:///relative.db`` or ``sqlite:////absolute.db`` (``?timeout=5`` sets the seconds to wait for other
        writers), ``postgresql://user@host/database``, or ``memory://name``, which lives as long as this process.
    create : bool
        Whether an SQLite file may be made.

    Raises
    ------
    InvalidInputError
        If the address is none of these.
    MissingExtraError
        If the driver of PostgreSQL is not installed.
    StorageUnavailableError
        If the database cannot be reached.
    """
    if not isinstance(address, str):
        if not hasattr(address, "transact"):
            raise InvalidInputError("address of a storage", address, rule="must be text or a Storage", fix=WRITE)
        return address
    scheme, separator, rest = address.partition("://")
    if not separator:
        shown = hide_password(address)
        raise InvalidInputError("address of a storage", shown, rule="must have a scheme", fix=WRITE)
    if scheme == "memory":
        with _lock:
            if rest not in _memories:
                _memories[rest] = MemoryStorage()
            return _memories[rest]
    if scheme == "sqlite":
        return _open_sqlite(address, rest, create=create)
    if scheme in ("postgresql", "postgres"):
        return _open_postgres(address)
    shown = hide_password(scheme)
    raise InvalidInputError("scheme of an address", shown, rule="must be sqlite, postgresql or memory", fix=WRITE)


def hide_password(address: str) -> str:
    """Return an address with an ellipsis in place of the password, for messages."""
    return re.sub(r"(?<=password=)[^&\s]*", "…", PASSWORD.sub(r"\1:…", address))


def _open_sqlite(address: str, rest: str, *, create: bool) -> Storage:
    slash, _, tail = rest.partition("/")
    path, _, query = tail.partition("?")
    options = parse_qs(query)
    if slash or not path or "\0" in path or set(options) - {"timeout"}:
        raise InvalidInputError(
            "address",
            hide_password(address),
            rule="must be sqlite:/// and a file, as in sqlite:///thresher.db?timeout=5",
        )
    try:
        timeout = float(options.get("timeout", ["30"])[0])
    except ValueError:
        timeout = math.nan
    if not 0.0 <= timeout <= LONGEST_TIMEOUT:
        rule = f"must be a number of seconds from 0 to {exact(LONGEST_TIMEOUT)}"
        raise InvalidInputError("timeout of an address", hide_password(address), rule=rule)
    return SqliteStorage(Path(path), create=create, timeout=timeout)


def _open_postgres(address: str) -> Storage:
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict

        from thresher.campaign.storage.postgres import PostgresStorage
    except ImportError as error:
        raise MissingExtraError("PostgreSQL", "postgres") from error
    try:
        conninfo_to_dict(address)
    except ProgrammingError:
        rule = "must be an address of PostgreSQL"
        fix = "write postgresql://user@host/database; in a password write %40 for @, %25 for %, %20 for a space"
        # Without its cause: the message of the driver repeats the password.
        raise InvalidInputError("address of a storage", hide_password(address), rule=rule, fix=fix) from None
    return PostgresStorage(address)
