"""The source of a test: when it changes, the history of the test no longer applies."""

from __future__ import annotations

import hashlib
import inspect
from functools import cache
from pathlib import Path
from typing import Any

import pytest

AROUND = ("setup_class", "teardown_class", "setup_method", "teardown_method", "setUp", "tearDown", "setUpClass")


def fingerprint(item: pytest.Item) -> str:
    """Return a hash of a test's source: its function, the fixtures of the project that it uses, its class's set-up.

    For an item that is not a function, such as a doctest, it is the hash of the whole file.
    """
    function = getattr(item, "function", None)
    if function is None:
        return _digest([_file(item.path)])
    parts = [_source(inspect.unwrap(function)) or _file(item.path)]
    parts += [_source(getattr(getattr(item, "cls", None), name, None)) for name in AROUND]
    parts += sorted(_source(each) for each in _fixtures(item))
    return _digest(parts)


def _fixtures(item: pytest.Item) -> list[Any]:
    """Return the functions of the fixtures that are defined in the project."""
    # Private API of pytest; without it, changed fixtures are not noticed.
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    functions = [definition.func for definitions in known.values() for definition in definitions]
    return [function for function in functions if _is_inside(function, item.config.rootpath)]


def _is_inside(function: Any, root: Path) -> bool:
    try:
        path = Path(inspect.getfile(inspect.unwrap(function)))
    except TypeError:
        return False
    return path.is_relative_to(root) and "site-packages" not in path.parts


@cache
def _source(function: Any) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""


@cache
def _file(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:20]
