import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from thresher.problem import Problem
from thresher.research.league.files import distances, lost, mistakes, nearest, standings, tables, write_league
from thresher.research.league.leagues import League, league
from thresher.research.league.suite import SuiteEntry

ENTRIES = [
    SuiteEntry(Problem.named("linear:K=6"), (12, 30), 60),
    SuiteEntry(Problem.replay({"a": [1, 0, 1, 1], "b": [0, 0, 1, 0]}, 0.5, name="replayed"), (4, 6), 60),
]


@pytest.fixture(scope="module")
def played() -> League:
    return league(ENTRIES, seed=3)


def test_the_tables_hold_every_cell_once(played: League) -> None:
    assert [len(table.rows) for table in tables(played)] == [11, 4, 2, 4, len(played.lost())]
    for table in tables(played):
        assert all(len(row) == len(table.headers) for row in table.rows)


def test_every_column_has_its_own_head_and_an_interval_goes_with_its_number(played: League) -> None:
    for table in tables(played):
        assert len(set(table.headers)) == len(table.headers)
    for table in (nearest(played), lost(played)):
        first, *_ = table.dropped
        assert [table.headers[i] for i in first] == ["difference", "95 % interval of the difference"]  # type: ignore[union-attr]


def test_numbers_stand_where_their_headers_say(played: League) -> None:
    cell = next(c for c in played.cells if (c.problem, c.budget, c.policy) == ("linear:K=6", 30, "fwt"))
    table = mistakes(played)
    row = next(r for r in table.rows if r[:2] == ["linear:K=6", "30"])
    assert row[table.headers.index("fwt")] == f"{cell.mean:.4g}"
    ours = next(c for c in played.cells if (c.problem, c.budget, c.policy) == ("linear:K=6", 30, "stopping"))
    assert row[-3:] == [f"{ours.limit:.4g}", f"{ours.over_limit:.3f}", "integer"]
    assert mistakes(played).rows[-1][-1] == "pool"


def test_the_distance_of_every_policy_from_the_limit_is_shown(played: League) -> None:
    table = distances(played)
    cells = [c for c in played.cells if (c.problem, c.policy) == ("linear:K=6", "fwt")]
    ratio = math.sqrt(math.prod(c.mean / c.limit for c in cells if c.limit))
    assert table.rows[0][table.headers.index("fwt")] == f"{ratio:.3f}"
    assert [row[0] for row in table.rows] == ["linear:K=6", "replayed"]
    assert table.headers[-4:] == ["oracle", "static-optimum", "sprt", "kind of limit"]


def test_a_budget_without_a_mistake_of_some_policy_counts_for_none(played: League) -> None:
    clean = [replace(c, mean=0.0) if (c.budget, c.policy) == (30, "apt") else c for c in played.cells]
    known = League(clean, [], 3).over_limit("fwt")
    [first] = (c for c in played.cells if (c.problem, c.budget, c.policy) == ("linear:K=6", 12, "fwt"))
    assert known["linear:K=6"] == pytest.approx(first.over_limit)
    assert known["linear:K=6"] != pytest.approx(played.over_limit("fwt")["linear:K=6"])


def test_a_narrow_terminal_leaves_out_built_in_policies_before_the_users_own(played: League) -> None:
    cells = [replace(c, policy="my.Policy") if c.policy == "apt" else c for c in played.cells]
    for table in (mistakes(League(cells, [], 3)), distances(League(cells, [], 3))):
        *first, last = (table.headers[i] for i in table.dropped if isinstance(i, int))
        assert (last, "lsa" in first) == ("my.Policy", True)


def test_a_problem_without_a_limit_has_no_distance() -> None:
    shared = SuiteEntry(Problem.named("shared-items:K=4,N=9"), (8, 12), 20)
    alone = league([shared], seed=3)
    assert distances(alone).rows == []
    assert mistakes(alone).rows[0][-3:] == ["–", "–", ""]
    assert standings(alone).rows[0] == ["stopping", "1.000", "", "2", "–", ""]


def test_the_nearest_rival_made_the_fewest_mistakes_of_those_that_know_no_more(played: League) -> None:
    cells = [c for c in played.cells if (c.problem, c.budget) == ("linear:K=6", 12) and not c.knows_gaps]
    best = min((c for c in cells if c.policy != "stopping"), key=lambda c: c.mean)
    row = next(r for r in nearest(played).rows if r[:2] == ["linear:K=6", "12"])
    assert row[2:4] == [best.policy, f"{best.mean:.4g}"]


def test_those_that_know_the_gaps_are_marked(played: League) -> None:
    marks = {row[0]: row[-1] for row in standings(played).rows}
    assert marks["oracle"] == marks["sprt"] == "knows the gaps"
    assert marks["lsa"] == ""
    assert not {row[2] for row in lost(played).rows} & {"oracle", "static-optimum", "sprt"}


def test_the_files_say_the_same(played: League, tmp_path: Path) -> None:
    paths = write_league(played, tmp_path)
    assert [path.name for path in paths] == ["league.csv", "league.json", "league.md", "league.png", "league.svg"]
    assert all(path.stat().st_size > 500 for path in paths)
    with paths[0].open(newline="") as file:
        rows = list(csv.DictReader(file))
    document = json.loads(paths[1].read_text())
    assert len(rows) == len(document["cells"]) == len(played.cells)
    assert float(rows[3]["mean"]) == document["cells"][3]["mean"] == played.cells[3].mean
    text = paths[2].read_text()
    assert text.startswith("# League")
    assert f"| {document['standings'][0]['policy']} | {document['standings'][0]['ratio']:.3f} |" in text
