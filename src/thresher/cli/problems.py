"""``thresher problems``: the problems that have a name."""

from __future__ import annotations

import json as to_json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def problems(json: Json = False) -> None:
    """List the named problems, with their sources.

    Parameters go after a colon: linear:K=200. A JSON, TOML or CSV file can be used in place of a name.
    """
    import inspect

    from thresher.cli.show import answer, table
    from thresher.problem import PROBLEMS

    found = [
        {
            "name": name,
            "summary": entry.summary,
            "source": entry.source,
            "parameters": {p.name: p.default for p in inspect.signature(entry.build).parameters.values()},
        }
        for name, entry in PROBLEMS.items()
    ]
    if json:
        answer(to_json.dumps({"problems": found}))
        return
    table(["name", "what it is (parameters) [source]"], [[str(f["name"]), _what(f)] for f in found], left=(0, 1))


def _what(found: Mapping[str, Any]) -> str:
    parameters = ", ".join(f"{key}={value}" for key, value in found["parameters"].items())
    return f"{found['summary']}{f' ({parameters})' if parameters else ''} [{found['source']}]"
