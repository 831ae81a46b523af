"""The part of Numba's C callbacks that tests change."""

from collections.abc import Callable
from typing import Any

class CFunc:
    compile: Callable[..., Any]
