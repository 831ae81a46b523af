"""A policy bound to a problem, as engines play it: its inputs, its state and its steps.

A rule has up to three steps, each a function that Numba compiles: ``choose`` names the next arm, ``learn`` looks at an
outcome (and may stop the run), ``conclude`` fills in the verdicts. The driver calls them by pointers of fixed types, so
that it is compiled once and a rule is compiled only when it is played.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from thresher.inference import NO_SIGNALS, Signals
from thresher.jit import formula, kernel, load_numba, njit, plain
from thresher.policy.index import NO_USER_INDEX
from thresher.policy.ranking import Ranking, rule_of, verdict_of
from thresher.problem.bars import NO_CONTROL, Control
from thresher.streams import Word, uniform, word_at
from thresher.types import Bools, Floats, Ints

Step = Callable[..., Any]
NO_ITEMS: Bools = np.zeros((1, 0), np.bool_)

Compiled = TypeVar("Compiled", bound=Step)

_without_counting = set[Step]()


def step(function: Compiled) -> Compiled:
    """Return a step of a rule, compiled when a driver asks for its pointer, or when Python calls it.

    A step must not make arrays. For the driver it is compiled without reference counts, which would take several times
    as long as the step itself: each of the arrays in :class:`RuleSetup` and :class:`State` is counted up and down. A
    step that makes arrays is a plain :func:`thresher.jit.kernel`.
    """
    compiled = kernel(function)
    _without_counting.add(compiled)
    return compiled


class RuleSetup(NamedTuple):
    r"""The inputs of a rule before the first pull; arrays have shape (K,).

    Attributes
    ----------
    is_binary : bool
        Outcomes are 0 and 1.
    thresholds : ndarray of float64
    sigma : ndarray of float64
        :math:`\sigma_k`; 0 where it is not known.
    gaps : ndarray of float64
        :math:`|\mu_k - \theta_k|`, in the unit of the outcomes; 0 for every rule that does not need the truth.
    width : float
        Of the range of outcomes, by which rules made for [0, 1] divide; 1 where the range is not bounded.
    parameters : ndarray of float64, shape (P,)
        In the order in which the policy declares them, then what it prepared for this problem.
    horizon : int
        How many pulls of average cost the budget pays for.
    alpha : float
        The error rate that is allowed; 0 for a rule that spends a budget.
    ceiling : float
        Stop once every index is this large.
    ranking : Ranking
        How each arm is ranked and judged by itself.
    items : ndarray of bool, shape (K, N)
        Which of N shared items each arm has; N is 0 for a rule that does not use them.
    signals : Signals
        What past arms and cheap scores say of these items; of the same N.
    control : Control
        The arm whose mean is the bar of the others; of a negative number if there is none.
    """

    is_binary: bool
    thresholds: Floats
    sigma: Floats
    gaps: Floats
    width: float
    parameters: Floats
    horizon: int
    alpha: float
    ceiling: float
    ranking: Ranking
    items: Bools = NO_ITEMS
    signals: Signals = NO_SIGNALS
    control: Control = NO_CONTROL


class State(NamedTuple):
    r"""The statistics of every arm, and the memory of the rule; arrays have shape (K,) unless said otherwise.

    Attributes
    ----------
    counts, totals, squares : ndarray
        Outcomes told, :math:`\sum_i (X_i - o_k)` with the origin of the rule (0 or the bar), and
        :math:`\sum_i (X_i - \theta_k)^2`.
    asked : ndarray of int64
        Pulls asked for: told or in flight.
    is_open : ndarray of bool
        False once all samples in the pool of an arm were asked for, the rule has done with it, or what is left of the
        budget cannot pay it but can pay another.
    verdicts : ndarray of int64
        1 above, -1 below, 0 undecided; for the rule to fill in.
    outputs : ndarray of int64, shape (1,)
        How many arms the rule has output as above the bar, for rules that output arms one by one.
    keys : ndarray of float64
        The rule's own; mostly a number by which arms are ranked, the least next.
    memory : ndarray of float64, shape (M,)
        The rule's own; zeros at the start of a run.
    changed : ndarray of int64, shape (C,)
        The arms that were asked for, told, opened or closed since the rule chose last, in its first places.
    outcomes : ndarray of float64, shape (K, N)
        What each arm answered to each of N shared items, NaN where it was not told; N is 0 without shared items.
    last_items : ndarray of int64
        The item of the outcome that was told last.
    """

    counts: Ints
    totals: Floats
    squares: Floats
    asked: Ints
    is_open: Bools
    verdicts: Ints
    outputs: Ints
    keys: Floats
    memory: Floats
    changed: Ints
    outcomes: Floats
    last_items: Ints


class Turn(NamedTuple):
    """When a rule is called.

    Attributes
    ----------
    pulls, asked : int
        How many outcomes were told, and how many pulls were asked for.
    n_changed : int
        How many places of `State.changed` count.
    is_first : bool
        The rule chooses for the first time in a run.
    choices : Word
        Key of the run's stream for random choices.
    left : int
        What is left of the budget, in millionths.
    """

    pulls: int
    asked: int
    n_changed: int
    is_first: bool
    choices: Word
    left: int


@formula
def random_number(turn: Turn) -> float:
    """Return the random number in [0, 1) of this choice."""
    return uniform(word_at(turn.choices, turn.asked))


@formula
def gap_of(known: RuleSetup, state: State, k: int) -> float:
    r"""Return :math:`\hat\mu_k - \theta_k` of an arm that was pulled."""
    return float(state.totals[k] / state.counts[k] - known.thresholds[k])


@formula
def variance_of(known: RuleSetup, state: State, k: int) -> float:
    r"""Return :math:`\frac1n \sum_i (X_i - \hat\mu)^2` of an arm that was pulled."""
    gap = gap_of(known, state, k)
    return float(max(state.squares[k] / state.counts[k] - gap * gap, 0.0))


@formula
def noise_of(known: RuleSetup, state: State, k: int) -> float:
    r"""Return :math:`\sigma_k`, or its estimate where it is not known."""
    return float(known.sigma[k]) if known.sigma[k] > 0.0 else math.sqrt(variance_of(known, state, k))


@formula
def least(state: State) -> int:
    """Return the open arm of least key, the first of equals; -1 if none is open."""
    best, lowest = -1, math.inf
    for k in range(state.keys.size):
        if state.is_open[k] and (state.keys[k] < lowest or best < 0):
            best, lowest = k, state.keys[k]
    return best


@formula
def least_pulled(state: State) -> int:
    """Return the open arm with the fewest pulls, the first of equals; -1 if none is open."""
    best, fewest = -1, 0
    for k in range(state.counts.size):
        if state.is_open[k] and (state.counts[k] < fewest or best < 0):
            best, fewest = k, state.counts[k]
    return best


@step
def go_on(known: RuleSetup, state: State, turn: Turn, k: int) -> bool:  # noqa: ARG001
    """Return False: learn nothing from an outcome, and do not stop."""
    return False


@step
def judge_by_mean(known: RuleSetup, state: State) -> None:
    """Fill in the verdicts by the side of the mean, priors included; 0 for an arm that has shown nothing."""
    for k in range(state.counts.size):
        state.verdicts[k] = verdict_of(rule_of(known.ranking, k), float(state.counts[k]), state.totals[k])


@step
def keep_verdicts(known: RuleSetup, state: State) -> None:
    """Keep the verdicts that the rule has already filled in."""


@dataclass(frozen=True, eq=False)
class Rule:
    """A policy bound to a problem and to a budget or an error rate.

    Parameters
    ----------
    choose : callable
        ``choose(known, state, turn)``: the arm to pull, or -1 to stop. Asked again without a pull in between it must
        answer alike.
    known : RuleSetup
    learn : callable
        ``learn(known, state, turn, arm)`` after every outcome: whether to stop.
    conclude : callable
        ``conclude(known, state)`` fills in the verdicts.
    first_pulls : int
        Of every arm, before the rule chooses; 0 if it chooses those too.
    memory : int
        How many numbers the rule keeps for itself.
    origin : ndarray of float64, shape (K,)
        From where the sums of outcomes are counted.
    ends_when_found : bool
        The rule never stops by itself: a simulation ends when every arm above the bar has been output.
    by_level : bool
        The rule pulls the arm of least index, and the index depends on that arm alone: the level sweep plays it too.
    shares_items : bool
        The rule pulls the arm of least index, adjusted for the items that other arms have answered too.
    repeats_items : bool
        The rule shares items, each of which may be asked several times.
    has_control : bool
        The rule makes the most valuable pull, of an arm or of the control whose mean is the bar of the others.
    is_compiled : bool
        The steps are compiled; otherwise they are the user's own Python.
    """

    choose: Step
    known: RuleSetup
    origin: Floats
    learn: Step = go_on
    conclude: Step = judge_by_mean
    first_pulls: int = 1
    memory: int = 4
    ends_when_found: bool = False
    by_level: bool = False
    shares_items: bool = False
    repeats_items: bool = False
    has_control: bool = False
    is_compiled: bool = True

    def pointers(self) -> tuple[Any, Any, Any]:
        """Return the three steps as the driver takes them."""
        return (
            pointer_to(self.choose, "choose"),
            pointer_to(self.learn, "learn"),
            pointer_to(self.conclude, "conclude"),
        )


@lru_cache
def signatures() -> dict[str, Any]:
    """Return the types of the three steps."""
    numba = load_numba()
    known, state = numba.typeof(nothing_known()), numba.typeof(plain(new_state)(1, 1, 1))
    turn, whole = numba.typeof(Turn(0, 0, 0, True, np.uint64(0), 0)), numba.int64
    return {
        "choose": whole(known, state, turn),
        "learn": whole(known, state, turn, whole),
        "conclude": numba.void(known, state),
    }


@lru_cache(maxsize=1000)
def pointer_to(function: Step, kind: str) -> Any:
    """Return the compiled entry point of a step: ``"choose"``, ``"learn"`` or ``"conclude"``."""
    counts_references = function not in _without_counting
    # A step of the user's own is kept on disk only if it was compiled so: Numba does not notice every change, and
    # cannot keep a function without a source file.
    stored = getattr(function, "_cache", None)
    is_kept = stored is None or hasattr(stored, "_cache_file")
    compiled = load_numba().cfunc(signatures()[kind], cache=is_kept, _nrt=counts_references)
    return compiled(getattr(function, "py_func", function))


def nothing_known() -> RuleSetup:
    """Return the inputs of a rule for a single arm without anything known: an example of the type."""
    one, many = np.zeros(1), np.zeros(1, np.int64)
    ranking = Ranking(many, one, NO_USER_INDEX, 0, one, one, one, one, one, one, 0.0, 1.0)
    return RuleSetup(False, one, one, one, 1.0, one, 1, 0.0, math.inf, ranking)


@njit(cache=True, inline="always")  # inlined: the compiler then sees that these arrays have no other references
def new_state(n_arms: int, memory: int, changes: int, n_items: int = 0) -> State:
    """Return the state before the first pull, with room for `memory` numbers and for `changes` changed arms."""
    return State(
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms, np.int64),
        np.ones(n_arms, np.bool_),
        np.zeros(n_arms, np.int64),
        np.zeros(1, np.int64),
        np.zeros(n_arms),
        np.zeros(memory),
        np.zeros(changes, np.int64),
        np.full((n_arms, n_items), np.nan),
        np.zeros(n_arms, np.int64),
    )
