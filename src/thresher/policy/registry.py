"""The policies by name."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.errors import InvalidInputError, InvalidPolicyError, UnknownNameError
from thresher.index.registry import INDICES, find_index
from thresher.policy.algorithm import Algorithm
from thresher.policy.fixed_budget.allocation import ORACLE, STATIC_OPTIMUM
from thresher.policy.fixed_budget.augucb import AUGUCB
from thresher.policy.fixed_budget.bayes_ucb import BAYES_UCB
from thresher.policy.fixed_budget.csar import CSAR
from thresher.policy.fixed_budget.decide import DECIDE
from thresher.policy.fixed_budget.evt import EVT
from thresher.policy.fixed_budget.evt_pf import EVT_PF
from thresher.policy.fixed_budget.kg import KG
from thresher.policy.fixed_budget.more_than import MORE_THAN
from thresher.policy.fixed_budget.mtb import MTB
from thresher.policy.fixed_budget.ocba import OCBA
from thresher.policy.fixed_budget.opt_kg import OPT_KG
from thresher.policy.fixed_budget.pi import PI
from thresher.policy.fixed_budget.randomised_straddle import RANDOMISED_STRADDLE
from thresher.policy.fixed_budget.slr import SLR
from thresher.policy.fixed_budget.slr_d import SLR_D
from thresher.policy.fixed_budget.stopping_fitted import STOPPING_FITTED
from thresher.policy.fixed_budget.straddle import STRADDLE
from thresher.policy.fixed_budget.tts import TTS
from thresher.policy.fixed_budget.ucbe import UCBE
from thresher.policy.fixed_budget.uniform_iid import UNIFORM_IID
from thresher.policy.fixed_budget.utb import UTB
from thresher.policy.fixed_budget.xie_frazier import XIE_FRAZIER
from thresher.policy.fixed_confidence.apt_g import APT_G
from thresher.policy.fixed_confidence.glr_apt import GLR_APT
from thresher.policy.fixed_confidence.hdoc import HDOC
from thresher.policy.fixed_confidence.jj_fdr import JJ_FDR
from thresher.policy.fixed_confidence.jj_fwer import JJ_FWER
from thresher.policy.fixed_confidence.lil_hdoc import LIL_HDOC
from thresher.policy.fixed_confidence.lucb_g import LUCB_G
from thresher.policy.fixed_confidence.murphy import MURPHY
from thresher.policy.fixed_confidence.sticky_tas import STICKY_TAS
from thresher.policy.index_policy import IndexPolicy, index_policy
from thresher.policy.own import OWN, OwnPolicy, check_policy, own_algorithm
from thresher.policy.policy import Policy
from thresher.policy.rule import Step
from thresher.problem import Spec, bind, parse_spec

ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        UNIFORM_IID, ORACLE, STATIC_OPTIMUM, MORE_THAN, STOPPING_FITTED, DECIDE, UCBE, CSAR, AUGUCB, EVT, EVT_PF, KG,
        OPT_KG, BAYES_UCB, PI, TTS, OCBA, SLR, SLR_D, STRADDLE, RANDOMISED_STRADDLE, MTB, UTB, XIE_FRAZIER,
        HDOC, LUCB_G, APT_G, LIL_HDOC, JJ_FDR, JJ_FWER, MURPHY, STICKY_TAS, GLR_APT,
    )
}  # fmt: skip
BUILT_IN = frozenset(ALGORITHMS)


def find_policy(text: object) -> Policy:
    """Return the policy of a name such as ``lsa`` or ``lsa:alpha=1.35,evidence=kl``.

    A policy, and an object of the user's own with a method ``choose(seen, rng)``, are taken as they are.

    Raises
    ------
    UnknownNameError
        If there is no such policy or parameter; the message suggests the nearest.
    InvalidInputError
        If a parameter cannot be read, or `text` is neither a name nor a policy.
    """
    if isinstance(text, Policy):
        return text
    if not isinstance(text, str):
        return _unregistered(text)
    spec = parse_spec(text)
    if spec.name in INDICES and spec.name in {**ALGORITHMS, **OWN}:
        raise InvalidPolicyError(
            spec.name, "an index of your own has that name, too", instead="give one of them another name"
        )
    if spec.name in OWN:
        return _own_policy(text, spec)
    if spec.name in ALGORITHMS:
        return ALGORITHMS[spec.name].policy(text, spec.parameters)
    if spec.name not in INDICES:
        raise UnknownNameError("policy", spec.name, policy_names())
    return index_policy(text, find_index(spec.name), dict(spec.parameters))


def _own_policy(text: str, spec: Spec) -> OwnPolicy:
    """Return a registered policy of the user's own, with the parameters that were typed after its name."""
    target = OWN[spec.name]
    if not isinstance(target, type):
        for key in spec.parameters:
            raise UnknownNameError(f"parameter of {spec.name!r}", key, [])
        return OwnPolicy(text, target)
    return OwnPolicy(text, target, tuple(bind(target, spec).items()))


def _unregistered(target: object) -> OwnPolicy:
    """Return an object with a method ``choose`` as a policy, by the name of its class or its own."""
    if isinstance(target, type):
        fix = f"pass an instance: {target.__name__}()"
        raise InvalidInputError("policy", target, rule="must be a name such as 'lsa', or a policy", fix=fix)
    if not hasattr(target, "choose"):
        rule = "must be a name such as 'lsa', or a policy, an object with a method choose(seen, rng)"
        raise InvalidInputError("policy", target, rule=rule)
    registered = next((name for name, own in OWN.items() if own is type(target)), type(target).__name__)
    name = str(getattr(target, "name", registered))
    return OwnPolicy(name, check_policy(name, target))


def is_built_in(name: str) -> bool:
    """Return whether a policy of that name comes with thresher."""
    return name in BUILT_IN or (name in INDICES and not INDICES[name].is_user_defined)


def arrive(name: str, choose: Step) -> Algorithm:
    """Return an algorithm of the user's own that came from another process; the same function is compiled once."""
    known = ALGORITHMS.get(name)
    if known is None or known.choose is not choose:
        known = ALGORITHMS[name] = own_algorithm(name, choose)
    return known


def find_algorithm(name: str) -> Algorithm:
    """Return the algorithm of that name.

    Raises
    ------
    UnknownNameError
        If there is none; the message suggests the nearest.
    """
    if name not in ALGORITHMS:
        raise UnknownNameError("policy", name, ALGORITHMS)
    return ALGORITHMS[name]


def find_index_policy(text: str) -> IndexPolicy:
    """Return the policy of a name, which must be that of an index.

    Raises
    ------
    UnknownNameError, InvalidInputError
        If there is no such index or parameter.
    """
    spec = parse_spec(text)
    return index_policy(text, find_index(spec.name), dict(spec.parameters))


def policy_names() -> list[str]:
    """Return the names of all policies."""
    return [*INDICES, *ALGORITHMS, *OWN]


def per_arm(policies: Sequence[str], *, name: str = "per-arm") -> IndexPolicy:
    """Return the policy that ranks each arm by an index of its own (the paper's appendix D)."""
    parts = [find_index_policy(text) for text in policies]
    if not all((part.prior, part.evidence) == (None, None) for part in parts):
        raise InvalidInputError(
            "indices of the arms", list(policies), rule="must have neither prior nor evidence", fix="name plain indices"
        )
    indices = tuple(part.indices[0] for part in parts)
    return IndexPolicy(name, indices, tuple(part.parameters[0] for part in parts), evidence="squared")
