"""Processes that need a compiled function at the same time: one compiles it, the others wait and read its cache.

A test may have compiled functions of its own, with ``kernel`` of :mod:`thresher.jit`: they are kept on disk, too, and
become stale when their file or the sources of the package change.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from numba.core.caching import NullCache, _SourceFileBackedLocatorMixin
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from thresher.jit import PACKAGE, hash_of_sources

TESTS = Path(__file__).parents[1]

_held: set[Path] = set()


def compile_once() -> None:
    """Let this process wait where another one that has called this compiles the same function."""
    for kind in (Dispatcher, CFunc):
        kind.compile = _one_by_one(kind.compile)
    _SourceFileBackedLocatorMixin.get_source_stamp = _with_sources(_SourceFileBackedLocatorMixin.get_source_stamp)


def _with_sources(stamp_of: Callable[[Any], object]) -> Callable[[Any], object]:
    """Return what must be unchanged for compiled code to be used again: of a test's function, all sources as well."""

    @wraps(stamp_of)
    def stamp(self: Any) -> object:
        is_of_test = Path(self._py_file).is_relative_to(TESTS)
        return (stamp_of(self), hash_of_sources(PACKAGE)) if is_of_test else stamp_of(self)

    return stamp


def _one_by_one(compile_it: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(compile_it)
    def compile_alone(self: Any, *given: Any) -> Any:
        if isinstance(self._cache, NullCache):
            return compile_it(self, *given)
        # Numba's own lock first: no thread may hold a file that the thread which compiles waits for. Processes wait for
        # the files of callers before those of what they call, so never for each other.
        with global_compiler_lock, _alone(Path(f"{self._cache._cache_file._index_path}.lock")):
            return compile_it(self, *given)

    return compile_alone


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    if path in _held:  # a function that calls itself
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _held.add(path)
        try:
            yield
        finally:
            _held.remove(path)
