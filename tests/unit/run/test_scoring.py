"""A judge that scores all answers before the first measurement: real commands and functions, within a budget."""

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thresher.campaign import Campaign
from thresher.errors import InvalidInputError, InvalidOutcomeError
from thresher.run import Finished, Run, RunSpec, load_spec
from thresher.run.enrolment import Enrolment

# The judge appends what it scored to a file: one line for each call.
JUDGE = "echo {arm} {item} >> calls; echo 0.25"


def spec_in(folder: Path, **more: Any) -> RunSpec:
    """Return a run of two arms on six items that measures nothing but `true`."""
    given: dict[str, Any] = {
        "command": "true",
        "proxy_command": JUDGE,
        "budget": 4,
        "items": 6,
    } | more
    kept = {key: value for key, value in given.items() if value is not None}
    return RunSpec(name="graded", bar=0.5, arms=("a", "b"), folder=folder, db=f"sqlite:///{folder}/x.db", **kept)


def finished(spec: RunSpec) -> Finished:
    with closing(Run(spec)) as run:
        return run.go()


def calls_in(folder: Path) -> list[str]:
    path = folder / "calls"
    return path.read_text().splitlines() if path.exists() else []


def scores_of(spec: RunSpec) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    with closing(Enrolment(spec, spec.planned_arms())) as enrolment:
        return enrolment.scores()[0]


def test_every_answer_is_scored_once_and_first(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, command="test $(wc -l < calls) = 12", jobs=3)
    found = finished(spec)
    assert sorted(calls_in(tmp_path)) == sorted(f"{arm} {item}" for arm in "ab" for item in range(1, 7))
    assert found.scored == (12, 12, 0, "")
    assert found.measured == 4
    assert {row.mean for row in found.verdicts} == {1.0}, "all scores were there before the first measurement"
    assert (scores_of(spec) == 0.25).all()
    finished(spec)
    assert len(calls_in(tmp_path)) == 12, "a stored score is not computed again"


def test_the_budget_of_scores_holds_for_all_runs_together_and_is_shared_by_the_arms(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, proxy_budget=4)
    assert finished(spec).scored == (4, 4, 0, "")
    assert sorted(line[0] for line in calls_in(tmp_path)) == [*"aabb"]
    finished(spec)
    assert len(calls_in(tmp_path)) == 4
    finished(spec_in(tmp_path, proxy_budget=6, budget=5))
    assert len(set(calls_in(tmp_path))) == len(calls_in(tmp_path)) == 6


def test_the_same_answers_are_scored_in_one_run_and_in_two(tmp_path: Path) -> None:
    once, twice = tmp_path / "once", tmp_path / "twice"
    for folder, budgets in ((once, (6,)), (twice, (3, 6))):
        folder.mkdir()
        for budget in budgets:
            finished(spec_in(folder, proxy_budget=budget, budget=budget))
    assert set(calls_in(once)) == set(calls_in(twice)), "a run goes on where the one before it ended"


# Returns only when all answers that were scored before are stored.
PATIENT = """
import json, sqlite3, time
from contextlib import closing
from pathlib import Path

calls = []

def score(arm, item):
    calls.append(item)
    end = time.monotonic() + 60
    while stored() < len(calls) - 1:
        assert time.monotonic() < end, "a score was not stored"
        time.sleep(0.01)
    return 0.5

def stored():
    path = Path(__file__).with_name("x.db")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        bodies = db.execute("SELECT body FROM event WHERE kind = 'proxy-told'").fetchall()
    return sum(len(items) for (body,) in bodies for _, items, _ in json.loads(body)["scores"])
"""


def test_the_scores_of_a_slow_judge_are_stored_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.run.scoring.STORED_EVERY", 1e9)
    (tmp_path / "a_patient_judge.py").write_text(PATIENT)
    spec = spec_in(tmp_path, proxy_command=None, proxy_function="a_patient_judge:score", retries=0)
    assert finished(spec).scored == (12, 12, 0, "")


def test_a_function_scores_and_an_answer_without_a_score_is_an_average_one(tmp_path: Path) -> None:
    code = "def score(arm, item):\n    assert item != '3', 'no idea'\n    return int(item) / 10\n"
    (tmp_path / "a_judge_of_tests.py").write_text(code)
    spec = spec_in(tmp_path, proxy_command=None, proxy_function="a_judge_of_tests:score", retries=0)
    found = finished(spec)
    assert found.scored == (10, 12, 2, "raised AssertionError: no idea")
    assert np.isnan(scores_of(spec)[:, 2]).all()
    assert scores_of(spec)[0, 0] == 0.1


@pytest.mark.parametrize(("judge", "says"), [("no-such-judge", "was not found"), ("exit 1", "failed with exit code 1")])
def test_a_judge_that_cannot_work_ends_the_run_before_anything_is_measured(
    tmp_path: Path, judge: str, says: str
) -> None:
    with pytest.raises(InvalidOutcomeError, match=says):
        finished(spec_in(tmp_path, proxy_command=judge, retries=0))
    assert Campaign.open(f"sqlite:///{tmp_path}/x.db", "graded").standing.told == 0


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"proxy": "judge.csv"}, "proxy_command .*at most one of proxy, proxy_command, proxy_function"),
        ({"proxy_function": "m:f"}, "proxy_function .*proxy_command is there too"),
        ({"proxy_command": None, "proxy_budget": 3}, "proxy_budget is 3.*must come with proxy_command"),
        ({"proxy_budget": 0}, "proxy_budget is 0.*at least 1"),
        ({"items": ""}, "proxy_command .*must come with items"),
        (
            {"proxy_command": None, "proxy_function": "m:f", "proxy_outcome": "exit"},
            "proxy_outcome is 'exit'.*left out",
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, given: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        spec_in(tmp_path, **given)


def test_a_wrong_command_is_refused_with_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "graded.toml"
    path.write_text('bar = 0.5\nbudget = 4\narms = ["a"]\nitems = 2\ncommand = "true"\nproxy_command = "judge {no}"\n')
    with pytest.raises(InvalidInputError, match=r"line 6: proxy_command"):
        load_spec(path)
