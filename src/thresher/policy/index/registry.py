"""The registry of indices: the built-in ones by name, and user-defined ones."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from thresher.errors import InvalidIndexError, UnknownNameError
from thresher.jit import compile_error_line, load_numba, njit, returned
from thresher.policy.index.apt import APT
from thresher.policy.index.assumption import check_assumption
from thresher.policy.index.base import USER_CODE, Formula, Index
from thresher.policy.index.dispatch import UserIndex
from thresher.policy.index.fwt import FWT
from thresher.policy.index.fwt_gaps import FWT_GAPS
from thresher.policy.index.fwt_sqrt import FWT_SQRT
from thresher.policy.index.kl_apt import KL_APT
from thresher.policy.index.lsa import LSA
from thresher.policy.index.sprt import SPRT
from thresher.policy.index.stopping import STOPPING
from thresher.policy.index.stopping_gaps import STOPPING_GAPS
from thresher.policy.index.uniform import UNIFORM

INDICES: dict[str, Index] = {
    index.name: index for index in (APT, LSA, FWT, FWT_SQRT, FWT_GAPS, STOPPING, STOPPING_GAPS, UNIFORM, SPRT, KL_APT)
}
ARGUMENTS = ("count", "evidence", "cost")
_pointers: dict[str, Any] = {}


def register_index(name: str, *, source: str = "the user's own") -> Callable[[Formula], Formula]:
    """Return a decorator that makes a function an index, usable by its name in simulations and campaigns.

    The function takes ``(count, evidence, cost)``, by these names, and at most one parameter with a default. It returns
    a number and must be something that Numba can compile. It is tried on Assumption 1 of the paper and refused with a
    counter-example if it fails.

    Raises
    ------
    InvalidIndexError
        If the name is taken, the signature is wrong, it does not return a number, or the assumption fails.

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
    function = getattr(function, "py_func", function)
    known = INDICES.get(name)
    if known is not None and not known.is_user_defined:
        raise InvalidIndexError(name, "the name belongs to a built-in index", fault="cannot be registered")
    if not re.fullmatch(r"[^\s:,=]+", name):
        raise InvalidIndexError(
            name, "a name has no spaces, colons, commas or equals signs", fault="cannot be registered"
        )
    parameter, default = _parameter_of(name, function)
    formula = _compile(name, function, arguments=3 if parameter is None else 4)
    made = Index(name, USER_CODE, formula, source, parameter=parameter, default=default)
    check_assumption(name, made)
    _pointers[name] = _pointer(formula, has_parameter=parameter is not None)
    INDICES[name] = made
    return made


def arrive(name: str, function: Formula, source: str) -> Index:
    """Return a user's index that came from another process, with every piece of work again; compiled once."""
    known = INDICES.get(name)
    if known is not None and known.is_user_defined and _is_same(known.formula.py_func, function):  # type: ignore[attr-defined]
        return known
    return register(name, function, source)


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two functions do the same: equal code, defaults, and values around them."""

    def content(function: Any) -> tuple[Any, ...]:
        code = function.__code__
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        return code, function.__defaults__, cells, [function.__globals__.get(name) for name in code.co_names]

    try:
        return one is other or bool(content(one) == content(other))
    except ValueError:  # arrays around them
        return False


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
    """Return the compiled entry point of a custom index, with the signature that kernels expect."""
    return _pointers[index.name]


def _parameter_of(name: str, function: Formula) -> tuple[str | None, float]:
    arguments = list(inspect.signature(function).parameters.values())
    names, extra = tuple(p.name for p in arguments), arguments[3:]
    if names[:3] != ARGUMENTS or len(extra) > 1 or not all(isinstance(p.default, int | float) for p in extra):
        raise InvalidIndexError(
            name,
            f"it takes ({', '.join(map(str, arguments))}); "
            f"name its arguments ({', '.join(ARGUMENTS)}) and at most one parameter, with a number as default",
            fault="cannot be registered",
        )
    return (extra[0].name, float(extra[0].default)) if extra else (None, 0.0)


def _compile(name: str, function: Formula, *, arguments: int) -> Formula:
    compiled: Any = njit(function)
    try:
        compiled.compile((load_numba().float64,) * arguments)
    except Exception as error:  # Numba has a class for each way to fail
        raise InvalidIndexError(
            name, f"Numba cannot compile it: {compile_error_line(error)}", fault="cannot be registered"
        ) from error
    if (kind := returned(compiled)) not in ("float", "int", "bool"):
        raise InvalidIndexError(
            name,
            f"it returns {kind}; return a number for every count, evidence and cost",
            fault="cannot be registered",
        )
    formula: Formula = compiled
    return formula


def _pointer(formula: Formula, *, has_parameter: bool) -> Any:
    if has_parameter:
        return UserIndex(lambda count, evidence, cost, parameter: formula(count, evidence, cost, parameter))
    return UserIndex(lambda count, evidence, cost, parameter: formula(count, evidence, cost))  # noqa: ARG005
