import math
from pathlib import Path

import numpy as np
import pytest

from thresher.errors import ExperimentError, InvalidInputError
from thresher.problem import Problem
from thresher.research.league.leagues import League, LeagueCell, league, league_of, slug
from thresher.research.league.suite import VERSION, SuiteEntry
from thresher.research.simulation import simulate

ENTRIES = [
    SuiteEntry(Problem.named("linear:K=6"), (12, 30), 200),
    SuiteEntry(Problem.named("gaussian-population:K=6,tau=0.5"), (12, 30), 100),
]


@pytest.fixture(scope="module")
def played() -> League:
    return league(ENTRIES, seed=3)


def test_every_policy_plays_every_problem_at_every_budget(played: League) -> None:
    assert played.problems == ["linear:K=6", "gaussian-population:K=6,tau=0.5"]
    assert len(played.cells) == 10 * 2 + 7 * 2
    assert {cell.runs for cell in played.cells if cell.problem == "linear:K=6"} == {200}
    assert [s.policy for s in played.standings][-3:] == ["oracle", "static-optimum", "sprt"]


def test_a_cell_is_what_simulate_says(played: League) -> None:
    alone = simulate("linear:K=6", ["stopping", "lsa"], budgets=[30], runs=200, seed=3)
    cell = next(c for c in played.cells if (c.problem, c.budget, c.policy) == ("linear:K=6", 30, "lsa"))
    paired = alone.compare("stopping", "lsa")[0]
    assert cell.mean == alone.losses("lsa").mean()
    assert (cell.difference, cell.low, cell.high) == (paired.difference, paired.low, paired.high)
    assert cell.ratio == paired.ratio
    assert cell.limit_kind == "integer"
    assert cell.over_limit == pytest.approx(cell.mean / cell.limit)  # type: ignore[operator]


def test_a_standing_is_the_geometric_mean_of_the_ratios(played: League) -> None:
    lsa = next(s for s in played.standings if s.policy == "lsa")
    ratios = [cell.ratio for cell in played.cells if cell.policy == "lsa"]
    assert lsa.cells == 4
    assert lsa.ratio == pytest.approx(math.exp(np.log(ratios).mean()))
    assert lsa.low < lsa.ratio < lsa.high


@pytest.mark.nightly
def test_the_interval_of_a_standing_is_that_of_repeated_leagues() -> None:
    # Four cells that share their runs and nearly their pulls: taken as independent they would seem twice as sure. The
    # spread over 100 seeds has a standard error of 7 %: a factor of 1.4 is near five of them (2e-6).
    entry = [SuiteEntry(Problem.bernoulli([0.2, 0.3, 0.45, 0.6, 0.35, 0.5], thresholds=0.4), (30, 32, 34, 36), 100)]
    found = []
    for seed in range(100):
        result = simulate(entry[0].problem, ["stopping", "apt"], budgets=entry[0].budgets, runs=100, seed=seed)
        found.append(league_of(entry, [result], seed=seed).standings[0])
    spread = np.std([math.log(s.ratio) for s in found], ddof=1)
    stated = np.mean([(math.log(s.high) - math.log(s.low)) / (2 * 1.96) for s in found])
    assert 1 / 1.4 < spread / stated < 1.4


def test_the_neighbours_stand_next_to_the_others() -> None:
    entry = SuiteEntry(Problem.bernoulli([0.2, 0.3, 0.45, 0.6, 0.8]), (60, 90), 40, "all")
    whole = league([entry], seed=3)
    alone = simulate(entry.problem, ["stopping", "csar"], budgets=[90], runs=40, seed=3)
    csar = next(c for c in whole.cells if (c.policy, c.budget) == ("csar", 90))
    assert csar.mean == alone.losses("csar").mean()
    assert {c.policy for c in whole.cells if c.knows_gaps} == {"oracle", "static-optimum", "sprt", "ucbe"}
    assert set(whole.policies) == set(entry.policies)


def cell(**more: object) -> LeagueCell:
    plain = {
        "problem": "p", "budget": 10.0, "policy": "lsa", "knows_gaps": False, "runs": 5, "mean": 1.0, "stderr": 0.1,
        "difference": -0.1, "low": -0.2, "high": 0.0, "ratio": 0.9, "ratio_low": 0.8, "ratio_high": 1.0,
        "limit": 0.5, "limit_kind": "integer",
    }  # fmt: skip
    return LeagueCell(**(plain | more))  # type: ignore[arg-type]


def test_a_cell_is_lost_to_those_that_know_no_more() -> None:
    assert not cell().is_lost
    assert cell(difference=0.1, low=-0.1).is_lost
    assert not cell(difference=0.1, low=-0.1).is_lost_for_sure
    assert cell(difference=0.1, low=0.05).is_lost_for_sure
    assert not cell(difference=0.1, low=0.05, knows_gaps=True).is_lost


def test_the_surest_loss_stands_first() -> None:
    cells = [cell(difference=0.1, low=-0.1), cell(), cell(difference=0.2, low=0.19), cell(difference=9.0, low=1.0)]
    assert [each.difference for each in League(cells, [], 0).lost()] == [0.2, 9.0, 0.1]


def test_a_policy_without_mistakes_has_no_ratio_and_leaves_its_cell_out(played: League) -> None:
    assert cell(ratio=math.nan).to_dict()["ratio"] is None
    easy = SuiteEntry(Problem.gaussian([9.0, -9.0], name="easy"), (2, 4), 20)
    assert [s.cells for s in league([easy]).standings] == [0] * 9


def test_an_interrupted_league_goes_on_from_its_folder(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    first = league(ENTRIES, runs=20, out=tmp_path, progress=lambda done, whole: steps.append((done, whole)))
    assert steps[-1] == (200, 200)
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [
        "gaussian-population-K=6-tau=0.5.db",
        "linear-K=6.db",
    ]
    again = league(ENTRIES, runs=20, out=tmp_path)
    assert again.cells == first.cells
    with pytest.raises(ExperimentError, match="another experiment"):
        league(ENTRIES, runs=20, seed=1, out=tmp_path)


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ExperimentError, match="cannot make the folder"):
        league(ENTRIES, out=tmp_path / "file")


def test_a_part_of_the_suite_is_played_with_policies_of_the_callers_own() -> None:
    part = league(problems=["one-hard-few", "locatelli-1"], extra=["kg"], runs=2)
    assert part.suite == VERSION
    assert part.problems == ["locatelli-1", "one-hard-few"]
    assert {cell.problem for cell in part.cells if cell.policy == "kg"} == {"locatelli-1"}  # it plays 0/1 outcomes


def test_names_become_files() -> None:
    assert slug("constant:K=50,gap=0.3") == "constant-K=50-gap=0.3"
    assert slug("../a b") == "..-a-b"


def test_a_league_needs_two_runs_for_its_intervals() -> None:
    with pytest.raises(InvalidInputError, match="runs is 1; must be a whole number, at least 2"):
        league(ENTRIES, runs=1)
