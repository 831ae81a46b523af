import csv
import json
from pathlib import Path

import pytest

from thresher.experiment.league_files import limits, lost, mistakes, nearest, standings, tables, write_league
from thresher.experiment.leagues import League, league
from thresher.experiment.suite import SuiteEntry
from thresher.problem import Problem

ENTRIES = [
    SuiteEntry(Problem.named("linear:K=6"), (12, 30), 60),
    SuiteEntry(Problem.replay({"a": [1, 0, 1, 1], "b": [0, 0, 1, 0]}, 0.5, name="replayed"), (4, 6), 60),
]


@pytest.fixture(scope="module")
def played() -> League:
    return league(ENTRIES, seed=3)


def test_the_tables_hold_every_cell_once(played: League) -> None:
    assert [len(table.rows) for table in tables(played)] == [9, 4, 4, 4, len(played.lost())]
    for table in tables(played):
        assert all(len(row) == len(table.headers) for row in table.rows)


def test_numbers_stand_where_their_headers_say(played: League) -> None:
    cell = next(c for c in played.cells if (c.problem, c.budget, c.policy) == ("linear:K=6", 30, "fwt"))
    table = mistakes(played)
    row = next(r for r in table.rows if r[:2] == ["linear:K=6", "30"])
    assert row[table.headers.index("fwt")] == f"{cell.mean:.4g}"
    ours = next(c for c in played.cells if (c.problem, c.budget, c.policy) == ("linear:K=6", 30, "stopping"))
    row = next(r for r in limits(played).rows if r[:2] == ["linear:K=6", "30"])
    assert row[-3:] == [f"{ours.limit:.4g}", f"{ours.over_limit:.3f}", "integer"]
    assert limits(played).rows[-1][-3:] == ["–", "–", ""]


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
