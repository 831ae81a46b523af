"""User modules that a command imports: ``--plugin module``, ``--policy module:Class``."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from types import ModuleType
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
    for name in names or ():
        _import("--plugin", name, name)


def import_policies(texts: Sequence[str]) -> list[str]:
    """Return the names of policies; one that is written ``module:Class`` is imported and registered first.

    Its name is then ``module.Class``. Parameters follow: ``module:Class:scale=2``.

    Raises
    ------
    InvalidInputError
        If the module cannot be imported, or has no such class or function.
    InvalidPolicyError
        If that is not a policy.
    """
    return [_imported(text) for text in texts]


def _imported(text: str) -> str:
    module, _, rest = text.partition(":")
    target, colon, parameters = rest.partition(":")
    if not target.isidentifier():
        return text  # a name, and perhaps its parameters
    found = getattr(_import("--policy", text, module), target, None)
    if found is None:
        rule = f"module {module!r} has no {target!r}"
        raise InvalidInputError("--policy", text, rule=rule, fix="write --policy module:Class")
    from thresher.policy import register_policy

    register_policy(f"{module}.{target}")(found)
    return f"{module}.{target}{colon}{parameters}"


def _import(option: str, text: str, name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last: a file there does not shadow an installed module
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:  # a user's module may raise anything
        raise InvalidInputError(
            option,
            text,
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
