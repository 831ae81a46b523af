"""While a function is compiled, other processes that want it wait; afterwards they do not, however it ended."""

import fcntl
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import pytest
from numba.core.caching import _SourceFileBackedLocatorMixin

from tests.support import compile_once

MODULE = """
from numba import njit
from numba.extending import overload

compiling = []

def hook(x):
    pass

@overload(hook)
def _(x):
    for call in compiling:
        call()
    return lambda x: x + 1

@njit(cache=True)
def above(x):
    return hook(x)

@njit(cache=True)
def countdown(x):
    return hook(x) if x < 1 else countdown(x - 1)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A module whose functions call `compiling` while Numba compiles them, into an empty cache."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))  # type: ignore[attr-defined]
    (tmp_path / "compiled.py").write_text(MODULE)
    return runpy.run_path(str(tmp_path / "compiled.py"))


def is_free(folder: Path, function: str) -> bool:
    """Return whether another process would compile a function now, or wait."""
    (path,) = folder.rglob(f"*{function}*.lock")
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.mark.parametrize("function", ["above", "countdown"])
def test_others_wait_while_it_compiles(module: dict[str, Any], tmp_path: Path, function: str) -> None:
    seen: list[bool] = []
    module["compiling"].append(lambda: seen.append(is_free(tmp_path, function)))
    assert module[function](0) == 1
    assert seen
    assert not any(seen)
    assert is_free(tmp_path, function)


def test_no_process_waits_for_what_could_not_be_compiled(module: dict[str, Any], tmp_path: Path) -> None:
    def fail() -> None:
        raise RuntimeError("no such thing")

    module["compiling"].append(fail)
    with pytest.raises(Exception, match="no such thing"):
        module["above"](0)
    assert is_free(tmp_path, "above")


def test_what_a_test_compiles_is_stale_when_the_sources_have_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = _SourceFileBackedLocatorMixin.get_source_stamp
    of_test, of_library = SimpleNamespace(_py_file=__file__), SimpleNamespace(_py_file=pytest.__file__)
    before = stamp(of_test), stamp(of_library)
    assert stamp(of_test) == before[0]
    monkeypatch.setattr(compile_once, "hash_of_sources", lambda _: "another")
    assert stamp(of_test) != before[0]
    assert stamp(of_library) == before[1]
