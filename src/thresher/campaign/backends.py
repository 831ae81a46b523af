"""The backend of a campaign: a database that this process opens, or a service over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, TypeVar

from thresher.campaign.arms import ArmRow
from thresher.campaign.creation import first_events
from thresher.campaign.inputs import lookup_name
from thresher.campaign.ledger import ARCHIVED, Machine, Terms
from thresher.campaign.local import LocalBackend
from thresher.campaign.messages import Standing
from thresher.campaign.signal_inputs import NO_SIGNALS, GivenSignals
from thresher.campaign.storage import Storage, open_storage
from thresher.errors import MissingExtraError

if TYPE_CHECKING:
    from thresher.campaign.http import HttpBackend
    from thresher.campaign.service_client import ServiceClient

Backend: TypeAlias = "LocalBackend | HttpBackend"  # one campaign, in a database or behind a service
Place = TypeVar("Place", "ServiceClient", Storage)


def connect(address: str | Storage, name: str, *, token: str | None = None) -> Backend:
    """Return the campaign of that name at an address; see :meth:`thresher.campaign.Campaign.open` for its errors."""
    name = lookup_name("campaign", name)
    if _is_service(address):
        from thresher.campaign.http import HttpBackend

        with _closed_on_error(_client(address, token)) as client:
            return HttpBackend(client, name)
    with _opened(address) as (storage, is_ours):
        return LocalBackend(storage, storage.find(name), owns_storage=is_ours)


def create(
    address: str | Storage,
    name: str,
    terms: Terms,
    rows: Sequence[ArmRow],
    *,
    budget: float,
    items: Sequence[str] = (),
    measured: Mapping[str, int] | None = None,
    signals: GivenSignals = NO_SIGNALS,
    token: str | None = None,
) -> Backend:
    """Return a new campaign at an address; see :meth:`thresher.campaign.Campaign.create` for its errors."""
    if _is_service(address):
        from thresher.campaign.http import create_over_http

        with _closed_on_error(_client(address, token)) as client:
            return create_over_http(
                client, name, terms, rows, budget=budget, items=items, measured=measured, signals=signals
            )
    events = first_events(
        name, terms, rows, budget=budget, items=items, measured=measured, signals=signals
    )  # before the file: invalid input creates none
    with _opened(address, create=True) as (storage, is_ours):
        heading = storage.create(name, terms.to_json(), Machine(terms), events)
        return LocalBackend(storage, heading, owns_storage=is_ours)


def standings(address: str | Storage, *, archived: bool = False, token: str | None = None) -> list[Standing]:
    """Return the standing of each campaign at an address, oldest first; with `archived` also of archived ones."""
    if _is_service(address):
        from thresher.campaign.http import list_over_http

        client = _client(address, token)
        try:
            return list_over_http(client, archived=archived)
        finally:
            client.close()
    with _opened(address) as (storage, is_ours):
        found = [LocalBackend(storage, heading).standing() for heading in storage.headings()]
        if is_ours:
            storage.close()
        return [standing for standing in found if archived or standing.status != ARCHIVED]


def _is_service(address: str | Storage) -> TypeGuard[str]:
    return isinstance(address, str) and address.startswith(("https://", "http://"))


def _client(address: str, token: str | None) -> ServiceClient:
    try:
        from thresher.campaign.service_client import ServiceClient
    except ImportError as error:
        raise MissingExtraError("a campaign behind a service", "client") from error
    return ServiceClient(address, token)


@contextmanager
def _opened(address: str | Storage, *, create: bool = False) -> Iterator[tuple[Storage, bool]]:
    """Yield the storage at an address, and whether it was opened here; one that was is closed if the block raises."""
    if not isinstance(address, str):
        yield open_storage(address), False
        return
    with _closed_on_error(open_storage(address, create=create)) as storage:
        yield storage, True


@contextmanager
def _closed_on_error(place: Place) -> Iterator[Place]:
    """Yield a client or a storage, and close it if the block raises."""
    try:
        yield place
    except BaseException:
        place.close()
        raise
