"""A run spends its budget exactly, tells every outcome once, and stops with a sentence."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from thresher.errors import InvalidInputError, InvalidOutcomeError, UnknownNameError
from thresher.live import Campaign
from thresher.runner import Finished, Run, RunSpec

GRADE = "echo {arm} >> log; test {arm} = good"  # one line for each measurement that was paid for


def spec(folder: Path, **changes: Any) -> RunSpec:
    """Return a spec of a command that leaves a line in `log` for each measurement."""
    least: dict[str, Any] = {
        "name": "x", "bar": 0.5, "budget": 10, "command": GRADE, "arms": ["good", "bad"], "folder": folder,
        "db": f"sqlite:///{folder}/x.db", "retries": 0,
    }  # fmt: skip
    return RunSpec(**(least | changes))


def run(wanted: RunSpec) -> Finished:
    """Run it."""
    with closing(Run(wanted)) as made:
        return made.go()


def log(folder: Path) -> list[str]:
    """Return what was measured."""
    return (folder / "log").read_text().split()


@pytest.mark.parametrize("jobs", [1, 4])
def test_the_budget_is_spent_exactly_whatever_the_number_of_jobs(tmp_path: Path, jobs: int) -> None:
    done = run(spec(tmp_path, jobs=jobs, budget=12))
    assert len(log(tmp_path)) == done.measured == done.standing.spent == 12
    assert {row.arm: (row.verdict, row.mean) for row in done.verdicts} == {
        "good": ("above", 1.0),
        "bad": ("below", 0.0),
    }
    Campaign.open(f"sqlite:///{tmp_path}/x.db", "x").verify()


def test_a_second_run_measures_nothing_and_a_larger_budget_only_the_rest(tmp_path: Path) -> None:
    run(spec(tmp_path))
    assert run(spec(tmp_path)).measured == 0
    assert run(spec(tmp_path, budget=13)).measured == 3
    assert len(log(tmp_path)) == 13


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"command": "no-such-program {arm}"}, "no-such-program {arm} was not found"),
        ({"command": "true {arm}", "outcome": "last-line"}, "printed nothing"),
        ({"command": "echo nan", "outcome": "last-line"}, "'nan', which is not a number"),
        ({"command": "echo 0.5", "outcome": "last-line"}, "0.5 is neither 0 nor 1"),
        ({"command": "sleep 60", "timeout": 0.2}, r"took longer than 0.2 s"),
        ({"command": "kill -9 $$"}, "was killed by SIGKILL"),
        ({"command": "kill -9 $$", "retries": 1}, "was killed by SIGKILL (tried 2 times)"),
        ({"command": "exit 3", "outcome": "duration"}, "failed with exit code 3"),
    ],
)
def test_an_arm_that_cannot_be_measured_stops_the_run_with_a_sentence(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidOutcomeError, match="all outcomes so far are kept") as caught:
        run(spec(tmp_path, **changes))
    assert says in str(caught.value)
    assert "the arm 'good'" in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"arms": ["good", "-c"]},
        {"arms": ["good", "-c"], "cost": "duration"},
        {"arms": (), "matrix": {"size": [1, -1]}, "command": "echo {arm} >> log; test {size} = 1"},
    ],
)
def test_a_value_that_would_be_an_option_is_refused_before_anything_is_measured(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInputError, match="must not begin with '-'"):
        run(spec(tmp_path, **changes))
    assert list(tmp_path.iterdir()) == []


def test_what_was_measured_before_the_fault_is_kept_and_not_measured_again(tmp_path: Path) -> None:
    (tmp_path / "works").touch()
    command = "test -e works || kill -9 $$; echo {arm} >> log; test $(wc -l < log) -lt 7 || rm works; true"
    with pytest.raises(InvalidOutcomeError, match="SIGKILL"):
        run(spec(tmp_path, command=command, jobs=2, budget=20))
    kept = len(log(tmp_path))
    assert 7 <= kept <= 8
    (tmp_path / "works").touch()
    assert run(spec(tmp_path, jobs=2, budget=20)).measured == 20 - kept
    assert len(log(tmp_path)) == 20


def test_a_retired_arm_leaves_its_budget_to_the_others(tmp_path: Path) -> None:
    done = run(spec(tmp_path, arms=["good", "broken", "bad"], command=f"test {{arm}} != broken || kill -9 $$; {GRADE}",
                    on_error="retire"))  # fmt: skip
    assert done.measured == 10
    assert done.given_up == {"broken": "was killed by SIGKILL"}
    assert [(row.verdict, row.retired) for row in done.verdicts][1] == ("undecided", True)


def test_retries_are_not_observations(tmp_path: Path) -> None:
    done = run(spec(tmp_path, arms=["good"], command=f"{GRADE}; test $(($(wc -l < log) % 2)) = 0 || kill -9 $$",
                    retries=1, budget=4))  # fmt: skip
    assert (done.measured, len(log(tmp_path))) == (4, 8)


def test_time_as_cost_buys_more_of_what_is_quick(tmp_path: Path) -> None:
    command = "echo {arm} >> log; test {arm} = quick || sleep 0.5; test $(($(wc -l < log) % 2)) = 0"
    done = run(spec(tmp_path, arms=["quick", "slow"], command=command, cost="duration", budget=3.0))
    pulls = {row.arm: row.pulls for row in done.verdicts}
    assert done.measured == sum(pulls.values()) == len(log(tmp_path))
    assert pulls["quick"] > 2 * pulls["slow"]
    assert done.standing.spent <= 3.0


def test_time_as_outcome(tmp_path: Path) -> None:
    done = run(spec(tmp_path, command="sleep {seconds}", arms=[], matrix={"seconds": [0, 0.8]}, outcome="duration",
                    bar=0.6, budget=6, timeout=60))  # fmt: skip
    assert [(row.arm, row.verdict) for row in done.verdicts] == [("seconds=0", "below"), ("seconds=0.8", "above")]


def test_a_function_is_measured_where_the_spec_is(tmp_path: Path) -> None:
    (tmp_path / "judge_it.py").write_text("def measure(arm, size):\n    return size > 1\n")
    done = run(spec(tmp_path, command="", function="judge_it:measure", arms=[], matrix={"size": [1, 2]}, budget=4))
    assert [row.verdict for row in done.verdicts] == ["below", "above"]


def test_leases_are_renewed_while_measurements_take_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.runner.loop.HEARTBEATS_PER_LEASE", 200.0)
    under_way = Run(spec(tmp_path, command=f"until test -e enough; do sleep 0.05; done; {GRADE}", budget=2, jobs=2))

    def watch(_: Run) -> None:
        assert under_way.campaign is not None
        if [entry.kind for entry in under_way.campaign.history()].count("renewed") >= 2:
            (tmp_path / "enough").touch()

    with closing(under_way):
        done = under_way.go(watch)
    assert (done.measured, done.standing.late, len(log(tmp_path))) == (2, 0, 2)


def test_ctrl_c_ends_what_runs_and_gives_its_budget_back(tmp_path: Path) -> None:
    under_way = Run(spec(tmp_path, command="echo x >> log; sleep 600", jobs=2))

    def watch(_: Run) -> None:
        if (tmp_path / "log").exists() and len(log(tmp_path)) == 2:
            raise KeyboardInterrupt  # as Ctrl-C does, in the thread that watches

    with pytest.raises(KeyboardInterrupt):
        under_way.go(watch)
    assert under_way.campaign is not None
    assert (under_way.campaign.outstanding, under_way.campaign.spent) == (0, 0)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"arms": ["a", "a"]}, InvalidInputError),
        ({"command": "grade {amr}"}, UnknownNameError),
        ({"outcome": "stdout"}, InvalidInputError),
        ({"budget": 1}, InvalidInputError),
        ({"rate": "often"}, InvalidInputError),
        ({"command": "", "function": "m:f", "outcome": "last-line"}, InvalidOutcomeError),
        ({"db": "thresher.db"}, InvalidInputError),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_measured(
    tmp_path: Path, changes: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        run(spec(tmp_path, **changes))
    assert not (tmp_path / "log").exists()


def test_the_watcher_sees_what_goes_on(tmp_path: Path) -> None:
    seen: list[int] = []
    Run(spec(tmp_path, command="sleep 0.3; true", budget=4)).go(lambda each: seen.append(each.measured))
    assert seen == sorted(seen)
    assert seen[0] < seen[-1] <= 4
