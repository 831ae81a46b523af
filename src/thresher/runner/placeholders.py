"""Names of arms and their parameters in a command: put in so that no name can become a command of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thresher.errors import InvalidProblemError, UnknownNameError

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
IN_SHELL = re.compile(
    r"""(?P<escaped>\\.)|(?P<quoted>'[^']*'|"(?:\\.|[^"\\])*")|(?P<open>['"])|\$\{[^}]*\}|\{(?P<name>[A-Za-z_]\w*)\}""",
    re.DOTALL,
)


def variable_of(name: str) -> str:
    """Return the environment variable that holds a placeholder's value."""
    return "THRESHER_ARM" if name == "arm" else f"THRESHER_PARAMETER_{name.upper()}"


def environment_of(arm: str, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment of a command: ours, the arm and its parameters."""
    values = {"arm": arm, **parameters}
    return {**os.environ, **{variable_of(name): str(value) for name, value in values.items()}}


def shell_command(command: str, names: Iterable[str]) -> str:
    """Return a shell command in which ``{arm}`` and the like are quoted references to the environment.

    The shell does not look into what a variable holds, so that an arm named ``; rm -rf ~`` stays a name. Inside quotes
    a placeholder is refused: there its value may end up as the program of another shell.

    Raises
    ------
    InvalidProblemError
        If a placeholder stands inside quotes, or a quote does not end.
    UnknownNameError
        If there is no such placeholder.
    """
    known = set(names)

    def put(match: re.Match[str]) -> str:
        if match["open"]:
            raise InvalidProblemError(f"the command {command!r} has a quote without an end", instead="end it")
        if match["quoted"]:
            _refuse_inside(match["quoted"], known)
        if match["name"] is None:
            return match[0]
        if match["name"] not in known:
            raise UnknownNameError("placeholder in the command", match["name"], known)
        return f'"${variable_of(match["name"])}"'

    return IN_SHELL.sub(put, command)


def _refuse_inside(quoted: str, known: set[str]) -> None:
    for name in sorted(known):
        if f"{{{name}}}" in quoted:
            raise InvalidProblemError(
                f"{{{name}}} stands inside quotes: {quoted[:60]}",
                instead=f'take it out, it is quoted by itself; or read "${variable_of(name)}" there',
            )


def words_of(command: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    """Return the words of a command that no shell reads, with their placeholders filled in."""
    pattern = re.compile("|".join(re.escape(f"{{{name}}}") for name in values))
    return [pattern.sub(lambda match: str(values[match[0][1:-1]]), word) for word in command]
