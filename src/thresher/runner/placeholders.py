"""Placeholders and variables in commands; no value can become a command or an option (command injection)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import PurePath
from typing import Any

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.runner.environment import variable_of

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
IN_SHELL = re.compile(
    r"""(?P<escaped>\\.)|(?P<quoted>'[^']*'|"(?:\\.|[^"\\])*")|(?P<open>['"])|\$\{[^}]*\}|\{(?P<name>[A-Za-z_]\w*)\}""",
    re.DOTALL,
)
TOKEN = re.compile(rf"{IN_SHELL.pattern}|\$\w+|(?P<between>[\s;|&()<>`])|.", re.DOTALL)
MAYBE_EMPTY = re.compile(r"(?:\\\n|\$\{[^}]*\}|\$\w+|['\"])+")  # a part of an argument that may expand to nothing
SHELLS = ("sh", "ash", "bash", "dash", "ksh", "mksh", "zsh", "fish")
SCRIPT_FOLLOWS, NAME_FOLLOWS = re.compile(r"-[A-Za-z]*c"), re.compile(r"[-+][A-Za-z]*[oO]")  # as in: -eo pipefail -c
# Variables of bash that another /bin/sh leaves empty: every measurement would see the same, without an error.
OF_BASH = ("RANDOM", "SRANDOM", "EPOCHREALTIME", "EPOCHSECONDS")
USES = {name: re.compile(rf"\$\{{?{name}\b|\$\(\([^)]*\b{name}\b") for name in OF_BASH}


def shell_command(command: str, names: Iterable[str]) -> str:
    """Return a shell command with each placeholder replaced by a quoted reference to an environment variable.

    The shell does not parse the value of a variable, so an arm named ``; rm -rf ~`` stays a name. Raise
    UnknownNameError if a placeholder is unknown, InvalidInputError if a quote is not closed or a placeholder is inside
    quotes, because the quoted text may be the script of another shell.
    """
    known = set(names)

    def put(match: re.Match[str]) -> str:
        if match["open"]:
            raise InvalidInputError("command", command, rule="every quote must be closed")
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
            raise InvalidInputError(
                f"{{{name}}} in the command",
                quoted,
                rule="must not be inside quotes",
                fix=f'take it out, it is quoted automatically; or read "${variable_of(name)}" there',
            )


def check_words(command: Sequence[str], names: Iterable[str]) -> None:
    """Raise InvalidInputError if a placeholder is part of the script after ``sh -c``: its value would run as code.

    A script that consists of the placeholder alone is allowed: then the arms are scripts.
    """
    script = _script_in(command)
    for name in sorted(names):
        if f"{{{name}}}" in script and script != f"{{{name}}}":
            raise InvalidInputError(
                "shell script in the command",
                script,
                rule=f"must not contain {{{name}}}, whose value would run as code",
                fix=f'read "${variable_of(name)}" there',
            )


def _script_in(command: Sequence[str]) -> str:
    """Return the script argument of a shell among the words, or an empty string."""
    words = iter(command)
    for word in words:
        if PurePath(word).name in SHELLS:
            break
    for word in words:
        if SCRIPT_FOLLOWS.fullmatch(word):
            return next(words, "")
        if not word.startswith(("-", "+")):
            break
        if NAME_FOLLOWS.fullmatch(word):
            next(words, None)
    return ""


def words_of(command: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    """Return the words of a command without a shell, with the placeholders replaced."""
    pattern = re.compile("|".join(re.escape(f"{{{name}}}") for name in values))
    return [pattern.sub(lambda match: str(values[match[0][1:-1]]), word) for word in command]


def leading_in_shell(command: str) -> list[tuple[str, ...]]:
    """Return, for each argument of a shell command that begins with placeholders, the names of those."""
    found: list[tuple[str, ...]] = []
    names, at_start = list[str](), True
    for match in TOKEN.finditer(f"{command} "):
        if match["between"]:
            found.append(tuple(names))
            names, at_start = [], True
        elif match["name"]:
            names += [match["name"]] if at_start else []
        elif not MAYBE_EMPTY.fullmatch(match[0]):
            at_start = False
    return [each for each in found if each]


def leading_in_words(command: Sequence[str], names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return, for each word of a command that begins with placeholders, the names of those."""
    one = "|".join(re.escape(f"{{{name}}}") for name in names)
    starts = [match[0] for word in command if (match := re.match(f"(?:{one})+", word))]
    return [tuple(NAME.findall(start)) for start in starts]


def check_values(leading: Iterable[Sequence[str]], values: Mapping[str, Any]) -> None:
    """Raise InvalidInputError if an argument that begins with placeholders would begin with ``-``, like an option."""
    for names in leading:
        name = next((name for name in names if str(values.get(name, ""))), None)
        if name is not None and str(values[name]).startswith("-"):
            raise InvalidInputError(
                name,
                str(values[name]),
                rule="must not begin with '-' at the start of an argument: the command would read it as an option",
                fix=f"rename it, or write text before the placeholder, as in ./{{{name}}} or --{name}={{{name}}}",
            )


def check_variables(command: str) -> None:
    """Raise InvalidInputError if a shell command reads a variable that only bash sets, where ``/bin/sh`` is another.

    Variables in single quotes, or that the command itself sets, are allowed.
    """
    read = IN_SHELL.sub(lambda match: "" if match[0].startswith(("'", "\\")) else match[0], command)
    for name, use in USES.items():
        if use.search(read) and f"{name}=" not in read and not _is_set(name):
            raise InvalidInputError(
                f"${name} in the command",
                rule="/bin/sh does not set it, so that every measurement would see the same",
                fix="let bash run the command: bash -c '…'",
            )


@cache
def _is_set(name: str) -> bool:
    script = ["/bin/sh", "-c", f'printf %s "${name}"']
    return bool(subprocess.run(script, capture_output=True, check=False).stdout)  # noqa: S603 - a constant
