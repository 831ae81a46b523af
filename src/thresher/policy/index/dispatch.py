"""From the code of an index to its formula, inside compiled code.

Kernels take the code, not the function: Numba would compile them again for every function, in every process. An index
of the user's own comes as a pointer of one fixed type, so that the compiled kernels serve it without being compiled
again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from thresher.jit import load_numba, njit
from thresher.policy.index.apt import apt_formula
from thresher.policy.index.fwt import fwt_formula
from thresher.policy.index.fwt_gaps import fwt_gaps_formula
from thresher.policy.index.fwt_sqrt import fwt_sqrt_formula
from thresher.policy.index.kl_apt import kl_apt_formula
from thresher.policy.index.lsa import lsa_formula
from thresher.policy.index.sprt import sprt_formula
from thresher.policy.index.stopping import stopping_formula
from thresher.policy.index.stopping_gaps import stopping_gaps_formula
from thresher.policy.index.uniform import uniform_formula


class UserIndex:
    """A function of (count, evidence, cost, parameter) as kernels take a user-defined index: a pointer of one type.

    It is compiled when a kernel asks for its type or its address, by the names of Numba's protocol.
    """

    def __init__(self, function: Callable[..., float], *, is_kept: bool = False) -> None:
        self._function, self._is_kept = function, is_kept

    def __call__(self, count: float, evidence: float, cost: float, parameter: float) -> float:
        """Return the index of one arm, interpreted."""
        return self._function(count, evidence, cost, parameter)

    @cached_property
    def _pointer(self) -> Any:
        numba = load_numba()
        return numba.cfunc(numba.float64(*[numba.float64] * 4), cache=self._is_kept)(self._function)

    @property
    def _numba_type_(self) -> Any:
        return load_numba().typeof(self._pointer)

    def __wrapper_address__(self) -> int:
        """Return the address of the compiled function."""
        return int(self._pointer._wrapper_address)


def _zero(count: float, evidence: float, cost: float, parameter: float) -> float:  # noqa: ARG001
    return 0.0


NO_USER_INDEX = UserIndex(_zero, is_kept=True)  # where there is none; never called


@njit(cache=True, inline="always")
def index_of(code: int, user: Any, count: float, evidence: float, cost: float, parameter: float) -> float:
    """Return the index of one arm, by the code of its formula."""
    if code == 0:
        return apt_formula(count, evidence, cost, parameter)
    if code == 1:
        return lsa_formula(count, evidence, cost, parameter)
    if code == 2:
        return fwt_formula(count, evidence, cost)
    if code == 3:
        return fwt_sqrt_formula(count, evidence, cost)
    if code == 4:
        return fwt_gaps_formula(count, evidence, cost)
    if code == 5:
        return uniform_formula(count, evidence, cost)
    if code == 6:
        return sprt_formula(count, evidence, cost, parameter)
    if code == 7:
        return stopping_formula(count, evidence, cost)
    if code == 8:
        return stopping_gaps_formula(count, evidence, cost)
    if code == 9:
        return kl_apt_formula(count, evidence, cost)
    own: float = user(count, evidence, cost, parameter)
    return own
