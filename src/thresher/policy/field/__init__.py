"""The neighbours: policies that are no index, since they look at all arms at once, at the clock or at the horizon.

Each algorithm is one file with its formula and its step ``choose(known, state, turn)``, compiled and written once. The
loops of :mod:`thresher.engine.field` and its readable twin ask it for one arm after the other.
"""

from thresher.policy.field.base import Algorithm, FieldPolicy, Parameter
from thresher.policy.field.dispatch import choose, conclude
from thresher.policy.field.registry import FIELD, field_policy, find_algorithm
from thresher.policy.field.state import Known, State, Turn

__all__ = [
    "FIELD",
    "Algorithm",
    "FieldPolicy",
    "Known",
    "Parameter",
    "State",
    "Turn",
    "choose",
    "conclude",
    "field_policy",
    "find_algorithm",
]
