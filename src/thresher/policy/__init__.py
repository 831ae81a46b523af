"""Policies (which arm next), verdicts, intervals and the chance of error.

A :class:`Policy` declares what it needs and can do, and binds itself to a problem as a :class:`Rule`, which engines
play. :func:`find_policy` reads a name such as ``lsa:alpha=1.35``. An :class:`IndexPolicy` ranks each arm by itself; an
:class:`AlgorithmPolicy` looks at all arms, by one of the algorithms in :mod:`thresher.policy.fixed_budget` and
:mod:`thresher.policy.fixed_confidence`.

How sure a verdict is follows from what was :class:`Seen`: :func:`intervals` and :func:`e_values` are valid at every
moment, :func:`doubt` is the chance of error and rests on the population of means that :func:`fit_population` fits to
all arms, and :func:`decide` returns which verdicts are decided under a guarantee. Where the bar is a control,
:func:`difference_intervals`, :func:`lift_intervals` and :func:`difference_e_values` are about differences from it, and
:func:`control_keys` says what is worth measuring next. :func:`outlook` is what more measurements would decide.
:func:`dependence` tells whether outcomes behave as independent samples.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.policy.algorithm import Algorithm, AlgorithmPolicy, Parameter
    from thresher.policy.bars import QuestionBar, bar_of, sides_of
    from thresher.policy.bars.difference_evalues import difference_e_values
    from thresher.policy.bars.difference_intervals import difference_intervals, lift_intervals
    from thresher.policy.bars.differences import difference_means
    from thresher.policy.control_rule import ControlledArms, control_keys, most_worth_pulls
    from thresher.policy.decisions import PASSES, Decisions, check_terms, decide
    from thresher.policy.doubt import Doubt, doubt, doubt_by, posterior_of
    from thresher.policy.evalues import EValues, e_values
    from thresher.policy.guarantees import GUARANTEES, RULES, e_bh
    from thresher.policy.independence import Dependence, dependence
    from thresher.policy.index_policy import IndexPolicy, Prior
    from thresher.policy.intervals import Intervals, intervals
    from thresher.policy.outlook import DecisionTerms, Offer, Outlook, outlook
    from thresher.policy.own import ArmStatistics, OwnPolicy, register_policy
    from thresher.policy.policy import Policy, Stop, Traits
    from thresher.policy.population import FittedPopulation, expected_means, fit_population, posterior_under
    from thresher.policy.posterior import Posterior, PosteriorCells, average
    from thresher.policy.ranking import ArmRule, Ranking, rule_of, urgency_in_flight, urgency_of, verdict_of
    from thresher.policy.registry import find_index_policy, find_policy, per_arm, policy_names
    from thresher.policy.rule import Known, Rule, State, Turn
    from thresher.problem.seen import Seen

import_lazily(__name__)

__all__ = [
    "GUARANTEES",
    "PASSES",
    "RULES",
    "Algorithm",
    "AlgorithmPolicy",
    "ArmRule",
    "ArmStatistics",
    "ControlledArms",
    "DecisionTerms",
    "Decisions",
    "Dependence",
    "Doubt",
    "EValues",
    "FittedPopulation",
    "IndexPolicy",
    "Intervals",
    "Known",
    "Offer",
    "Outlook",
    "OwnPolicy",
    "Parameter",
    "Policy",
    "Posterior",
    "PosteriorCells",
    "Prior",
    "QuestionBar",
    "Ranking",
    "Rule",
    "Seen",
    "State",
    "Stop",
    "Traits",
    "Turn",
    "average",
    "bar_of",
    "check_terms",
    "control_keys",
    "decide",
    "dependence",
    "difference_e_values",
    "difference_intervals",
    "difference_means",
    "doubt",
    "doubt_by",
    "e_bh",
    "e_values",
    "expected_means",
    "find_index_policy",
    "find_policy",
    "fit_population",
    "intervals",
    "lift_intervals",
    "most_worth_pulls",
    "outlook",
    "per_arm",
    "policy_names",
    "posterior_of",
    "posterior_under",
    "register_policy",
    "rule_of",
    "sides_of",
    "urgency_in_flight",
    "urgency_of",
    "verdict_of",
]
