"""Placeholders and variables in commands; no value can become a command or an option (command injection)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import dropwhile
from pathlib import PurePath
from typing import Any

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.run.environment import variable_of
from thresher.run.shell_text import Piece, pieces_of, simple_commands

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PLACEHOLDER = re.compile(rf"\{{({NAME.pattern})\}}")
KEYWORDS = r"[!{]|if|then|elif|else|while|until|do|time|exec|command|builtin"
BEFORE_COMMAND = re.compile(rf"{NAME.pattern}=.*|{KEYWORDS}", re.DOTALL)
SHELLS = ("sh", "ash", "bash", "dash", "ksh", "mksh", "zsh", "fish")
SCRIPT_FOLLOWS, NAME_FOLLOWS = re.compile(r"-[A-Za-z]*c"), re.compile(r"[-+][A-Za-z]*[oO]")  # as in: -eo pipefail -c
# Variables of bash that another /bin/sh leaves empty: every measurement would see the same, without an error.
OF_BASH = ("RANDOM", "SRANDOM", "EPOCHREALTIME", "EPOCHSECONDS")
USES = {name: re.compile(rf"\$\{{?{name}\b|\$\(\([^)]*\b{name}\b") for name in OF_BASH}


def shell_command(command: str, names: Iterable[str]) -> str:
    """Return a shell command with each placeholder replaced by a quoted reference to an environment variable.

    The shell does not parse the value of a variable, so an arm named ``; rm -rf ~`` stays a name.

    Raises
    ------
    UnknownNameError
        If a placeholder is unknown.
    InvalidInputError
        If a quote is not closed, or the shell would not read the placeholder as a word: inside quotes, backticks,
        ``${ }`` and ``$(( ))``, after ``<<``, and in the script of ``sh -c`` or ``eval``, where its value would run.
    """
    known = set(names)
    pieces = [*pieces_of(command)]
    script = "".join(_put(piece, command, known) for piece in pieces)
    for words in simple_commands(pieces):
        _check_script(_evaluated(words) or _script_in(words), known)
    return script


def _put(piece: Piece, command: str, known: set[str]) -> str:
    """Return the text of a piece, with a placeholder replaced."""
    if piece.barred:
        for name in PLACEHOLDER.findall(piece.text):
            if name in known:
                raise InvalidInputError(
                    f"{{{name}}} in the command",
                    command,
                    rule=f"must not be {piece.barred}",
                    fix=f'take it out, it is quoted automatically; or read "${variable_of(name)}" there',
                )
        return piece.text
    if not piece.name:
        return piece.text
    if piece.name not in known:
        raise UnknownNameError("placeholder in the command", piece.name, known)
    return f'"${variable_of(piece.name)}"'


def check_words(command: Sequence[str], names: Iterable[str]) -> None:
    """Raise InvalidInputError if a placeholder is part of the script after ``sh -c``: its value would run as code.

    A script that consists of the placeholder alone is allowed: then the arms are scripts.
    """
    _check_script(_script_in(command), names)


def _check_script(script: str, names: Iterable[str]) -> None:
    for name in sorted(names):
        if f"{{{name}}}" in script and script != f"{{{name}}}":
            raise InvalidInputError(
                "shell script in the command",
                script,
                rule=f"must not contain {{{name}}}, whose value would run as code",
                fix=f'read "${variable_of(name)}" there',
            )


def _evaluated(words: Sequence[str]) -> str:
    """Return the script of ``eval``, if that is what a simple command runs, or an empty string."""
    rest = [*dropwhile(BEFORE_COMMAND.fullmatch, words)]
    return " ".join(rest[1:]) if rest[:1] == ["eval"] else ""


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
    for piece in pieces_of(f"{command} "):
        if piece.separates:
            found.append(tuple(names))
            names, at_start = [], True
        elif piece.name:
            names += [piece.name] if at_start else []
        elif not piece.may_be_empty:
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
    read = "".join(piece.text for piece in pieces_of(command) if piece.kind not in ("single", "escaped"))
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
