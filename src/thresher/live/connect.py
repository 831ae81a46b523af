"""From an address and a name to a campaign."""

from __future__ import annotations

from thresher.live.backend import Backend
from thresher.live.local import LocalBackend
from thresher.storage import Storage, open_storage


def connect(address: str | Storage, name: str) -> Backend:
    """Return the campaign of that name at an address.

    Raises
    ------
    UnknownCampaignError
        If there is none of that name.
    StorageError
        If the database cannot be used.
    """
    storage = open_storage(address)
    try:
        return LocalBackend(storage, storage.find(name))
    except Exception:
        storage.close()
        raise


def connect_all(address: str | Storage) -> list[Backend]:
    """Return all campaigns at an address, oldest first."""
    storage = open_storage(address)
    return [LocalBackend(storage, heading) for heading in storage.headings()]
