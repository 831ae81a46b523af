"""One run of a policy in the reference engine, to compare other engines with."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from thresher.jit import Compilable, _names, plain
from thresher.policy import Policy, Rule, Stop, find_policy, go_on
from thresher.policy.rule import judge_by_mean
from thresher.problem import Problem
from thresher.research.engine.reference import Played, play

_quietly = np.errstate(all="ignore")  # as in compiled steps: words wrap around, and a logarithm may be infinite


def uncompiled(rule: Rule) -> Rule:
    """Return a rule whose steps are interpreted: Numba takes 100 µs to look at the arguments of a compiled one.

    It is the rule itself if a step calls ``math.lgamma``, of which Python has one of its own with other last bits.
    """
    if any(_calls_lgamma(step) for step in (rule.choose, rule.learn, rule.conclude)):
        return rule
    return replace(
        rule,
        choose=_quietly(plain(rule.choose)),
        learn=rule.learn if rule.learn is go_on else _quietly(plain(rule.learn)),
        conclude=rule.conclude if rule.conclude is judge_by_mean else _quietly(plain(rule.conclude)),
    )


@cache
def _calls_lgamma(function: Any) -> bool:
    """Return whether a compiled function, or one that it calls, takes the logarithm of the gamma function."""
    if not isinstance(function, Compilable):
        return False
    names, around = _names(function.py_func.__code__), function.py_func.__globals__
    called = [around[name] for name in names if isinstance(around.get(name), Compilable)]
    return "lgamma" in names or any(_calls_lgamma(each) for each in called if each is not function)


def played(
    policy: Policy | str,
    problem: Problem,
    *,
    budget: float,
    seed: int,
    run: int = 0,
    price: float = 0.0,
    alpha: float = 0.0,
    in_flight: int = 1,
    asynchronous: bool = False,
    at_peak: bool = False,
) -> Played:
    """Return one run of a policy on a problem."""
    rule = uncompiled(find_policy(policy).bind(problem, Stop(budget, price, alpha)))
    return play(
        rule, problem, budget=budget, in_flight=in_flight, asynchronous=asynchronous, at_peak=at_peak,
        seed=seed, run=run,
    )  # fmt: skip
