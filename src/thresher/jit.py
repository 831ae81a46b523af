"""Numba's decorators, with a cache on disk that several processes can write at once.

Numba numbers the files that hold the compiled signatures of a function: 1, 2, …. Two processes that compile two
signatures at the same time choose the same number, and later runs call the wrong machine code. Here every file has a
random number instead: at worst both processes compile the same thing.
"""

import secrets
from typing import Any, TypeAlias

import numpy as np
from numba import cfunc, float64, int64, njit, typeof, void
from numba.core.caching import IndexDataCacheFile

__all__ = ["Whole", "cfunc", "float64", "formula", "int64", "kernel", "njit", "part", "typeof", "void"]


def _unique_data_name(self: Any, number: int) -> str:  # noqa: ARG001 - the signature is Numba's
    return str(self._data_name_pattern.format(number=secrets.randbits(64)))


IndexDataCacheFile._data_name = _unique_data_name

# An integer that Numba does not treat as a constant: it compiles a function once more for every constant.
Whole: TypeAlias = int | np.int64

# A kernel can be called from Python.
kernel = njit(cache=True, nogil=True)

# A part is called by compiled code only. Without an entry from Python it compiles in half the time, because that entry
# unpacks every field of every tuple.
part = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)

# A formula is inlined into its caller. Only for functions of plain numbers: the reference count of an array would be
# changed at every call, which takes longer than a draw.
formula = njit(cache=True, inline="always")
