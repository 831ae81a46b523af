"""From an index to choices and verdicts.

:func:`find_policy` reads a name such as ``lsa:alpha=1.35``; an :class:`IndexPolicy` bound to a problem is a
:class:`Ranking`, by which
the simulator and a live campaign alike choose the next arm and judge it in the end. A :class:`StaticPolicy` fixes
its pulls beforehand, a :class:`CoupledPolicy` looks at all arms to weigh each one, a :class:`FieldPolicy` is one of
the algorithms of the neighbouring literature, each a file of :mod:`thresher.policy.field`, and a
:class:`ConfidencePolicy` stops by itself.

How sure a verdict is follows from what was :class:`Seen`: :func:`intervals` are valid at every moment, :func:`p_above`
rests on the population of means that :func:`fit_population` fits to all arms, and :func:`p_wrong`,
:func:`expected_mistakes`, :func:`weighed_verdicts` and :func:`left_open` follow from it. :func:`dependence` tells
whether outcomes behave as independent samples.
"""

from thresher.policy.confidence import ConfidencePolicy
from thresher.policy.coupled import CoupledPolicy
from thresher.policy.doubt import expected_mistakes, left_open, p_wrong, weighed_verdicts
from thresher.policy.field import FieldPolicy
from thresher.policy.independence import Dependence, dependence
from thresher.policy.intervals import Intervals, intervals
from thresher.policy.policy import IndexPolicy, Policy, Prior, find_policy, per_arm, policy_names
from thresher.policy.population import FittedPopulation, expected_means, fit_population, p_above, p_above_alone
from thresher.policy.ranking import Ranking, Rule, rule_of, urgency_in_flight, urgency_of, verdict_of
from thresher.policy.seen import Seen
from thresher.policy.static import STATIC, StaticPolicy

__all__ = [
    "STATIC",
    "ConfidencePolicy",
    "CoupledPolicy",
    "Dependence",
    "FieldPolicy",
    "FittedPopulation",
    "IndexPolicy",
    "Intervals",
    "Policy",
    "Prior",
    "Ranking",
    "Rule",
    "Seen",
    "StaticPolicy",
    "dependence",
    "expected_means",
    "expected_mistakes",
    "find_policy",
    "fit_population",
    "intervals",
    "left_open",
    "p_above",
    "p_above_alone",
    "p_wrong",
    "per_arm",
    "policy_names",
    "rule_of",
    "urgency_in_flight",
    "urgency_of",
    "verdict_of",
    "weighed_verdicts",
]
