"""Problems: the question (arms, thresholds, costs, family) and the truth of a simulation.

A :class:`Question` is what a live campaign has: K arms, a threshold for each, what mistakes and pulls cost, and the
family of the outcomes. A :class:`Truth` is where the outcomes of a simulation come from. A :class:`Problem` comes from
Python (its constructors), from a file (:func:`load`) or by name (:func:`named`); :func:`find_problem` takes either of
the last two. This package does not depend on policies.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.problem.bars import NO_CONTROL, Control, control_of
    from thresher.problem.catalogue import PROBLEMS, NamedProblem, named
    from thresher.problem.families import FAMILIES, Family
    from thresher.problem.files import find_problem, from_dict, load
    from thresher.problem.money import MOST_MONEY, SMALLEST_COST
    from thresher.problem.pool import Pool, pool_of
    from thresher.problem.population import Population
    from thresher.problem.problem import Problem
    from thresher.problem.question import Question
    from thresher.problem.sampler import Sampler, sample
    from thresher.problem.sampling import Sampling
    from thresher.problem.seen import Seen
    from thresher.problem.spec import Spec, bind, parse_spec
    from thresher.problem.structure import STRUCTURES, Structure
    from thresher.problem.truth import Truth

import_lazily(__name__)

__all__ = [
    "FAMILIES",
    "MOST_MONEY",
    "NO_CONTROL",
    "PROBLEMS",
    "SMALLEST_COST",
    "STRUCTURES",
    "Control",
    "Family",
    "NamedProblem",
    "Pool",
    "Population",
    "Problem",
    "Question",
    "Sampler",
    "Sampling",
    "Seen",
    "Spec",
    "Structure",
    "Truth",
    "bind",
    "control_of",
    "find_problem",
    "from_dict",
    "load",
    "named",
    "parse_spec",
    "pool_of",
    "sample",
]
