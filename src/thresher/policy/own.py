"""Custom policies: plain Python that returns the next arm, or a step that Numba compiles."""

from __future__ import annotations

import copy
import inspect
import operator
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from thresher.errors import InvalidInputError, InvalidPolicyError
from thresher.inference import evidence_of
from thresher.jit import compile_error_line, njit, returned
from thresher.policy.algorithm import BY_MEAN, Algorithm
from thresher.policy.index import INDICES
from thresher.policy.policy import NO_CONTROL_PLAY, Policy, Stop, Traits
from thresher.policy.rule import Rule, RuleSetup, State, Step, Turn, judge_by_mean, signatures
from thresher.problem import SMALLEST_COST, code_of
from thresher.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from thresher.problem import Problem

Target = TypeVar("Target", bound=Callable[..., Any])
Numbers = TypeVar("Numbers", Floats, Ints, Bools)

# It is given the rest of the budget, so every budget has its own runs.
OWN_TRAITS = Traits(needs_horizon=True)
CHOOSE, DECIDE, STEP = ("seen", "rng"), ("seen",), ("known", "state", "turn")
HOW = "write choose(self, seen, rng) that returns the number of an arm, and perhaps decide(self, seen)"


class Chooser(Protocol):
    """An object that names the next arm."""

    def choose(self, seen: Any, rng: Any, /) -> Any:
        """Return the number of an arm, from an :class:`ArmStatistics` and a `numpy.random.Generator`."""


class ArmStatistics(NamedTuple):
    r"""What a policy of the user's own sees of the arms; arrays of shape (K,), which cannot be written.

    Attributes
    ----------
    counts : ndarray of int64
        Outcomes told of each arm.
    means : ndarray of float64
        Their means :math:`\hat\mu_k`.
    evidence : ndarray of float64
        :math:`x_k = n_k (\hat\mu_k - \theta_k)^2 / (2 \sigma_k^2)`, or what the family has in its place.
    thresholds, costs : ndarray of float64
        Bars, and what a mistake costs.
    is_open : ndarray of bool
        False for an arm that cannot be chosen any more: its recorded samples have all been used, or what is left of
        the budget cannot pay it but can pay another.
    left : float
        What is left of the budget.
    """

    counts: Ints
    means: Floats
    evidence: Floats
    thresholds: Floats
    costs: Floats
    is_open: Bools
    left: float


@dataclass(frozen=True)
class OwnPolicy(Policy):
    """A policy of the user's own in plain Python: slow, exact, on the same random streams as all others.

    Parameters
    ----------
    name : str
        What results call it.
    target : class or object
        With a method ``choose(seen, rng)`` and perhaps ``decide(seen)``. Every run has an instance, or a copy, of its
        own.
    parameters : tuple of (str, value)
        With which a class is called.
    """

    name: str
    target: Any = field(hash=False)  # the user's own may have no hash
    parameters: tuple[tuple[str, Any], ...] = field(default=(), hash=False)

    @property
    def traits(self) -> Traits:
        """What it needs and what it can do."""
        return OWN_TRAITS

    @property
    def is_own(self) -> bool:
        """True: the user wrote it."""
        return True

    def identity(self) -> object:
        """Return the code and parameters that distinguish it from other policies of the same name."""
        return code_of(self.target.choose if isinstance(self.target, _Choice) else self.target), self.parameters

    def why_not(self, problem: Problem) -> str | None:
        """Return why it cannot play a problem: it is asked on any whose bar is known."""
        return None if problem.has_known_bar else NO_CONTROL_PLAY[0]

    def bind(self, problem: Problem, stop: Stop) -> Rule:  # noqa: ARG002
        """Return the rule that asks the user's methods."""
        if reason := self.why_not(problem):
            raise InvalidInputError("policy", self.name, rule=reason, fix=NO_CONTROL_PLAY[1])
        known = RuleSetup(
            is_binary=problem.kind.is_coin,
            thresholds=np.array(problem.thresholds),
            sigma=np.array(problem.sigma),
            gaps=np.zeros(problem.n_arms),
            width=1.0,
            parameters=np.zeros(1),
            horizon=0,
            alpha=0.0,
            ceiling=np.inf,
            ranking=BY_MEAN.rank(problem),
        )
        steps = _Steps(self, problem)
        return Rule(
            choose=steps.choose,
            known=known,
            origin=np.zeros(problem.n_arms),
            conclude=steps.conclude,
            first_pulls=problem.kind.first_pulls,
            is_compiled=False,
        )

    def player(self) -> Any:
        """Return the object that plays one run."""
        if isinstance(self.target, type):
            return self.call("__init__", self.target, **dict(self.parameters))
        # A function has no state.
        return self.target if isinstance(self.target, _Choice) else self.call("a copy", copy.deepcopy, self.target)

    def call(self, what: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Call a function of the user; name the policy if it raises."""
        try:
            return function(*arguments, **named)
        except Exception as error:
            raise InvalidPolicyError(
                self.name, f"{what} raised {type(error).__name__}: {error}", instead="see the traceback above"
            ) from error


@dataclass
class _Steps(threading.local):
    """The steps of one run after the other: calls the user's methods, and checks what they return.

    Each thread has a player of its own: a rule is bound once, and threads play ranges of its runs at the same time.
    """

    policy: OwnPolicy
    problem: Problem
    player: Any = None
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    means: Floats = field(default_factory=lambda: np.empty(0))
    evidence: Floats = field(default_factory=lambda: np.empty(0))
    left: float = 0.0

    def choose(self, known: RuleSetup, state: State, turn: Turn) -> int:
        """Return the arm that the user's method names; -1 if no arm has samples left."""
        if turn.is_first:
            self.player, self.rng = self.policy.player(), np.random.Generator(np.random.Philox(key=int(turn.choices)))
            self.means, self.evidence = np.full(known.thresholds.size, np.nan), np.zeros(known.thresholds.size)
        self.left = turn.left * SMALLEST_COST
        if not state.is_open.any():
            return -1
        self.update(known, state, state.changed[: turn.n_changed].tolist())
        seen = self.statistics(known, state)
        k = self.arm(self.policy.call("choose", self.player.choose, seen, self.rng), state)
        # A policy that does not look at `is_open` may name an arm that cannot be paid. That ends the run.
        if not state.is_open[k] and self.problem.ticks[k] <= turn.left:
            raise InvalidPolicyError(
                self.policy.name,
                f"choose returned arm {k}, which has no samples left",
                instead="choose among the arms of seen.is_open",
            )
        return k

    def update(self, known: RuleSetup, state: State, arms: Sequence[int]) -> None:
        """Bring means and evidence of some arms up to date."""
        kind, precisions = known.ranking.evidence, known.ranking.precisions
        for k in arms:
            count, total, squares = float(state.counts[k]), float(state.totals[k]), float(state.squares[k])
            if count > 0.0:
                bar, precision = float(known.thresholds[k]), float(precisions[k])
                self.means[k] = total / count
                self.evidence[k] = evidence_of(kind, count, total, squares, bar, precision)

    def statistics(self, known: RuleSetup, state: State) -> ArmStatistics:
        """Return copies of the state for the user's methods, which may keep them."""
        return ArmStatistics(
            frozen(state.counts.copy()),
            frozen(self.means.copy()),
            frozen(self.evidence.copy()),
            frozen(known.thresholds),
            frozen(self.problem.costs),
            frozen(state.is_open.copy()),
            self.left,
        )

    def arm(self, value: Any, state: State) -> int:
        """Return the number of an arm.

        Raises
        ------
        InvalidPolicyError
            If it is none.
        """
        n_arms = state.counts.size
        try:
            k = -1 if isinstance(value, bool | np.bool_) else operator.index(value)
        except TypeError:
            k = -1
        if not 0 <= k < n_arms:
            raise InvalidPolicyError(
                self.policy.name,
                f"choose returned {value!r:.60}, which is not the number of an arm",
                instead=f"return a whole number from 0 to {n_arms - 1}",
            )
        return k

    def conclude(self, known: RuleSetup, state: State) -> None:
        """Fill in the verdicts that the user's method decides, or else the sides of the means."""
        if not hasattr(self.player, "decide"):
            judge_by_mean(known, state)
            return
        self.update(known, state, range(state.counts.size))
        said = self.policy.call("decide", self.player.decide, self.statistics(known, state))
        try:
            verdicts = np.asarray(said)
        except ValueError:  # lists of several lengths
            verdicts = np.empty(0)
        if verdicts.dtype == np.bool_:
            verdicts = np.where(verdicts, 1, -1)
        if verdicts.shape != state.verdicts.shape or not np.isin(verdicts, (-1, 0, 1)).all():
            raise InvalidPolicyError(
                self.policy.name,
                f"decide returned {said!r:.60}",
                instead="return one bool for each arm (above its bar or not), or 1, -1 and 0 for undecided",
            )
        state.verdicts[:] = verdicts


def frozen(array: Numbers) -> Numbers:
    """Return a view of an array that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True)
class _Choice:
    """A single function ``choose(seen, rng)`` as an object with that method."""

    choose: Callable[..., Any]


def summary_of(target: Any) -> str:
    """Return the first line of the docstring of a class or a function of the user's own."""
    said = target.choose.__doc__ if isinstance(target, _Choice) else target.__doc__
    return next(iter((said or "").strip().splitlines()), "A policy of the user's own.")


OWN: dict[str, Any] = {}


def register_policy(name: str) -> Callable[[Target], Target]:
    """Return a decorator that makes a class or a function a policy, usable by its name in simulations.

    A class has a method ``choose(self, seen, rng)`` that returns the number of the arm to pull next, from an
    :class:`ArmStatistics` and a `numpy.random.Generator` of the run's own; perhaps ``decide(self, seen)`` that returns
    the verdicts (the sides of the means unless given); and an ``__init__`` whose parameters all have defaults, so that
    they can follow the name (``thompson:scale=2``). Every arm is pulled once before, and every run has an instance of
    its own. A function ``choose(seen, rng)`` will do, too, also one that Numba compiles.

    A function ``choose(known, state, turn)`` that Numba compiles is a step as the built-in algorithms have it
    (:mod:`thresher.policy.rule`), and about as fast.

    Raises
    ------
    InvalidPolicyError
        If the name is taken or has spaces, colons, commas or equals signs, a signature is another one, or Numba cannot
        compile a step.

    Examples
    --------
    >>> @register_policy("least-pulled")
    ... class LeastPulled:
    ...     def choose(self, seen, rng):
    ...         return int(seen.counts.argmin())
    """
    _check_name(name)

    def enter(target: Target) -> Target:
        from thresher.policy.registry import ALGORITHMS

        if hasattr(target, "py_func") and _arguments(target) == STEP:
            _check_step(name, target)
            ALGORITHMS[name] = own_algorithm(name, target)
            OWN.pop(name, None)
        else:
            OWN[name] = check_policy(name, target)
            ALGORITHMS.pop(name, None)
        return target

    return enter


def own_algorithm(name: str, choose: Step) -> Algorithm:
    """Return the algorithm of a step that the user has compiled."""
    return Algorithm(name, choose=choose, source="the user's own", traits=OWN_TRAITS, is_own=True)


def _check_name(name: Any) -> None:
    from thresher.policy.registry import is_built_in

    if not isinstance(name, str):
        raise InvalidPolicyError(
            f"{name!r:.60}", "register_policy was given no name", instead='write @register_policy("name")'
        )
    if is_built_in(name):
        raise InvalidPolicyError(name, "the name belongs to a built-in policy", instead="choose another name")
    if name in INDICES:
        raise InvalidPolicyError(name, "the name belongs to an index of your own", instead="choose another name")
    if not re.fullmatch(r"[^\s:,=]+", name):
        raise InvalidPolicyError(name, "not a name", instead="use no spaces, colons, commas or equals signs")


def _check_step(name: str, choose: Any) -> None:
    """Raise unless Numba can compile a step, and what it returns is a whole number."""
    bare: Any = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(choose.py_func)
    try:
        bare.compile(signatures()["choose"].args)
    except Exception as error:  # Numba has a class for each way to fail
        raise InvalidPolicyError(
            name, f"Numba cannot compile choose: {compile_error_line(error)}", instead="use what Numba can compile"
        ) from error
    if (kind := returned(bare)) != "int":
        raise InvalidPolicyError(
            name, f"choose returns {kind}", instead="return the number of an arm, or -1 to stop, everywhere"
        )


def check_policy(name: str, target: Any) -> Any:
    """Return a class, an object or a function as something with a method ``choose``.

    Raises
    ------
    InvalidPolicyError
        If a signature is another one than that of :func:`register_policy`.
    """
    if inspect.isfunction(target) and _arguments(target) == STEP:
        raise InvalidPolicyError(
            name,
            f"choose takes ({', '.join(STEP)}) and is not compiled",
            instead=f"compile it with numba.njit, or name its arguments ({', '.join(CHOOSE)})",
        )
    if inspect.isfunction(target) or hasattr(target, "py_func"):
        target = _Choice(target)
    if not callable(getattr(target, "choose", None)):
        raise InvalidPolicyError(name, f"{target!r:.60} has no method choose", instead=HOW)
    for method, wanted in (("choose", CHOOSE), ("decide", DECIDE)):
        found = getattr(target, method, None)
        if found is not None and (given := _arguments(found, skip_self=isinstance(target, type))) != wanted:
            raise InvalidPolicyError(
                name,
                f"{method} takes ({', '.join(given)})",
                instead=f"name its arguments ({', '.join(wanted)})",
            )
    if isinstance(target, type):
        without = [key for key, default in defaults_of(target).items() if default is inspect.Parameter.empty]
        if without:
            raise InvalidPolicyError(
                name, f"{without[0]!r} of __init__ has no default", instead="give every parameter a default"
            )
    return target


def defaults_of(target: type) -> dict[str, Any]:
    """Return the parameters of a class with their defaults."""
    if target.__init__ is object.__init__:  # type: ignore[misc]
        return {}
    return {p.name: p.default for p in inspect.signature(target).parameters.values()}


def _arguments(function: Callable[..., Any], *, skip_self: bool = False) -> tuple[str, ...]:
    """Return the names of the arguments of a function."""
    plain = getattr(function, "py_func", function)
    names = tuple(inspect.signature(plain).parameters)
    is_static = not skip_self or (names and names[0] != "self")
    return names if is_static else names[1:]
