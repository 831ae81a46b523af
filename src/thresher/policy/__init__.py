"""Policies (which arm next), verdicts, intervals and the chance of error.

A :class:`Policy` declares what it needs and can do, and binds itself to a problem as a :class:`Rule`, which engines
play. :func:`find_policy` reads a name such as ``lsa:alpha=1.35``. An :class:`IndexPolicy` ranks each arm by itself; an
:class:`AlgorithmPolicy` looks at all arms, by one of the algorithms in :mod:`thresher.policy.fixed_budget` and
:mod:`thresher.policy.fixed_confidence`.

How sure a verdict is follows from what was :class:`Seen`: :func:`intervals` are valid at every moment, :func:`p_above`
rests on the population of means that :func:`fit_population` fits to all arms, and :func:`p_wrong`,
:func:`expected_mistakes`, :func:`weighed_verdicts` and :func:`left_open` follow from it. :func:`dependence` tells
whether outcomes behave as independent samples.
"""

from thresher.policy.algorithm import Algorithm, AlgorithmPolicy, Parameter
from thresher.policy.doubt import expected_mistakes, left_open, p_wrong, weighed_verdicts
from thresher.policy.independence import Dependence, dependence
from thresher.policy.index_policy import IndexPolicy, Prior
from thresher.policy.intervals import Intervals, intervals
from thresher.policy.own import ArmStatistics, OwnPolicy, register_policy
from thresher.policy.policy import Policy, Stop, Traits
from thresher.policy.population import FittedPopulation, expected_means, fit_population, p_above, p_above_alone
from thresher.policy.ranking import ArmRule, Ranking, rule_of, urgency_in_flight, urgency_of, verdict_of
from thresher.policy.registry import find_index_policy, find_policy, per_arm, policy_names
from thresher.policy.rule import Known, Rule, State, Turn
from thresher.policy.seen import Seen

__all__ = [
    "Algorithm",
    "AlgorithmPolicy",
    "ArmRule",
    "ArmStatistics",
    "Dependence",
    "FittedPopulation",
    "IndexPolicy",
    "Intervals",
    "Known",
    "OwnPolicy",
    "Parameter",
    "Policy",
    "Prior",
    "Ranking",
    "Rule",
    "Seen",
    "State",
    "Stop",
    "Traits",
    "Turn",
    "dependence",
    "expected_means",
    "expected_mistakes",
    "find_index_policy",
    "find_policy",
    "fit_population",
    "intervals",
    "left_open",
    "p_above",
    "p_above_alone",
    "p_wrong",
    "per_arm",
    "policy_names",
    "register_policy",
    "rule_of",
    "urgency_in_flight",
    "urgency_of",
    "verdict_of",
    "weighed_verdicts",
]
