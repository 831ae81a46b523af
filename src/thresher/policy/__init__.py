"""What to measure next: policies, how they rank arms, and what more measurements would decide.

A :class:`Policy` declares what it needs and can do, and binds itself to a problem as a :class:`Rule`, which engines
play. :func:`find_policy` reads a name such as ``lsa:alpha=1.35``. An :class:`IndexPolicy` ranks each arm by itself, by
one of the formulas in :mod:`thresher.policy.index`; an :class:`AlgorithmPolicy` looks at all arms, by one of the
algorithms in :mod:`thresher.policy.literature` and :mod:`thresher.policy.goals`; an :class:`OwnPolicy` is a user's
Python code. Where the bar is a control, :func:`control_keys` ranks what to measure next. :func:`outlook` is what
more measurements would decide.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.policy import ranking, rule
    from thresher.policy.algorithm import ALL, Algorithm, AlgorithmPolicy, Parameter
    from thresher.policy.control_rule import ControlledArms, control_keys, most_worth_pulls
    from thresher.policy.index_policy import IndexPolicy, Prior
    from thresher.policy.listing import Listed, list_policies
    from thresher.policy.outlook import DecisionTerms, Offer, Outlook, outlook
    from thresher.policy.own import ArmStatistics, Chooser, OwnPolicy, register_policy
    from thresher.policy.policy import ANY_FALSE, ANY_MISTAKE, FALSE_SHARE, Policy, Stop, Traits
    from thresher.policy.ranking import (
        LARGEST,
        ArmRule,
        Ranking,
        arm_index,
        index_in_flight,
        is_certain,
        judged_mean,
        price,
        rule_of,
        structured_index,
        verdict_of,
    )
    from thresher.policy.registry import (
        ALGORITHMS,
        find_index_policy,
        find_policy,
        is_built_in,
        per_arm,
        policy_names,
    )
    from thresher.policy.repeated_items import repeated_index
    from thresher.policy.rule import Rule, RuleSetup, State, Turn, go_on, new_state, step
    from thresher.policy.shared_items import adjusted_index

import_lazily(__name__)

__all__ = [
    "ALGORITHMS",
    "ALL",
    "ANY_FALSE",
    "ANY_MISTAKE",
    "FALSE_SHARE",
    "LARGEST",
    "Algorithm",
    "AlgorithmPolicy",
    "ArmRule",
    "ArmStatistics",
    "Chooser",
    "ControlledArms",
    "DecisionTerms",
    "IndexPolicy",
    "Listed",
    "Offer",
    "Outlook",
    "OwnPolicy",
    "Parameter",
    "Policy",
    "Prior",
    "Ranking",
    "Rule",
    "RuleSetup",
    "State",
    "Stop",
    "Traits",
    "Turn",
    "adjusted_index",
    "arm_index",
    "control_keys",
    "find_index_policy",
    "find_policy",
    "go_on",
    "index_in_flight",
    "is_built_in",
    "is_certain",
    "judged_mean",
    "list_policies",
    "most_worth_pulls",
    "new_state",
    "outlook",
    "per_arm",
    "policy_names",
    "price",
    "ranking",
    "register_policy",
    "repeated_index",
    "rule",
    "rule_of",
    "step",
    "structured_index",
    "verdict_of",
]
