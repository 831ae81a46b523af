"""The text of a shell command, cut into pieces: where the shell reads a plain word, and where a quoted one.

Inside ``$( )`` the shell reads a command with quotes of its own, even if the ``$( )`` is inside quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from thresher.errors import InvalidInputError

EVERYWHERE = r"""(?P<escaped>\\.)|(?P<backticks>`(?:\\.|[^`\\])*`)|(?P<open>`)|(?P<arithmetic>\$\(\()|(?P<command>\$\()
|(?P<brace>\$\{)|(?P<variable>\$\w+)|\{(?P<name>[A-Za-z_]\w*)\}|(?P<double>")"""
PLAIN = re.compile(
    rf"""{EVERYWHERE}|(?P<single>\$?'[^']*')|(?P<odd>')|(?P<comment>(?<![^\s;|&()])\#[^\n]*)|<<<|(?P<document><<)
    |(?P<group>\()|(?P<end>\))|(?P<close>\}})|(?P<between>[\s;|&<>])|(?P<case>\bcase\b)|.""",
    re.DOTALL | re.VERBOSE,
)
QUOTED = re.compile(rf"{EVERYWHERE}|.", re.DOTALL | re.VERBOSE)
OPENS = {
    "double": ("quotes",), "arithmetic": ("$(( ))", "( )"), "command": ("$( )",), "group": ("( )",), "brace": ("${ }",)
}  # fmt: skip
CLOSES = {("double", "quotes"), ("close", "${ }"), ("end", "$( )"), ("end", "( )"), ("end", "$(( ))")}
NO_WORDS = ("$(( ))", "${ }")  # nowhere in these does the shell read a plain word
SEPARATORS = ("between", "group", "end", "command", "comment", "document")
MAYBE_EMPTY = ("variable", "double", "brace", "close", "backticks", "arithmetic")


class Piece(NamedTuple):
    """A part of a shell command.

    Attributes
    ----------
    kind : str
        The group of the patterns above that it matches; ``text`` for any other character.
    text : str
    barred : str
        Why a placeholder must not be here, such as ``inside quotes``; empty where the shell reads a plain word.
    name : str
        Of the placeholder, if it is one.
    """

    kind: str
    text: str
    barred: str
    name: str

    @property
    def separates(self) -> bool:
        """Whether a new argument begins after it."""
        return self.kind in SEPARATORS

    @property
    def may_be_empty(self) -> bool:
        """Whether an argument may begin after it, because it expands to nothing."""
        is_expansion = self.kind in MAYBE_EMPTY or self.barred in map("inside {}".format, NO_WORDS)
        return is_expansion or self.text in ("''", "\\\n")


def pieces_of(command: str) -> Iterator[Piece]:
    """Yield the pieces of a shell command.

    Raises
    ------
    InvalidInputError
        If a quote is not closed, or shells disagree on where it is closed.
    """
    nesting, doubt, at = list[str](), "", 0
    while at < len(command):
        match = (QUOTED if nesting[-1:] == ["quotes"] else PLAIN).match(command, at)
        assert match is not None
        kind, at = match.lastgroup or "text", match.end()
        _check_quote(command, kind, match[0])
        doubt = doubt or _doubt(kind, nesting)
        if (kind, "".join(nesting[-1:])) in CLOSES:
            nesting.pop()
        else:
            nesting.extend(OPENS.get(kind, ()))
        yield Piece(kind, match[0], doubt or _barred(kind, nesting), match["name"] or "")
    if "quotes" in nesting:
        raise _unclosed(command)


def simple_commands(pieces: Iterable[Piece]) -> list[list[str]]:
    """Return the words of each simple command, without the quotes around them; those in ``$( )`` are separate."""
    found, outer, words, word = list[list[str]](), list[tuple[list[str], str]](), list[str](), ""
    for piece in pieces:
        if opened := [each for each in OPENS.get(piece.kind, ()) if ")" in each]:
            outer += [(words, word), *[([], "")] * (len(opened) - 1)]
            words, word = [], ""
        elif piece.kind == "end" and outer:
            found.append([*words, word])
            words, word = outer.pop()
            word += "$()"
        elif piece.separates and piece.text in ";|&\n":
            found.append([*words, word])
            words, word = [], ""
        elif piece.separates:
            words, word = [*words, word], ""
        else:
            word += _bare(piece)
    return [[word for word in each if word] for each in (*found, [*words, word])]


def _bare(piece: Piece) -> str:
    """Return the text of a piece of a word without its quotes."""
    if piece.kind == "double":
        return ""
    if piece.kind == "single":
        return piece.text.partition("'")[2][:-1]
    return piece.text[1:].strip("\n") if piece.kind == "escaped" else piece.text


def _doubt(kind: str, nesting: list[str]) -> str:
    """Return why quotes cannot be followed from here on; empty if they can."""
    if kind == "document" and "$(( ))" not in nesting:
        return "after a here-document (<<)"
    if kind == "case" and "$( )" in nesting:  # its ) looks like the end of $( )
        return "after a case inside $( )"
    if kind in ("single", "double") and nesting[-1:] == ["${ }"]:  # shells read them differently
        return "after quotes inside ${ }"
    return ""


def _barred(kind: str, nesting: list[str]) -> str:
    """Return why a placeholder must not be here; empty if it may."""
    if kind == "backticks":
        return "inside backticks"
    outer = next((each for each in nesting if each in NO_WORDS), None)
    inner = nesting[-1] if nesting[-1:] == ["quotes"] else "quotes" if kind == "single" else None
    return f"inside {outer or inner}" if outer or inner else ""


def _check_quote(command: str, kind: str, text: str) -> None:
    if kind in ("open", "odd"):
        raise _unclosed(command)
    if kind == "single" and text.startswith("$") and (len(text) - len(text[:-1].rstrip("\\"))) % 2 == 0:
        raise InvalidInputError("command", command, rule="must not have \\' in $'…', which shells read differently")


def _unclosed(command: str) -> InvalidInputError:
    return InvalidInputError("command", command, rule="every quote must be closed")
