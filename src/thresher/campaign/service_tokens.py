"""The tokens of a service over HTTP, for administrators."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import quote

from thresher.campaign.service_client import ServiceClient
from thresher.campaign.storage import TokenRow
from thresher.errors import InvalidInputError, UnknownNameError


class ServiceTokens:
    """The tokens of a service; the methods are those of :class:`thresher.service.Keyring`.

    Parameters
    ----------
    address : str
        ``https://host``; the environment variable ``THRESHER_TOKEN`` has a token of scope ``admin``.
    """

    def __init__(self, address: str) -> None:
        self._address, self._client = address, ServiceClient(address)

    def new_token(self, scope: str, *, campaign: str | None = None, label: str = "", days: float) -> str:
        """Create a token; return its text."""
        body = {"scope": scope, "campaign": campaign, "label": label, "days": days}
        return str(self._client.call("POST", "/tokens", body=body, is_repeatable=False)["token"])

    def new_code(self) -> str:
        """Raise InvalidInputError: a one-time code lets a browser in as admin, and needs the database itself."""
        rule = "must be the database of the service, to print a one-time code"
        raise InvalidInputError("--db", self._address, rule=rule)

    def rows(self) -> list[TokenRow]:
        """Return all tokens, codes and sessions, oldest first; without the hashes of their secrets."""
        return [_row(one) for one in self._client.call("GET", "/tokens")["tokens"]]

    def family(self, token: str) -> list[TokenRow]:
        """Return a token and the sessions that it opened; raise UnknownNameError if there is no such token."""
        rows = self.rows()
        if all(row.id != token for row in rows):
            raise UnknownNameError("token", token, (row.id for row in rows))
        return [row for row in rows if row.goes_with(token)]

    def revoke(self, token: str) -> None:
        """Revoke a token and the sessions that it opened."""
        self._client.call("POST", f"/tokens/{quote(token, safe='')}/revoke")

    def close(self) -> None:
        """Close all connections."""
        self._client.close()


def _row(one: dict[str, Any]) -> TokenRow:
    made, expires = (round(datetime.fromisoformat(one[key]).timestamp() * 1e6) for key in ("made", "expires"))
    fields = {key: one[key] for key in ("id", "kind", "scope", "campaign", "label", "parent")}
    return TokenRow(digest="", made=made, expires=expires, **fields)
