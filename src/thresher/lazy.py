"""Packages whose names are imported on first use, so that a command loads only the modules that it needs."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from thresher.moved import moved_name

__all__ = ["import_lazily"]


class LazyPackage(ModuleType):
    """A package that imports a name when it is first used."""

    _homes: dict[str, tuple[str, str]]

    def __getattr__(self, name: str) -> Any:
        if name not in self._homes:
            return moved_name(self.__name__, name)
        home, original = self._homes[name]
        is_module = home == self.__name__
        found = import_module(f"{home}.{original}") if is_module else getattr(import_module(home), original)
        self.__dict__[name] = found
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        # The import of a module sets its name in the package, where a function of the same name may be meant.
        if not isinstance(value, ModuleType) or self._homes.get(name, (self.__name__,))[0] == self.__name__:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *self._homes})


def import_lazily(package: str) -> None:
    """Make a package import its names on first use.

    The names are those that its ``__init__.py`` imports under ``if TYPE_CHECKING:``, where type checkers read them:
    each is listed once.
    """
    module: Any = sys.modules[package]
    module._homes = _homes(Path(module.__file__).read_text(encoding="utf-8"))
    module.__class__ = LazyPackage


def _homes(source: str) -> dict[str, tuple[str, str]]:
    """Return the module and the name there of each name that is imported under ``if TYPE_CHECKING:``."""
    blocks = [node.body for node in ast.parse(source).body if isinstance(node, ast.If) and _is_for_types(node.test)]
    imports = [node for block in blocks for node in block if isinstance(node, ast.ImportFrom)]
    return {name.asname or name.name: (str(node.module), name.name) for node in imports for name in node.names}


def _is_for_types(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"
