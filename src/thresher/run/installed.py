"""Measurements of installed packages: the entry points ``thresher.measurements``."""

from __future__ import annotations

from importlib.metadata import entry_points

from thresher.errors import InvalidInputError

GROUP = "thresher.measurements"


def installed_measurements() -> dict[str, str]:
    """Return the functions that installed packages measure with, ``module:function`` by name; none is imported."""
    return {entry.name: entry.value for entry in entry_points(group=GROUP)}


def function_of(given: str) -> str:
    """Return a function as ``module:function``, given so or by the name of an installed measurement.

    Raises
    ------
    InvalidInputError
        If it is neither.
    """
    if all(given.partition(":")):
        return given
    known = installed_measurements()
    if given in known:
        return known[given]
    names = f", or the name of an installed measurement: {', '.join(sorted(known))}" if known else ""
    raise InvalidInputError("function", given, rule=f"must be written module:function, as in grade:measure{names}")
