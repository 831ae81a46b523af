"""Stable fingerprints of Python functions, for hashes of user code."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import partial
from types import CodeType, FunctionType, MethodType

import numpy as np


def code_of(function: object) -> str:
    """Return a text that identifies the code and data of a function, the same in every process.

    For a function it covers its code, its defaults, its closure, and the names it uses from its own module; for a
    class its methods and attributes, including those of its bases; for any other object its class and attributes.
    Names from other modules are included by name only.
    """
    return repr(_Reader(_home_of(function)).read(function))


def _home_of(function: object) -> str:
    """Return the module in which a function, or the class of an object, is defined."""
    if isinstance(function, partial):
        return _home_of(function.func)
    plain = getattr(function, "py_func", function)  # of a function compiled by Numba
    return str(getattr(plain, "__module__", None) or type(plain).__module__)


class _Reader:
    """Turns values into trees of numbers and texts, each object once: functions may refer to themselves."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._seen: dict[int, object] = {}  # by id; keeps the objects alive, so ids stay unique

    def read(self, value: object) -> object:
        if isinstance(value, bool | int | float | complex | str | bytes | None):
            return value
        if id(value) in self._seen:
            return "again", list(self._seen).index(id(value))
        self._seen[id(value)] = value
        if isinstance(value, np.ndarray | np.generic):
            data = self.read(value.tolist()) if value.dtype.hasobject else value.tobytes()
            return value.dtype.str, value.shape, data
        if isinstance(value, Mapping):
            return [(self.read(key), self.read(each)) for key, each in value.items()]
        if isinstance(value, Set):
            return sorted(repr(self.read(each)) for each in value)  # its order differs between processes
        if isinstance(value, list | tuple):
            return [self.read(each) for each in value]
        return self._read_code(value)

    def _read_code(self, value: object) -> object:
        if isinstance(value, CodeType):
            return value.co_code, value.co_names, self.read(value.co_consts)
        if isinstance(value, FunctionType):
            return self._read_function(value)
        if isinstance(value, partial):
            return self.read((value.func, value.args, value.keywords))
        if isinstance(value, MethodType):
            return self.read((value.__func__, value.__self__))
        if hasattr(value, "py_func"):
            return self.read(value.py_func)
        if isinstance(value, classmethod | staticmethod):
            return self.read(value.__func__)
        if isinstance(value, property):
            return self.read((value.fget, value.fset))
        if isinstance(value, type):
            return self._read_class(value)
        if hasattr(value, "__name__"):  # a module, a function that is not written in Python
            return getattr(value, "__module__", ""), getattr(value, "__qualname__", value.__name__)
        return self.read(type(value)), self.read(getattr(value, "__dict__", None))

    def _read_class(self, value: type) -> object:
        name = value.__module__, value.__qualname__
        if value.__module__ != self._home:
            return name
        # Of names with underscores at both ends only methods count; Python sets the others, such as the first line.
        own = {k: each for k, each in vars(value).items() if not k.startswith("__") or isinstance(each, FunctionType)}
        return name, [self.read(base) for base in value.__bases__], self.read(own)

    def _read_function(self, function: FunctionType) -> object:
        if function.__module__ != self._home:
            return function.__module__, function.__qualname__
        code, known = function.__code__, function.__globals__
        used = {name: known[name] for name in sorted(_names(code)) if name in known}
        cells = [_content(cell) for cell in function.__closure__ or ()]
        return self.read((code, function.__defaults__, function.__kwdefaults__, cells, used))


def _names(code: CodeType) -> set[str]:
    """Return the names that a function uses, those of the functions inside it too."""
    return set(code.co_names).union(*(_names(each) for each in code.co_consts if isinstance(each, CodeType)))


def _content(cell: object) -> object:
    try:
        return getattr(cell, "cell_contents", None)
    except ValueError:  # an unbound name
        return None
