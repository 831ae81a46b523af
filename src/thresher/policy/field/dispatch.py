"""From the code of an algorithm to its choice and its verdicts, inside compiled code."""

from __future__ import annotations

from thresher.jit import njit
from thresher.policy.field.augucb import augucb_choose
from thresher.policy.field.bayes_ucb import bayes_ucb_choose
from thresher.policy.field.csar import csar_choose
from thresher.policy.field.evt import evt_choose
from thresher.policy.field.evt_pf import evt_pf_choose
from thresher.policy.field.gain import verdict_by_posterior
from thresher.policy.field.kg import kg_choose
from thresher.policy.field.mtb import mtb_choose, mtb_conclude
from thresher.policy.field.ocba import ocba_choose
from thresher.policy.field.opt_kg import opt_kg_choose
from thresher.policy.field.pi import pi_choose
from thresher.policy.field.slr import slr_choose
from thresher.policy.field.slr_d import slr_d_choose
from thresher.policy.field.state import Known, State, Turn
from thresher.policy.field.straddle import straddle_choose
from thresher.policy.field.tts import tts_choose
from thresher.policy.field.ucbe import ucbe_choose
from thresher.policy.field.utb import utb_choose, utb_conclude
from thresher.types import Ints


@njit(cache=True)
def choose(code: int, known: Known, state: State, turn: Turn) -> int:
    """Return the arm that an algorithm pulls next, or -1 if it stops."""
    if code == 0:
        return ucbe_choose(known, state, turn)
    if code == 1:
        return csar_choose(known, state, turn)
    if code == 2:
        return augucb_choose(known, state, turn)
    if code == 3:
        return evt_choose(known, state, turn)
    if code == 4:
        return evt_pf_choose(known, state, turn)
    if code == 5:
        return kg_choose(known, state, turn)
    if code == 6:
        return opt_kg_choose(known, state, turn)
    if code == 7:
        return bayes_ucb_choose(known, state, turn)
    if code == 8:
        return pi_choose(known, state, turn)
    if code == 9:
        return tts_choose(known, state, turn)
    if code == 10:
        return ocba_choose(known, state, turn)
    if code == 11:
        return slr_choose(known, state, turn)
    if code == 12:
        return slr_d_choose(known, state, turn)
    if code == 13:
        return straddle_choose(known, state, turn)
    if code == 14:
        return mtb_choose(known, state, turn)
    return utb_choose(known, state, turn)


@njit(cache=True)
def conclude(code: int, known: Known, state: State, verdicts: Ints) -> None:
    """Fill in the verdicts of an algorithm, shape (K,): 1 above, -1 below, 0 for an arm that it has not pulled.

    Most judge by the mean; KG and Opt-KG by the posterior, MTB and UTB by the shape that they assume.
    """
    if code == 14:
        mtb_conclude(known, state, verdicts)
        return
    if code == 15:
        utb_conclude(known, state, verdicts)
        return
    for k in range(verdicts.size):
        if state.counts[k] == 0:
            verdicts[k] = 0
        elif code == 5 or code == 6:
            verdicts[k] = verdict_by_posterior(known, state, k)
        else:
            verdicts[k] = 1 if state.totals[k] / state.counts[k] > known.thresholds[k] else -1
