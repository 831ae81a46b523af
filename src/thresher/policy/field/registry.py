"""The algorithms by name."""

from __future__ import annotations

from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.policy.field.augucb import AUGUCB
from thresher.policy.field.base import Algorithm, FieldPolicy
from thresher.policy.field.bayes_ucb import BAYES_UCB
from thresher.policy.field.csar import CSAR
from thresher.policy.field.evt import EVT
from thresher.policy.field.evt_pf import EVT_PF
from thresher.policy.field.kg import KG
from thresher.policy.field.mtb import MTB
from thresher.policy.field.ocba import OCBA
from thresher.policy.field.opt_kg import OPT_KG
from thresher.policy.field.pi import PI
from thresher.policy.field.slr import SLR
from thresher.policy.field.slr_d import SLR_D
from thresher.policy.field.straddle import STRADDLE
from thresher.policy.field.tts import TTS
from thresher.policy.field.ucbe import UCBE
from thresher.problem.spec import Spec

FIELD: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        UCBE, CSAR, AUGUCB, EVT, EVT_PF, KG, OPT_KG, BAYES_UCB, PI, TTS, OCBA, SLR, SLR_D, STRADDLE, MTB,
    )
}  # fmt: skip


def find_algorithm(name: str) -> Algorithm:
    """Return the algorithm of that name.

    Raises
    ------
    UnknownNameError
        If there is none; the message suggests the nearest.
    """
    if name not in FIELD:
        raise UnknownNameError("policy", name, FIELD)
    return FIELD[name]


def field_policy(text: str, spec: Spec) -> FieldPolicy:
    """Return the policy of an algorithm's name and the parameters that were typed after it.

    Raises
    ------
    UnknownNameError, InvalidProblemError
        If there is no such parameter, or its value cannot be read or used.
    """
    algorithm = find_algorithm(spec.name)
    values = {parameter.name: parameter.default for parameter in algorithm.parameters}
    for key, value in spec.parameters.items():
        if key not in values:
            raise UnknownNameError(f"parameter of {algorithm.name!r}", key, values)
        try:
            values[key] = float(value)
        except ValueError as error:
            raise InvalidProblemError(f"{key}={value!r} of {text!r} cannot be read", instead="give a number") from error
    return FieldPolicy(text, algorithm, tuple(values.values()))
