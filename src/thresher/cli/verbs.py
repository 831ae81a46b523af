"""The plain commands of verbs, such as ``thresher pause``: see :mod:`thresher.campaign.verbs`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer

from thresher.campaign import VERBS, Command, Verb
from thresher.cli.campaigns import DEFAULT, Database, Json, Name, Reason, campaign_at, words_of

OPTIONS: dict[str, Any] = {"reason": Reason}  # by argument


def plain_commands() -> tuple[Callable[..., None], ...]:
    """Return the commands of the verbs that declare one, in the order of their declaration."""
    return tuple(_command(verb, verb.command) for verb in VERBS.values() if verb.command is not None)


def _command(verb: Verb, declared: Command) -> Callable[..., None]:
    """Return the command of a verb, with the signature from which Typer reads its arguments."""
    parameters = verb.signature.parameters.values()
    words = [one.name for one in parameters if one.default is Parameter.empty]

    def command(campaign: Any, db: str, json: bool, **given: Any) -> None:
        if words:
            campaign, values = words_of(campaign, [name.upper() for name in words], db)
            given |= dict(zip(words, values, strict=True))
        change(db, campaign, verb, given, json=json)

    first = _by_name("campaign", Name, None)
    if words:
        names = " ".join(["[CAMPAIGN]", *(name.upper() for name in words)])
        first = _by_name("campaign", Annotated[list[str], typer.Argument(metavar=names, help=declared.words)])
    options = [_by_name(one.name, OPTIONS[one.name], one.default) for one in parameters if one.name not in words]
    always = [_by_name("db", Database, DEFAULT), _by_name("json", Json, False)]
    command.__signature__ = Signature([first, *options, *always])  # type: ignore[attr-defined]
    command.__name__ = verb.name
    command.__doc__ = f"{declared.help}\n\nExample: thresher {declared.example}"
    return command


def _by_name(name: str, kind: Any, default: Any = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def change(db: str, campaign: str | None, verb: Verb, given: Mapping[str, Any], *, json: bool) -> None:
    """Change a campaign, and print its status or what the command of the verb prints."""
    from json import dumps

    from thresher.cli.show import answer

    with campaign_at(db, campaign) as found:
        found.perform(verb, given)
        standing = found.standing
    line = "" if verb.command is None else verb.command.line.format(**given)
    answer(dumps(standing.to_dict()) if json else line or f"{standing.name}: {standing.status}")
