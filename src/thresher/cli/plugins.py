"""``--plugin``: user modules that a command imports before it runs."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from thresher.errors import InvalidInputError

Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="MODULE",
        help="Import this module first: it registers your indices and policies. Repeatable.",
    ),
]


def import_plugins(names: Sequence[str] | None) -> None:
    """Import modules by name, installed ones or those of the current directory.

    Raises
    ------
    InvalidInputError
        If one cannot be imported.
    """
    here = str(Path.cwd())
    if names and here not in sys.path:
        sys.path.append(here)  # last: a file there does not shadow an installed module
    for name in names or ():
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as error:  # a user's module may raise anything
            raise InvalidInputError(
                "--plugin",
                name,
                rule=f"cannot be imported: {type(error).__name__}: {error}",
                fix="give the name of a module that is installed or in the current directory, without .py",
            ) from error


def with_plugins(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that also takes ``--plugin``."""

    @wraps(command)
    def run(plugin: Sequence[str] | None = None, **given: Any) -> None:
        import_plugins(plugin)
        command(**given)

    known = inspect.signature(command, eval_str=True)
    own = inspect.Parameter("plugin", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Plugins)
    run.__signature__ = known.replace(parameters=[*known.parameters.values(), own])  # type: ignore[attr-defined]
    return run
