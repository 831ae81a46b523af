"""The policies by name."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from importlib import import_module

from thresher.errors import InvalidInputError, InvalidPolicyError, UnknownNameError
from thresher.policy.algorithm import Algorithm
from thresher.policy.entry_points import load_policies
from thresher.policy.index import INDICES, find_index
from thresher.policy.index_policy import IndexPolicy, index_policy
from thresher.policy.own import OWN, OwnPolicy, check_policy, own_algorithm
from thresher.policy.policy import Policy
from thresher.policy.rule import Step
from thresher.problem import Spec, bind, parse_spec

# Where each algorithm is: `name` is the constant NAME of the module `name` in a package, or of the one module given.
FIXED_BUDGET, FIXED_CONFIDENCE = (
    "thresher.policy.literature.fixed_budget",
    "thresher.policy.literature.fixed_confidence",
)
MODULES = {
    "thresher.policy.goals": ("more-than", "decide"),
    FIXED_BUDGET: (
        "uniform-iid", "stopping-fitted", "ucbe", "csar", "augucb", "evt-pf", "kg", "opt-kg", "bayes-ucb", "pi",
        "tts", "ocba", "slr", "slr-d", "straddle", "randomised-straddle", "mtb", "utb", "xie-frazier",
    ),
    "thresher.research.theory.allocation_policies": ("oracle", "static-optimum"),
    FIXED_CONFIDENCE: (
        "hdoc", "lucb-g", "apt-g", "lil-hdoc", "jj-fdr", "jj-fwer", "murphy", "sticky-tas", "glr-apt",
    ),
}  # fmt: skip
ORDER = (
    "uniform-iid", "oracle", "static-optimum", "more-than", "stopping-fitted", "decide", *MODULES[FIXED_BUDGET][2:],
    *MODULES[FIXED_CONFIDENCE],
)  # fmt: skip


class Algorithms(MutableMapping[str, Algorithm]):
    """The algorithms by name; one that comes with thresher is imported when it is first looked up."""

    def __init__(self) -> None:
        self._found: dict[str, Algorithm | None] = dict.fromkeys(ORDER)

    def __getitem__(self, name: str) -> Algorithm:
        """Return the algorithm of a name."""
        found = self._found[name]
        if found is None:
            found = self._found[name] = _built_in(name)
        return found

    def __setitem__(self, name: str, algorithm: Algorithm) -> None:
        """Add an algorithm."""
        self._found[name] = algorithm

    def __delitem__(self, name: str) -> None:
        """Remove an algorithm."""
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names in their order."""
        return iter(self._found)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._found)

    def __contains__(self, name: object) -> bool:
        """Return whether there is an algorithm of that name, without importing it."""
        return name in self._found


def _built_in(name: str) -> Algorithm:
    place = next(place for place, names in MODULES.items() if name in names)
    constant = name.replace("-", "_")
    module = import_module(place)
    if hasattr(module, "__path__"):
        module = import_module(f"{place}.{constant}")
    found: Algorithm = getattr(module, constant.upper())
    return found


ALGORITHMS = Algorithms()
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
    if not _is_known(spec.name):
        load_policies()
    if spec.name in INDICES and (spec.name in ALGORITHMS or spec.name in OWN):
        raise InvalidPolicyError(
            spec.name, "an index of your own has that name, too", instead="give one of them another name"
        )
    if spec.name in OWN:
        return _own_policy(text, spec)
    if spec.name in ALGORITHMS:
        return ALGORITHMS[spec.name].policy(text, spec.parameters)
    if not _is_known(spec.name):
        raise UnknownNameError("policy", spec.name, policy_names())
    return index_policy(text, find_index(spec.name), dict(spec.parameters))


def _is_known(name: str) -> bool:
    return name in INDICES or name in ALGORITHMS or name in OWN


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
