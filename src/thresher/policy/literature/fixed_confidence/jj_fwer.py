"""Jamieson and Jain's rule for outputs that are all true with probability 1 - δ."""

from __future__ import annotations

from thresher.policy.algorithm import KNOWN_NOISE, Algorithm
from thresher.policy.literature.fixed_confidence.discoveries import (
    FIND,
    check_target,
    discovery_memory,
    next_to_discover,
    settle_discovery,
)
from thresher.policy.policy import ANY_FALSE, Traits
from thresher.policy.rule import RuleSetup, State, Turn, keep_verdicts, step


@step
def jj_fwer_choose(known: RuleSetup, state: State, turn: Turn) -> int:  # noqa: ARG001
    """Return the arm to look at next for outputs that are all true with probability 1 - δ (FWER).

    :cite:p:`jamieson2018`, Algorithm 1 (FWER): every other pull goes to an arm that the rule for a share of false
    outputs has found but the stricter rule has not. It never stops by itself: simulations end when every arm above
    the bar has been output, or at the most pulls. Whether an arm can leave the first set again was not read; here it
    can, what is output stays. `find` is ``most`` (the paper's TPR) or ``all`` (its FWPD, for δ below ¼) of the arms
    above the bar.
    """
    return next_to_discover(state)


@step
def jj_fwer_learn(known: RuleSetup, state: State, turn: Turn, k: int) -> bool:
    """Bring the discoveries up to date after a pull; return whether all arms are output."""
    return settle_discovery(known, state, turn, k, True)


JJ_FWER = Algorithm(
    "jj-fwer",
    choose=jj_fwer_choose,
    learn=jj_fwer_learn,
    conclude=keep_verdicts,
    source="jamieson2018, Algorithm 1 (FWER)",
    parameters=(FIND,),
    families=KNOWN_NOISE,
    traits=Traits(in_flight=False, promise=ANY_FALSE),
    memory=discovery_memory,
    prepare=check_target,
    counts_from_bar=True,
    ends_when_found=True,
)
