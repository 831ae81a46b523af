"""From an index to choices and verdicts.

:func:`find_policy` reads a name such as ``lsa:alpha=1.35``; an :class:`IndexPolicy` bound to a problem is a
:class:`Ranking`, by which
the simulator and a live campaign alike choose the next arm and judge it in the end. A :class:`StaticPolicy` fixes
its pulls beforehand, a :class:`CoupledPolicy` looks at all arms to weigh each one, a :class:`FieldPolicy` is one of
the algorithms of the neighbouring literature, each a file of :mod:`thresher.policy.field`, and a
:class:`ConfidencePolicy` stops by itself.
"""

from thresher.policy.confidence import ConfidencePolicy
from thresher.policy.coupled import CoupledPolicy
from thresher.policy.field import FieldPolicy
from thresher.policy.policy import IndexPolicy, Policy, Prior, find_policy, per_arm, policy_names
from thresher.policy.ranking import Ranking, Rule, rule_of, urgency_in_flight, urgency_of, verdict_of
from thresher.policy.static import STATIC, StaticPolicy

__all__ = [
    "STATIC",
    "ConfidencePolicy",
    "CoupledPolicy",
    "FieldPolicy",
    "IndexPolicy",
    "Policy",
    "Prior",
    "Ranking",
    "Rule",
    "StaticPolicy",
    "find_policy",
    "per_arm",
    "policy_names",
    "rule_of",
    "urgency_in_flight",
    "urgency_of",
    "verdict_of",
]
