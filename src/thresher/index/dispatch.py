"""From the code of an index to its formula, inside compiled code.

Kernels take the code, not the function: Numba would compile them again for every function, in every process. An index
of the user's own comes as a pointer of one fixed type, so that the compiled kernels serve it without being compiled
again.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from thresher.index.apt import apt_formula
from thresher.index.fwt import fwt_formula
from thresher.index.fwt_gaps import fwt_gaps_formula
from thresher.index.fwt_sqrt import fwt_sqrt_formula
from thresher.index.kl_apt import kl_apt_formula
from thresher.index.lsa import lsa_formula
from thresher.index.sprt import sprt_formula
from thresher.index.stopping import stopping_formula
from thresher.index.stopping_gaps import stopping_gaps_formula
from thresher.index.uniform import uniform_formula
from thresher.jit import cfunc, float64, njit

USER_SIGNATURE = float64(float64, float64, float64, float64)


@cache
def no_user_index() -> Any:
    """Return what stands for a user-defined index where there is none, and is never called.

    Compiled when a kernel needs it: loading what the compiler itself needs takes half a second.
    """
    return cfunc(USER_SIGNATURE, cache=True)(_zero)


def _zero(count: float, evidence: float, cost: float, parameter: float) -> float:  # noqa: ARG001
    return 0.0


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
