"""Files that a command writes: what is in a file already is replaced only with ``--force``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from thresher.errors import InvalidInputError

Force = Annotated[bool, typer.Option("--force", help="Replace what exists.")]


def check_new_file(out: Path, *, force: bool) -> None:
    """Raise InvalidInputError if a file exists that may not be replaced; an empty file may be."""
    if not force and out.exists() and out.stat().st_size > 0:
        raise InvalidInputError("--out", str(out), rule="must not exist", fix="add --force to replace it")


@contextmanager
def writing(out: Path) -> Iterator[None]:
    """Raise InvalidInputError if the file cannot be written."""
    try:
        yield
    except OSError as error:
        raise InvalidInputError("--out", str(out), rule=f"cannot be written: {error.strerror}") from error
