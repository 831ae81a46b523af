"""Numba's decorators, with a cache on disk that several processes can write at once.

Numba numbers the files that hold the compiled signatures of a function: 1, 2, …. Two processes that compile two
signatures at the same time choose the same number, and later runs call the wrong machine code. Here every file has a
random number instead: at worst both processes compile the same thing.
"""

import secrets
from typing import Any

from numba import cfunc, float64, njit
from numba.core.caching import IndexDataCacheFile

__all__ = ["cfunc", "float64", "njit"]


def _unique_data_name(self: Any, number: int) -> str:  # noqa: ARG001 - the signature is Numba's
    return str(self._data_name_pattern.format(number=secrets.randbits(64)))


IndexDataCacheFile._data_name = _unique_data_name
