"""One command line for all tests of a process: Typer takes longer to build it than most commands take to run."""

from __future__ import annotations

from functools import cache

import typer.main


def build_commands_once() -> None:
    """Let Typer build the commands of a program once in this process; a program is not changed after its import."""
    typer.main.get_command = cache(typer.main.get_command)
