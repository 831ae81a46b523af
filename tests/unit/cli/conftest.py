"""The command line as a function of its words, in a folder of its own."""

import os
import pty
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from thresher.cli.main import main


@dataclass(frozen=True)
class TextTerms:
    """What a command said, and the code with which it ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, where the default database is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THRESHER_DB", raising=False)
    return tmp_path


@pytest.fixture
def thresher(in_folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Give the real command line, as a function of its words."""

    def run(*words: object) -> TextTerms:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        printed = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return TextTerms(left.value.code, printed.out, printed.err)

    return run


@pytest.fixture
def coins(thresher: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command line where there is a campaign of two coins."""
    assert thresher("new", "coins", "-a", "fair", "-a", "bent", "-t", "0.5", "-b", "20").code == 0
    return thresher


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], int]]:
    """Make standard input a terminal; give a function that types a line there."""
    keyboard, terminal = pty.openpty()
    with os.fdopen(terminal, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield lambda line: os.write(keyboard, f"{line}\n".encode())
    os.close(keyboard)
