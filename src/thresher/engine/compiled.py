"""How kernels are compiled."""

from typing import TypeAlias

import numpy as np

from thresher.jit import njit

# A number that Numba does not take for a constant: it compiles a function once more for every constant.
Whole: TypeAlias = int | np.int64

# A kernel can be called from Python.
kernel = njit(cache=True, nogil=True)

# A part is called by kernels only. Without an entry from Python it takes half the time to compile: that entry unpacks
# every field of every tuple.
part = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)

# A formula is copied into its caller. Only for functions of plain numbers: an array would be counted up and down at
# every call, which takes longer than a draw.
formula = njit(cache=True, inline="always")

__all__ = ["Whole", "formula", "kernel", "part"]
