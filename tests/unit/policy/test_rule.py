"""What the steps of rules share: sums by hand, the least of keys, and steps as pointers."""

import math
import pkgutil
import subprocess
import sys
from importlib import import_module
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from thresher import policy
from thresher.jit import Compilable, Whole, _names
from thresher.policy import Rule, RuleSetup, State, Stop, Turn, find_policy
from thresher.policy.rule import (
    _without_counting,
    gap_of,
    go_on,
    judge_by_mean,
    keep_verdicts,
    least,
    least_pulled,
    new_state,
    noise_of,
    pointer_to,
    random_number,
    variance_of,
)
from thresher.problem import Problem
from thresher.streams import uniform, word_at


def seen(values: list[list[float]], bar: float) -> State:
    """Return the state in which the arms have shown these values."""
    state = new_state(len(values), 1, 1)
    for k, shown in enumerate(values):
        state.counts[k], state.totals[k] = len(shown), sum(shown)
        state.squares[k] = sum((value - bar) ** 2 for value in shown)
    return state


def known_of(problem: Problem) -> RuleSetup:
    """Return what a rule on a problem is told."""
    return find_policy("evt-pf").bind(problem, Stop(100.0)).known


@given(st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=8))
def test_gap_and_variance_are_those_of_the_outcomes(values: list[float]) -> None:
    known, state = known_of(Problem.gaussian([0.5], 0.2)), seen([values], 0.2)
    assert gap_of(known, state, 0) == pytest.approx(np.mean(values) - 0.2, abs=1e-9)
    assert variance_of(known, state, 0) == pytest.approx(np.var(values), abs=1e-9)


def test_the_noise_is_the_known_one_or_its_estimate() -> None:
    state = seen([[0.0, 2.0]], 0.0)
    assert noise_of(known_of(Problem.gaussian([0.5], sigma=3.0)), state, 0) == 3.0
    assert noise_of(known_of(Problem.gaussian_unknown_variance([0.5])), state, 0) == pytest.approx(1.0)


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=8))
def test_the_first_open_arm_of_least_key_is_next(arms: list[tuple[int, bool]]) -> None:
    state = new_state(len(arms), 1, 1)
    state.keys[:] = state.counts[:] = [key for key, _ in arms]
    state.is_open[:] = [is_open for _, is_open in arms]
    expected = min((k for k, (_, is_open) in enumerate(arms) if is_open), key=lambda k: (arms[k][0], k), default=-1)
    assert least(state) == least_pulled(state) == expected


def test_an_open_arm_of_infinite_key_is_better_than_none() -> None:
    state = new_state(2, 1, 1)
    state.keys[:], state.is_open[0] = math.inf, False
    assert least(state) == 1


def test_the_random_number_is_that_of_this_choice() -> None:
    turn = Turn(3, 5, 0, False, np.uint64(77), 0)
    assert random_number(turn) == uniform(word_at(np.uint64(77), 5))
    assert random_number(turn._replace(asked=6)) != random_number(turn)


def test_the_steps_that_a_rule_has_unless_told_otherwise() -> None:
    known = known_of(Problem.gaussian([0.5, 0.5, 0.5], 0.2))
    state = seen([[1.0], [-1.0, 0.5], []], 0.2)
    assert not go_on(known, state, Turn(0, 0, 0, True, np.uint64(0), 0), 0)
    judge_by_mean(known, state)
    assert state.verdicts.tolist() == [1, -1, 0]
    state.verdicts[:] = [-1, 1, 1]
    keep_verdicts(known, state)
    assert state.verdicts.tolist() == [-1, 1, 1]


def test_a_state_begins_empty() -> None:
    state = new_state(2, 3, 5)
    assert state.is_open.all()
    assert (state.memory.size, state.changed.size, state.outputs.size) == (3, 5, 1)
    assert not any(getattr(state, name).any() for name in State._fields if name != "is_open")


# As pointers


@njit
def second_arm(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the second arm."""
    return 1


def test_a_step_is_compiled_once() -> None:
    assert pointer_to(second_arm, "choose") is pointer_to(second_arm, "choose")


def test_a_rule_has_three_pointers() -> None:
    problem = Problem.gaussian([0.5, 0.1])
    rule = Rule(choose=second_arm, known=known_of(problem), origin=np.zeros(2))
    assert len({pointer.address for pointer in rule.pointers()}) == 3


SCRIPT = """
from numba import njit
import thresher as th

@th.register_policy("first")
@njit
def choose(known, state, turn):
    return 0

print(th.simulate(th.Problem.gaussian([0.5, -0.5]), "first", budgets=10, runs=3).pulls("first").tolist())
"""


def test_a_step_without_a_source_file_is_compiled_too() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.stdout == "[[9.0, 1.0]]\n", done.stderr


def called_by(function: Any, found: dict[Any, str], path: str) -> dict[Any, str]:
    """Return every compiled function that one calls, with the path to it."""
    for name in _names(function.py_func.__code__):
        called = function.py_func.__globals__.get(name)
        if isinstance(called, Compilable) and called not in found:
            found[called] = f"{path} > {name}"
            called_by(called, found, found[called])
    return found


def is_scalar(kind: Any) -> bool:
    """Return whether a type is a number, nothing, or a tuple of them."""
    if kind in (int, float, bool, np.uint64, type(None), Whole):
        return True
    parts = get_args(kind) or tuple(get_type_hints(kind).values())
    return bool(parts) and issubclass(getattr(kind, "__origin__", kind), tuple) and all(map(is_scalar, parts))


def test_what_steps_call_returns_no_arrays_unless_it_is_inlined() -> None:
    # Steps count no references, kernels do. Compiled for a step first, a function returns an array that a kernel frees
    # too early, and the process crashes.
    for module in pkgutil.walk_packages(policy.__path__, "thresher.policy."):
        import_module(module.name)
    called: dict[Any, str] = {}
    for one in _without_counting:
        called_by(one, called, one.__name__)
    assert len(called) > 100
    returned = {path: get_type_hints(one.py_func)["return"] for one, path in called.items() if not is_inlined(one)}
    assert not {path: kind for path, kind in returned.items() if not is_scalar(kind)}


def is_inlined(function: Any) -> bool:
    """Return whether the compiler copies a function into its callers."""
    return bool(function._options.get("inline") == "always")
