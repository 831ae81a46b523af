"""The families by name."""

from __future__ import annotations

from thresher import registries
from thresher.errors import UnknownNameError
from thresher.problem.families.family import Family

FAMILIES: dict[str, Family] = registries.instances(registries.FAMILIES)


def family(name: str) -> Family:
    """Return the family of that name.

    Raises
    ------
    UnknownNameError
        If there is none; the message suggests the nearest.
    """
    if name not in FAMILIES:
        raise UnknownNameError("family", name, FAMILIES)
    return FAMILIES[name]
