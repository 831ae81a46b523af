"""Numba's decorators, with a cache on disk that several processes can write at once.

Numba numbers the files that hold the compiled signatures of a function: 1, 2, …. Two processes that compile two
signatures at the same time choose the same number, and later runs call the wrong machine code. Here every file has a
random number instead: at worst both processes compile the same signature.
"""

import re
import secrets
from collections.abc import Callable
from typing import Any, TypeAlias, cast

import numpy as np
from llvmlite import ir
from numba import cfunc, float64, int64, njit, typeof, types, void
from numba.core.caching import IndexDataCacheFile, NullCache
from numba.extending import intrinsic

__all__ = [
    "NullCache", "Whole", "cfunc", "compile_error_line", "float64", "formula", "int64", "kernel", "likely", "njit",
    "part", "returned", "typeof", "void",
]  # fmt: skip


def _unique_data_name(self: Any, number: int) -> str:  # noqa: ARG001 - the signature is Numba's
    return str(self._data_name_pattern.format(number=secrets.randbits(64)))


IndexDataCacheFile._data_name = _unique_data_name

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
