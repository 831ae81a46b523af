"""Numba's decorators, with a cache on disk that is never stale and that several processes can write at once.

Numba uses compiled code again as long as the file of the function is unchanged, even if a function that it calls has
changed. Here any edit of a package whose code is compiled makes all its compiled code stale.

Numba numbers the files that hold the compiled signatures of a function: 1, 2, …. Two processes that compile two
signatures at the same time choose the same number, and later runs call the wrong machine code. Here the number is a
hash of the signature: at worst both processes compile the same one.
"""

import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
from llvmlite import ir
from numba import cfunc, float64, int64, njit, typeof, types, void
from numba.core.caching import IndexDataCacheFile, NullCache, _SourceFileBackedLocatorMixin
from numba.extending import intrinsic

__all__ = [
    "NullCache", "Whole", "cfunc", "compile_error_line", "float64", "formula", "int64", "kernel", "likely", "njit",
    "part", "returned", "typeof", "void",
]  # fmt: skip


PACKAGE = Path(__file__).parent
CALLERS = ("reproduction", "benchmarks")  # packages beside this one whose compiled functions call its own
# Packages that compile nothing, and that nothing which compiles may import: an edit there keeps the compiled code.
NEVER_COMPILED = {
    "storage", "report", "live", "runner", "service", "papers", "dashboard", "cli", "pytest_plugin", "inspect_ai",
    "testing",
}  # fmt: skip


@cache
def hash_of_sources(package: Path) -> str:
    """Return a hash of all files of a package that its compiled code can come from, data among them."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package)
        if name.parts[0] not in NEVER_COMPILED and "__pycache__" not in name.parts and path.is_file():
            digest.update(name.as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@cache
def _package_of(folder: Path) -> Path:
    """Return the folder of the outermost package that a folder is part of."""
    return _package_of(folder.parent) if (folder.parent / "__init__.py").exists() else folder


_stamp_of_file = _SourceFileBackedLocatorMixin.get_source_stamp


def _stamp_of_sources(self: Any) -> object:
    """Return what must be unchanged for compiled code to be used again."""
    stamp, package = _stamp_of_file(self), _package_of(Path(self._py_file).parent)
    if package != PACKAGE and package.name not in CALLERS:
        return stamp  # of another library
    return stamp, hash_of_sources(PACKAGE), hash_of_sources(package)


def _save(self: Any, key: object, data: object) -> None:
    """Write a compiled signature, then its place in the index."""
    name = self._data_name(int(hashlib.sha256(self._dump(key)).hexdigest()[:16], 16))
    self._save_data(name, data)
    self._save_index(self._load_index() | {key: name})


_SourceFileBackedLocatorMixin.get_source_stamp = _stamp_of_sources
IndexDataCacheFile.save = _save

# An integer that Numba does not treat as a constant: it compiles a function once more for every constant.
Whole: TypeAlias = int | np.int64

# A kernel can be called from Python.
kernel = njit(cache=True, nogil=True)

# A part is called by compiled code only. It compiles in half the time, because it has no Python wrapper, which would
# unpack every field of every tuple.
part = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)

# A formula is inlined into its caller. Only for functions of plain numbers: with an array, every call would change its
# reference count, which takes longer than a draw.
formula = njit(cache=True, inline="always")


def returned(compiled: Any) -> str:
    """Return the name of the return type of a compiled function: float, int, bool, None, or the name in Numba."""
    kind = compiled.nopython_signatures[0].return_type
    if isinstance(kind, types.Optional):
        return "None for some arguments"
    names = {types.Float: "float", types.Integer: "int", types.Boolean: "bool", types.NoneType: "None"}
    return next((name for each, name in names.items() if isinstance(kind, each)), str(kind))


def compile_error_line(error: Exception) -> str:
    """Return the first line of the message of a Numba compilation error."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in plain.splitlines() if line.strip() and not line.startswith("Failed in")]
    return lines[0] if lines else type(error).__name__


def _likely(_: Any, condition: Any) -> Any:
    def expect(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        bit = ir.IntType(1)
        function = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        return builder.call(function, [arguments[0], bit(1)])

    return condition(condition), expect


# Returns its condition, marked as almost always true. The compiler then does not inline a call in the other branch, and
# a running sum stays in its register, which halves the time of a draw.
likely = cast("Callable[[bool], bool]", intrinsic(_likely))
