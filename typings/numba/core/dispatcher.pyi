"""The part of Numba's compiled functions that tests change."""

from collections.abc import Callable
from typing import Any

class Dispatcher:
    compile: Callable[..., Any]
