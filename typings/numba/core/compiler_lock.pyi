"""Numba's lock around its compiler."""

from contextlib import AbstractContextManager

global_compiler_lock: AbstractContextManager[None]
