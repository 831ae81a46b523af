"""Problems: the question (arms, thresholds, costs, family) and the truth of a simulation.

A :class:`Question` is what a live campaign has: K arms, a threshold for each, what mistakes and pulls cost, and the
family of the outcomes. A :class:`Truth` is where the outcomes of a simulation come from. A :class:`Problem` comes from
Python (its constructors), from a file (:func:`load`) or by name (:func:`named`); :func:`find_problem` takes either of
the last two. This package does not depend on policies.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.problem import bars
    from thresher.problem.arms_table import (
        CAMPAIGN,
        MOST_FAULTS,
        ArmsTable,
        decoded,
        read_file,
        read_table,
        read_text,
        rows_with,
        table_of,
        table_of_names,
    )
    from thresher.problem.arrays import per_arm
    from thresher.problem.bars import NO_CONTROL, Control, control_of
    from thresher.problem.catalogue import PROBLEMS, NamedProblem, named
    from thresher.problem.code import code_of
    from thresher.problem.combinations import Combination
    from thresher.problem.csv_text import Fault, TableRow, iterate_rows
    from thresher.problem.families import FAMILIES, Family
    from thresher.problem.files import find_problem, from_dict, load
    from thresher.problem.keywords import suggests_keywords
    from thresher.problem.names import LONGEST_NAME, broken_rule
    from thresher.problem.numbers import (
        MOST_MONEY,
        MOST_TICKS,
        SMALLEST_COST,
        amount_of,
        budget_of,
        finite_or_none,
        number_in,
        percent_in,
        rate_in,
        real,
        ticks_of,
        whole,
        with_nulls,
    )
    from thresher.problem.pool import Pool, pool_of
    from thresher.problem.population import Population
    from thresher.problem.problem import Problem
    from thresher.problem.question import Question
    from thresher.problem.sampler import Sampler, sample
    from thresher.problem.sampling import Sampling
    from thresher.problem.signal_tables import history_in, is_missing, scores_in
    from thresher.problem.spec import Spec, bind, parse_spec
    from thresher.problem.statistics import Statistics
    from thresher.problem.structure import ITEMS, NONE, POPULATION, STRUCTURES, Structure
    from thresher.problem.truth import Truth

import_lazily(__name__)

__all__ = [
    "CAMPAIGN",
    "FAMILIES",
    "ITEMS",
    "LONGEST_NAME",
    "MOST_FAULTS",
    "MOST_MONEY",
    "MOST_TICKS",
    "NONE",
    "NO_CONTROL",
    "POPULATION",
    "PROBLEMS",
    "SMALLEST_COST",
    "STRUCTURES",
    "ArmsTable",
    "Combination",
    "Control",
    "Family",
    "Fault",
    "NamedProblem",
    "Pool",
    "Population",
    "Problem",
    "Question",
    "Sampler",
    "Sampling",
    "Spec",
    "Statistics",
    "Structure",
    "TableRow",
    "Truth",
    "amount_of",
    "bars",
    "bind",
    "broken_rule",
    "budget_of",
    "code_of",
    "control_of",
    "decoded",
    "find_problem",
    "finite_or_none",
    "from_dict",
    "history_in",
    "is_missing",
    "iterate_rows",
    "load",
    "named",
    "number_in",
    "parse_spec",
    "per_arm",
    "percent_in",
    "pool_of",
    "rate_in",
    "read_file",
    "read_table",
    "read_text",
    "real",
    "rows_with",
    "sample",
    "scores_in",
    "suggests_keywords",
    "table_of",
    "table_of_names",
    "ticks_of",
    "whole",
    "with_nulls",
]
