"""From an address and a name to a campaign: in a database that this process reaches, or behind a service."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard, TypeVar

from thresher.campaign import Terms
from thresher.errors import MissingExtraError
from thresher.live.arms import ArmRow
from thresher.live.local import LocalBackend, create_campaign, first_events
from thresher.live.messages import Standing
from thresher.live.texts import sought
from thresher.storage import Storage, open_storage

if TYPE_CHECKING:
    from thresher.live.http import HttpBackend
    from thresher.live.service_client import ServiceClient

Backend: TypeAlias = "LocalBackend | HttpBackend"  # one campaign, in a database here or behind a service


class _Closable(Protocol):
    def close(self) -> None: ...


Place = TypeVar("Place", bound=_Closable)


def connect(address: str | Storage, name: str, *, token: str | None = None) -> Backend:
    """Return the campaign of that name at an address.

    Raises
    ------
    UnknownCampaignError
        If there is none of that name.
    AccessDeniedError
        If a service does not take the token.
    StorageError
        If the database or the service cannot be used.
    """
    name = sought("campaign", name)
    if _is_service(address):
        from thresher.live.http import HttpBackend

        return _kept(_client(address, token), lambda client: HttpBackend(client, name))
    return _kept(open_storage(address), lambda storage: LocalBackend(storage, storage.find(name)))


def create(
    address: str | Storage,
    name: str,
    terms: Terms,
    rows: Sequence[ArmRow],
    *,
    budget: float,
    token: str | None = None,
) -> Backend:
    """Return a new campaign at an address.

    Raises
    ------
    CampaignExistsError
        If the name is taken.
    """
    if _is_service(address):
        from thresher.live.http import create_over_http

        return _kept(_client(address, token), lambda client: create_over_http(client, name, terms, rows, budget=budget))
    happenings = first_events(name, terms, rows, budget=budget)  # what is wrong makes no file
    storage = open_storage(address, create=True)
    return LocalBackend(storage, create_campaign(storage, name, terms, happenings))


def standings(address: str | Storage, *, token: str | None = None) -> list[Standing]:
    """Return how all campaigns at an address stand, oldest first."""
    if _is_service(address):
        from thresher.live.http import list_over_http

        client = _client(address, token)
        try:
            return list_over_http(client)
        finally:
            client.close()
    storage = open_storage(address)
    return [LocalBackend(storage, heading).standing() for heading in storage.headings()]


def _is_service(address: str | Storage) -> TypeGuard[str]:
    return isinstance(address, str) and address.startswith(("https://", "http://"))


def _client(address: str, token: str | None) -> ServiceClient:
    try:
        from thresher.live.service_client import ServiceClient
    except ImportError as error:
        raise MissingExtraError("a campaign behind a service", "client") from error
    return ServiceClient(address, token)


def _kept(place: Place, use: Callable[[Place], Backend]) -> Backend:
    """Return what is made of an open place, which is closed again if nothing can be."""
    try:
        return use(place)
    except Exception:
        place.close()
        raise
