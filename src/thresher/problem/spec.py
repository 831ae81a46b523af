"""The little grammar ``name:key=value,key=value`` by which problems and policies are named."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from thresher.errors import InvalidInputError, UnknownNameError


@dataclass(frozen=True)
class Spec:
    """A name and its parameters, as they were typed."""

    name: str
    parameters: Mapping[str, str]


def parse_spec(text: str) -> Spec:
    """Return the name and the parameters of ``name:key=value,key=value``.

    Raises
    ------
    InvalidInputError
        If a parameter is not of the form ``key=value`` or is given twice.
    """
    name, _, rest = text.partition(":")
    parameters: dict[str, str] = {}
    for item in filter(None, rest.split(",")):
        key, equals, value = item.partition("=")
        if not (key.strip() and equals and value.strip()) or key.strip() in parameters:
            raise InvalidInputError(f"parameter of {text!r}", item, rule="must be written key=value, each key once")
        parameters[key.strip()] = value.strip()
    return Spec(name.strip(), parameters)


def bind(function: Callable[..., Any], spec: Spec) -> dict[str, Any]:
    """Return the keyword arguments that a spec gives to a function, each read as the type of its default.

    Raises
    ------
    UnknownNameError
        If the function has no such parameter.
    InvalidInputError
        If a value is not a number where a number is wanted.
    """
    defaults = {p.name: p.default for p in inspect.signature(function).parameters.values()}
    arguments = {}
    for key, text in spec.parameters.items():
        if key not in defaults:
            raise UnknownNameError(f"parameter of {spec.name!r}", key, defaults)
        arguments[key] = _read(spec.name, key, text, type(defaults[key]))
    return arguments


def _read(name: str, key: str, text: str, wanted: type) -> Any:
    try:
        if wanted is bool:
            return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}[text.lower()]
        return text if wanted is str else wanted(text)
    except (ValueError, KeyError) as error:
        rule = {int: "a whole number", float: "a number", bool: "yes or no"}.get(wanted, "another value")
        raise InvalidInputError(f"{key} of {name!r}", text, rule=f"must be {rule}") from error
