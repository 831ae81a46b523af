"""The shared functions as interpreted Python, for the reference engine: the same numbers, and nothing is compiled."""

from __future__ import annotations

import numpy as np

from thresher.jit import plain
from thresher.policy import ArmRule, Ranking, ranking, rule
from thresher.research.engine import counted, draws
from thresher.research.engine import losses as judge
from thresher.research.engine.draws import BETA, NORMAL, Arms, DrawnArm
from thresher.streams import EDGES, SCALES, Word, arm_key, normal, run_key, uniform, word_at
from thresher.types import Floats, Words

# Words wrap around on purpose, about which NumPy warns where they are single numbers.
_wrapping = np.errstate(over="ignore")

new_state, judge_by_mean = plain(rule.new_state), plain(rule.judge_by_mean)
new_counted, note, judge_run = plain(counted.new_counted), plain(counted.note), plain(judge.judge)
note_mistakes = plain(counted.note_mistakes)
arm_at, is_plain, supply_of = plain(draws.arm_at), plain(draws.is_plain), plain(draws.supply_of)
sample_at, _mean_of = _wrapping(plain(draws.sample_at)), _wrapping(plain(draws.mean_of))
index_in_flight = plain(ranking.index_in_flight)
key_of_run, key_of_arm = _wrapping(plain(run_key)), _wrapping(plain(arm_key))
_normal, _uniform, _word_at = _wrapping(plain(normal)), plain(uniform), _wrapping(plain(word_at))


def mean_of(arms: Arms, arm: int, key: Word) -> float:
    """Return the true mean of an arm in a run; a Beta number has other last bits in interpreted Python."""
    find = draws.mean_of if arms.population == BETA else _mean_of
    return float(find(arms, arm, key))


def uniform_at(key: Word, place: int) -> float:
    """Return the number in [0, 1) at a place of a stream."""
    return float(_uniform(_word_at(key, place)))


def rule_of(found: Ranking, arm: int) -> ArmRule:
    """Return how one arm is ranked, in Python's own numbers: formulas take half as long with them."""
    numbers = plain(ranking.rule_of)(found, arm)
    return ArmRule(*(value.item() if isinstance(value, np.generic) else value for value in numbers))


def plain_outcomes(arm: DrawnArm, first: int, last: int) -> list[float]:
    """Return the outcomes of a normal or a 0/1 arm from place `first` to before `last`, drawn at once."""
    words: Words = _word_at(arm.key, np.arange(first, last, dtype=np.uint64))
    if arm.draw == NORMAL:
        outcomes: Floats = arm.mean + arm.sigma * _normals(words)
    else:
        outcomes = np.where(np.asarray(_uniform(words)) < arm.mean, 1.0, 0.0)
    return list(outcomes.tolist())


def _normals(words: Words) -> Floats:
    """Return a standard normal number from each word: the core of :func:`thresher.streams.normal`, on an array."""
    layers = (words & np.uint64(255)).astype(np.int64)
    places = (words.astype(np.int64) >> np.int64(11)).astype(np.float64) * SCALES[layers]
    for i in np.flatnonzero(np.abs(places) >= EDGES[layers + 1]).tolist():
        places[i] = _normal(words[i])
    return places
