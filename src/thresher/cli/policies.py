"""``thresher policies``: the policies by name."""

from __future__ import annotations

import json as to_json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from thresher.policy import Listed

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def policies(json: Json = False) -> None:
    """List the policies, with their parameters and sources.

    Parameters go after a colon: lsa:alpha=1.35. Index policies also take evidence=kl (0/1 outcomes) and a prior
    (prior_mean and prior_sd, or prior_a and prior_b); lsa, fwt, fwt-sqrt and stopping take structure=items, pool or
    none (all that the problem has, unless given). A policy that needs the truth receives the gaps and works in
    simulations only; one that needs the horizon receives the number of pulls that the budget pays for. Formats of logs
    and measurements that installed packages add are listed too.
    """
    from thresher.cli.show import answer, say, table
    from thresher.policy import list_policies
    from thresher.run import installed_measurements
    from thresher.run.importers import installed_formats

    found, more = list_policies(), {"formats": list(installed_formats()), "measurements": installed_measurements()}
    if json:
        answer(to_json.dumps({"policies": [_document(entry) for entry in found], **more}))
        return
    for kind, names in more.items():
        if names:
            say(f"{kind.capitalize()} of installed packages: {', '.join(sorted(names))}.")
    table(["name", "what it does (parameters) [source]"], [[entry.name, _what(entry)] for entry in found], left=(0, 1))


def _what(entry: Listed) -> str:
    needs = f" Needs {entry.traits.needs}." if entry.traits.needs else ""
    parameters = f" ({entry.parameters.replace(',', ', ')})" if entry.parameters else ""
    return f"{entry.summary}{needs}{parameters} [{entry.source}]"


def _document(entry: Listed) -> dict[str, object]:
    return {key: value for key, value in vars(entry).items() if key != "traits"} | vars(entry.traits)
