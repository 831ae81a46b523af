"""Errors for unknown keyword arguments, with suggestions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from thresher.errors import UnknownNameError

Given = ParamSpec("Given")
Made = TypeVar("Made")


def suggests_keywords(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """Return the function, with an :class:`UnknownNameError` that suggests the nearest keyword for an unknown one."""
    parameters = inspect.signature(function).parameters.values()
    known = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name != "cls"]

    @functools.wraps(function)
    def call(*args: Given.args, **keywords: Given.kwargs) -> Made:
        for key in keywords:
            if key not in known:
                raise UnknownNameError(f"keyword of {function.__name__}", key, known)
        return function(*args, **keywords)

    return call
