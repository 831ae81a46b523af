"""The families of outcomes, one file each. To add one, write its file and add it to :mod:`thresher.registries`.

A family is an object of a class derived from :class:`Family`, which says what each method is for.
"""

from thresher import registries
from thresher.errors import UnknownNameError
from thresher.problem.families.family import Family
from thresher.problem.families.likelihood import Likelihood

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


__all__ = ["FAMILIES", "Family", "Likelihood", "family"]
