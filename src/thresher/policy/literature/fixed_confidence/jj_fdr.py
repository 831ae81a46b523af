"""Jamieson and Jain's rule: outputs of which a share of at most δ is false, at all times."""

from __future__ import annotations

from thresher.policy.algorithm import KNOWN_NOISE, Algorithm
from thresher.policy.literature.fixed_confidence.discoveries import (
    FIND,
    check_target,
    discovery_memory,
    next_to_discover,
    settle_discovery,
)
from thresher.policy.policy import FALSE_SHARE, Traits
from thresher.policy.rule import RuleSetup, State, Turn, keep_verdicts, step


@step
def jj_fdr_choose(known: RuleSetup, state: State, turn: Turn) -> int:  # noqa: ARG001
    """Return the arm to look at next for outputs that are false in a share of at most δ, on average (FDR).

    :cite:p:`jamieson2018`, Algorithm 1. It never stops by itself: simulations end when every arm above the bar has been
    output, or at the most pulls. `find` is ``most`` (the paper's TPR) or ``all`` (its FWPD, for δ below ¼) of the arms
    above the bar.
    """
    return next_to_discover(state)


@step
def jj_fdr_learn(known: RuleSetup, state: State, turn: Turn, k: int) -> bool:
    """Bring the discoveries up to date after a pull; return whether all arms are output."""
    return settle_discovery(known, state, turn, k, False)


JJ_FDR = Algorithm(
    "jj-fdr",
    choose=jj_fdr_choose,
    learn=jj_fdr_learn,
    conclude=keep_verdicts,
    source="jamieson2018, Algorithm 1 (FDR)",
    parameters=(FIND,),
    families=KNOWN_NOISE,
    traits=Traits(in_flight=False, promise=FALSE_SHARE),
    memory=discovery_memory,
    prepare=check_target,
    counts_from_bar=True,
    ends_when_found=True,
)
