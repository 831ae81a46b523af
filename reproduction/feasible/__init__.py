"""Arms with several coordinates and a bar that is a polyhedron: which arms lie inside it.

The neighbouring question of :cite:p:`katz-samuels2018`. A pull gives a vector, so that neither a
:class:`thresher.problem.Problem` nor the engine's sums fit; the streams, and the way of working, are the same.
:class:`Region` is the bar, :class:`FeasibleProblem` the question; each policy is one file; :mod:`runs` is the compiled
loop, :mod:`reference` its readable twin, and :func:`simulate_feasible` the whole of it for most users.
"""

from reproduction.feasible.catalogue import FEASIBLE_PROBLEMS, named_feasible
from reproduction.feasible.policy import FeasiblePolicy
from reproduction.feasible.problem import FeasibleProblem
from reproduction.feasible.region import Region, box, half_space
from reproduction.feasible.registry import FEASIBLE, find_feasible_policy
from reproduction.feasible.result import FeasibleResult, FeasibleRow
from reproduction.feasible.simulate import simulate_feasible

__all__ = [
    "FEASIBLE",
    "FEASIBLE_PROBLEMS",
    "FeasiblePolicy",
    "FeasibleProblem",
    "FeasibleResult",
    "FeasibleRow",
    "Region",
    "box",
    "find_feasible_policy",
    "half_space",
    "named_feasible",
    "simulate_feasible",
]
