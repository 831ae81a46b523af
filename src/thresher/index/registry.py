"""The indices by name, and the door for a user's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from thresher.errors import InvalidIndexError, UnknownNameError
from thresher.index.apt import APT
from thresher.index.assumption import check_assumption
from thresher.index.base import USER_CODE, Formula, Index
from thresher.index.dispatch import USER_SIGNATURE
from thresher.index.fwt import FWT
from thresher.index.fwt_gaps import FWT_GAPS
from thresher.index.fwt_sqrt import FWT_SQRT
from thresher.index.lsa import LSA
from thresher.index.sprt import SPRT
from thresher.index.stopping import STOPPING
from thresher.index.stopping_gaps import STOPPING_GAPS
from thresher.index.uniform import UNIFORM

INDICES: dict[str, Index] = {
    index.name: index for index in (APT, LSA, FWT, FWT_SQRT, FWT_GAPS, STOPPING, STOPPING_GAPS, UNIFORM, SPRT)
}
_pointers: dict[str, Any] = {}


def register_index(name: str, *, source: str = "the user's own") -> Callable[[Formula], Formula]:
    """Return a decorator that makes a function an index, usable by its name in simulations and campaigns.

    The function takes ``(count, evidence, cost)`` and at most one parameter with a default; it must be something
    that Numba can compile. It is tried on Assumption 1 of the paper and refused with a counter-example if it fails.

    Raises
    ------
    InvalidIndexError
        If the name is taken, the signature is another one, or the assumption fails.

    Examples
    --------
    >>> @register_index("cautious")
    ... def cautious(count, evidence, cost, weight=0.5):
    ...     return weight * evidence + math.log(count / cost)
    """

    def enter(function: Formula) -> Formula:
        register(name, function, source)
        return function

    return enter


def register(name: str, function: Formula, source: str) -> Index:
    """Return a user's function as an index, checked, compiled and known by its name."""
    if name in INDICES and not INDICES[name].is_user_defined:
        raise InvalidIndexError(name, "the name belongs to a built-in index")
    parameter, default = _parameter_of(name, function)
    formula = _compile(function)
    made = Index(name, USER_CODE, formula, source, parameter=parameter, default=default)
    check_assumption(name, made)
    _pointers[name] = _pointer(formula, has_parameter=parameter is not None)
    INDICES[name] = made
    return made


def find_index(name: str) -> Index:
    """Return the index of that name.

    Raises
    ------
    UnknownNameError
        If there is none; the message suggests the nearest.
    """
    if name not in INDICES:
        raise UnknownNameError("index", name, INDICES)
    return INDICES[name]


def pointer_of(index: Index) -> Any:
    """Return the compiled entry point of a user's own index, of the one type that kernels take."""
    return _pointers[index.name]


def _parameter_of(name: str, function: Formula) -> tuple[str | None, float]:
    arguments = list(inspect.signature(function).parameters.values())
    extra = arguments[3:]
    if len(arguments) < 3 or len(extra) > 1 or any(p.default is p.empty for p in extra):
        raise InvalidIndexError(name, "it must take (count, evidence, cost) and at most one parameter with a default")
    return (extra[0].name, float(extra[0].default)) if extra else (None, 0.0)


def _compile(function: Formula) -> Formula:
    from numba import njit

    compiled: Formula = njit(function)
    return compiled


def _pointer(formula: Formula, *, has_parameter: bool) -> Any:
    from numba import cfunc

    if has_parameter:
        return cfunc(USER_SIGNATURE)(lambda count, evidence, cost, parameter: formula(count, evidence, cost, parameter))
    return cfunc(USER_SIGNATURE)(lambda count, evidence, cost, parameter: formula(count, evidence, cost))  # noqa: ARG005
