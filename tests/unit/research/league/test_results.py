import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thresher.errors import ExperimentError, InvalidInputError
from thresher.research.league.leagues import League, league
from thresher.research.league.results import merge_leagues, read_league
from thresher.research.league.suite import NAMED

PROBLEM, BUDGETS = "one-hard-few", (20, 40, 60, 100)


@pytest.fixture(scope="module")
def played() -> League:
    return league(problems=[PROBLEM], runs=10, seed=5)


def written(league: League, folder: Path) -> Path:
    """Write a result as the command line does."""
    path = folder / "league.json"
    path.write_text(json.dumps(league.to_dict(), allow_nan=False))
    return path


def test_a_result_that_was_written_is_read(played: League, tmp_path: Path) -> None:
    again = read_league(written(played, tmp_path))
    assert again.to_dict() == played.to_dict()
    assert (again.suite, again.seed, again.policies) == (played.suite, 5, played.policies)


def drop(key: str, *where: Any) -> Callable[[Any], None]:
    """Return a change of a document: a key is missing."""

    def change(document: Any) -> None:
        for step in where:
            document = document[step]
        del document[key]

    return change


def put(value: Any, *where: Any) -> Callable[[Any], None]:
    """Return a change of a document: another value."""

    def change(document: Any) -> None:
        for step in where[:-1]:
            document = document[step]
        document[where[-1]] = value

    return change


WRONG: list[tuple[Callable[[Any], None], str]] = [
    (drop("format"), "format is None; must be 'thresher-league-1'"),
    (put("thresher-league-0", "format"), "format is 'thresher-league-0'; must be 'thresher-league-1'"),
    (put("0", "suite"), "suite is '0'; must be '1', the suite of this version; play it again"),
    (put("custom", "suite"), "suite is 'custom'"),
    (put(True, "seed"), "seed is True; must be a whole number"),
    (drop("cells"), "cells is None; must be a list of objects"),
    (put([], "cells"), "cells is \\[\\]; must not be empty"),
    (put([3], "cells"), "must be a list of objects"),
    (drop("mean", "cells", 1), "cells\\[1\\].mean is missing; every row needs it: a number"),
    (put("many", "cells", 0, "mean"), "cells\\[0\\].mean is 'many'; must be a number"),
    (put(True, "cells", 0, "runs"), "cells\\[0\\].runs is True; must be a whole number"),
    (put(1e999, "cells", 0, "mean"), "must be a finite number"),
    (put("linea", "cells", 2, "problem"), "cells\\[2\\].problem is 'linea'; must be a problem of suite '1': linear, "),
    (put(41, "cells", 0, "budget"), "cells\\[0\\].budget is 41; must be a budget of 'one-hard-few': 20, 40, 60, 100"),
    (put("apt", "cells", 0, "policy"), "must be at a problem and a budget once"),
    (put("other", "cells", 0, "policy"), "cell of 'stopping' on 'one-hard-few' at 20 is missing"),
    (put(0.5, "standings", 0, "ratio"), "standings\\[0\\].ratio is 0.5; must be the geometric mean"),
    (put([], "standings"), "standings is \\[\\]; must have one standing for each policy but 'stopping'"),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_result_is_refused_with_the_field_and_the_rule(
    played: League, tmp_path: Path, change: Callable[[Any], None], message: str
) -> None:
    document = copy.deepcopy(played.to_dict())
    change(document)
    path = tmp_path / "league.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidInputError, match=message):
        read_league(path)


@pytest.mark.parametrize("text", ["", "[]", "{", "3"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "league.json"
    path.write_text(text)
    with pytest.raises(ExperimentError, match="thresher league"):
        read_league(path)
    with pytest.raises(ExperimentError, match="cannot read"):
        read_league(tmp_path / "none.json")


def test_results_with_other_policies_become_one_table(played: League, tmp_path: Path) -> None:
    other = league(problems=[PROBLEM], extra=["stopping-gaps"], runs=10, seed=5)
    both = merge_leagues([played, read_league(written(other, tmp_path))])
    assert set(both.policies) == {*played.policies, "stopping-gaps"}
    assert len(both.cells) == len(played.cells) + len(BUDGETS)
    assert both.standings[-1] == next(s for s in other.standings if s.policy == "stopping-gaps")


def test_results_that_cannot_be_compared_are_refused(played: League) -> None:
    for other in (league(problems=[PROBLEM], runs=10, seed=6), league(problems=["locatelli-1"], runs=10, seed=5)):
        with pytest.raises(ExperimentError, match="other problems, budgets or seeds"):
            merge_leagues([played, other])
    with pytest.raises(ExperimentError, match="'stopping' on 'one-hard-few' at 20 made"):
        merge_leagues([played, league(problems=[PROBLEM], runs=9, seed=5)])


def test_the_problem_of_these_tests_is_in_the_suite() -> None:
    assert (PROBLEM, BUDGETS, 40_000) in NAMED
