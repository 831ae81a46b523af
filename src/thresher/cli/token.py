"""``thresher token``: access tokens of the service."""

from __future__ import annotations

import json as to_json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from thresher.cli.usage import OnceCommand

if TYPE_CHECKING:
    from thresher.campaign import ServiceTokens
    from thresher.service import Keyring

Db = Annotated[str, typer.Option("--db", envvar="THRESHER_DB", help="Database of the service; or its https://host.")]
Scope = Annotated[str, typer.Option("--scope", help="read, work (ask and tell in one campaign) or admin.")]
CampaignOption = Annotated[str | None, typer.Option("--campaign", help="Campaign of a token of scope work.")]
Label = Annotated[str, typer.Option("--label", help="Label that is shown in the list.")]
TokenId = Annotated[str, typer.Argument(metavar="ID", help="Id of the token, as in the list.")]
Days = Annotated[float, typer.Option("--days", help="For how long it is valid; sessions that it opens end with it.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before revoking a token with its sessions.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
DATABASE = "sqlite:///thresher.db"

token = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Create, list and revoke tokens of the service.")


@token.command("new", cls=OnceCommand)
def new(
    scope: Scope = "read",
    campaign: CampaignOption = None,
    label: Label = "",
    days: Days = 3650.0,
    db: Db = DATABASE,
    json: Json = False,
) -> None:
    """Create a token and print it. It is not stored and cannot be shown again.

    Example: thresher token new --scope work --campaign prompts --db sqlite:///evals.db
    """
    from thresher.campaign import Campaign
    from thresher.cli.show import answer, say, say_note

    with _keyring(db) as keyring:
        text = keyring.new_token(scope, campaign=campaign, label=label, days=days)
    answer(to_json.dumps({"token": text, "scope": scope, "campaign": campaign}) if json else text)
    if campaign and campaign not in {standing.name for standing in Campaign.list(db, archived=True)}:
        say_note(f"there is no campaign {campaign!r} yet; the token can do nothing before there is one")
    if not json:
        say("Keep it: it cannot be shown again. Workers take it from the environment variable THRESHER_TOKEN.")


@token.command("code", cls=OnceCommand)
def code(db: Db = DATABASE, json: Json = False) -> None:
    """Print a one-time code for a browser login as admin, valid for an hour."""
    from thresher.cli.show import answer

    with _keyring(db) as keyring:
        text = keyring.new_code()
    answer(to_json.dumps({"code": text, "scope": "admin"}) if json else text)


@token.command("list", cls=OnceCommand)
def list_tokens(db: Db = DATABASE, json: Json = False) -> None:
    """List tokens, unused codes and sessions, without their secrets."""
    from thresher.campaign import moment
    from thresher.cli.show import answer, table

    with _keyring(db) as keyring:
        found = keyring.rows()
    rows = [
        {
            "id": row.id,
            "kind": row.kind,
            "scope": row.scope,
            "campaign": row.campaign,
            "label": row.label,
            "made": moment(row.made).isoformat(timespec="seconds"),
            "expires": moment(row.expires).isoformat(timespec="seconds"),
        }
        for row in found
    ]
    if json:
        answer(to_json.dumps({"tokens": rows}))
        return
    headers = ["id", "kind", "scope", "campaign", "label", "made", "expires"]
    table(headers, [[str(row[key] or "") for key in headers] for row in rows], left=range(len(headers)))


@token.command("revoke", cls=OnceCommand)
def revoke(token_id: TokenId, db: Db = DATABASE, yes: Yes = False, json: Json = False) -> None:
    """Revoke a token and the sessions that it opened; servers notice within a second.

    If it opened sessions, it asks first; without a terminal it needs --yes.
    """
    from thresher.cli.show import answer, confirm, say

    with _keyring(db) as keyring:
        sessions = len(keyring.family(token_id)) - 1
        if sessions and not yes:
            confirm(f"revoking {token_id} also ends {sessions} session{'s' * (sessions > 1)} that it opened")
        keyring.revoke(token_id)
    if json:
        answer(to_json.dumps({"revoked": token_id}))
    else:
        say(f"Revoked {token_id}.")


@contextmanager
def _keyring(db: str) -> Iterator[Keyring | ServiceTokens]:
    from thresher.errors import MissingExtraError

    if db.startswith(("https://", "http://")):
        try:
            from thresher.campaign import ServiceTokens
        except ImportError as error:
            raise MissingExtraError("tokens of a service", "client") from error
        remote = ServiceTokens(db)
        try:
            yield remote
        finally:
            remote.close()
        return
    try:
        from thresher.service import Keyring
    except ImportError as error:
        raise MissingExtraError("the service", "service") from error
    from thresher.campaign.storage import open_storage, token_table

    storage = open_storage(db, create=True)
    try:
        yield Keyring(token_table(storage))
    finally:
        storage.close()
