"""``thresher problems``: the problems that have a name."""

from __future__ import annotations

import json as to_json
from typing import Annotated

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
    rows = [[str(f["name"]), _parameters(f["parameters"]), str(f["summary"]), str(f["source"])] for f in found]
    table(["name", "parameters", "what it is", "source"], rows, left=(0, 1, 2, 3), drop=(3,))


def _parameters(parameters: object) -> str:
    assert isinstance(parameters, dict)
    return ", ".join(f"{key}={value}" for key, value in parameters.items())
