"""Tokens: administrators create, list and revoke them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request

from thresher.campaign import moment
from thresher.campaign.storage import TokenRow
from thresher.service import shapes
from thresher.service.context import RegistryOf, needs
from thresher.service.problem_details import MissingError
from thresher.service.settings import API
from thresher.service.strict import StrictRoute
from thresher.service.tokens import Keyring

router = APIRouter(prefix=f"{API}/tokens", tags=["tokens"], route_class=StrictRoute, dependencies=[needs("admin")])
TokenId = Annotated[str, Path(max_length=100, description="Id of the token, as in the list.")]


def _keyring(request: Request) -> Keyring:
    keyring: Keyring = request.app.state.keyring
    return keyring


KeyringOf = Annotated[Keyring, Depends(_keyring)]


@router.get("", response_model=shapes.TokenList)
def list_tokens(keyring: KeyringOf) -> Any:
    """List tokens, browser sessions and unused one-time codes, oldest first, without their secrets."""
    return {"tokens": [_shown(row) for row in keyring.rows()]}


@router.post("", status_code=201, response_model=shapes.CreatedToken)
def create_token(keyring: KeyringOf, registry: RegistryOf, new: shapes.NewToken) -> Any:
    """Create a token. The response is the only one that has its secret: the database stores a hash."""
    text = keyring.new_token(new.scope, campaign=new.campaign, label=new.label, days=new.days)
    is_missing = new.campaign is not None and new.campaign not in registry.names()
    notes = ["There is no such campaign yet; the token can do nothing before there is one."] if is_missing else []
    return {"token": text, "id": text.split("_")[1], "scope": new.scope, "campaign": new.campaign, "notes": notes}


@router.post("/{token}/revoke", response_model=shapes.RevokedToken)
def revoke_token(keyring: KeyringOf, token: TokenId) -> Any:
    """Revoke a token and the browser sessions that it opened; servers notice within a second."""
    family = [row for row in keyring.rows() if row.goes_with(token)]
    if all(row.id != token for row in family):
        raise MissingError("There is no token of that id; the list of tokens has the ids.")
    keyring.revoke(token)
    return {"revoked": token, "sessions": len(family) - 1}


def _shown(row: TokenRow) -> dict[str, Any]:
    fields = {name: getattr(row, name) for name in ("id", "kind", "scope", "campaign", "label", "parent")}
    return fields | {"made": moment(row.made), "expires": moment(row.expires)}
