"""The kinds that a question is made of, by name, and the class of each: to add one, write its file and a line here.

Classes are named and not imported, so that commands that need the names alone start fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple


class Registered(NamedTuple):
    """A registered kind: the module and the name of its class, and how a form describes it."""

    module: str
    name: str
    words: str


FAMILIES = {
    "gaussian": Registered(
        "thresher.problem.families.gaussian", "Gaussian", "a number with a known standard deviation"
    ),
    "bernoulli": Registered("thresher.problem.families.bernoulli", "Bernoulli", "pass/fail (0 or 1)"),
    "bounded": Registered("thresher.problem.families.bounded", "Bounded", "a number in a known range"),
    "gaussian-unknown-variance": Registered(
        "thresher.problem.families.unknown_variance", "UnknownVariance", "any number, such as a time"
    ),
    "two-point": Registered("thresher.problem.families.two_point", "TwoPoint", "one of two values"),
}
GUARANTEES = {
    "calibrated": Registered(
        "thresher.policy.guarantees.calibrated", "Calibrated", "each decision, estimated from all arms"
    ),
    "anytime": Registered("thresher.policy.guarantees.anytime", "Anytime", "each arm, however often you look"),
    "fdr": Registered("thresher.policy.guarantees.fdr", "Fdr", "share of wrong decisions (FDR)"),
    "fwer": Registered("thresher.policy.guarantees.fwer", "Fwer", "any wrong decision at all (FWER)"),
}


def instances(kinds: dict[str, Registered]) -> dict[str, Any]:
    """Return an instance of each class, by name."""
    return {name: getattr(import_module(kind.module), kind.name)() for name, kind in kinds.items()}
