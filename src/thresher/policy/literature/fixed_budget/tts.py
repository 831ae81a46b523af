"""TTS, thresholding Thompson sampling: doubtful verdicts are looked at in proportion to the doubt."""

from __future__ import annotations

from thresher.policy.algorithm import WITH_POSTERIOR, Algorithm, Parameter
from thresher.policy.literature.fixed_budget.pi import chance_wrong
from thresher.policy.rule import RuleSetup, State, Turn, least_pulled, random_number, step


@step
def tts_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return an arm drawn with a chance in proportion to the chance that its verdict is wrong.

    A rule of the same thesis as `bayes-ucb` (:cite:p:`radtke2017`); its prior is not known to us and taken from there.
    Once every chance has underflowed the arm with the fewest pulls is next.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        state.keys[k] = chance_wrong(known, state, k)
    whole = 0.0
    for k in range(state.keys.size):
        whole += state.keys[k] if state.is_open[k] else 0.0
    if whole == 0.0:
        return least_pulled(state)
    left, chosen = random_number(turn) * whole, -1
    for k in range(state.keys.size):
        if state.is_open[k] and state.keys[k] > 0.0:
            chosen = k
            left -= state.keys[k]
            if left < 0.0:
                break
    return chosen


TTS = Algorithm(
    "tts",
    choose=tts_choose,
    source="radtke2017",
    parameters=(Parameter("prior", 1.0),),
    families=WITH_POSTERIOR,
)
