"""A run spends its budget exactly, tells every outcome once, and stops with a sentence."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from thresher.campaign import Campaign
from thresher.errors import InvalidInputError, InvalidOutcomeError, UnknownNameError
from thresher.run import Finished, Run, RunSpec
from thresher.run.enrolment import fingerprint
from thresher.run.loop import FailingCommandError

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
    with closing(Run(spec(tmp_path, jobs=2, budget=20), same=True)) as other:
        assert other.go().measured == 20 - kept
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
    command = "echo {arm} >> log; test {arm} = quick || sleep 0.25; test $(($(wc -l < log) % 2)) = 0"
    done = run(spec(tmp_path, arms=["quick", "slow"], command=command, cost="duration", budget=1.5))
    pulls = {row.arm: row.pulls for row in done.verdicts}
    assert done.measured == sum(pulls.values()) == len(log(tmp_path))
    assert pulls["quick"] > 2 * pulls["slow"]
    assert done.standing.spent <= 1.5


def test_a_cost_in_the_output_is_charged_as_it_comes(tmp_path: Path) -> None:
    for arm, dollars in (("good", 0.25), ("bad", 0.5)):
        (tmp_path / f"{arm}.json").write_text(json.dumps({"usage": {"usd": dollars}}))
    done = run(spec(tmp_path, command=f"cat ./{{arm}}.json; {GRADE}", cost="json:usage.usd", budget=3.0))
    pulls = {row.arm: row.pulls for row in done.verdicts}
    assert done.measured == sum(pulls.values()) == len(log(tmp_path))
    assert done.standing.spent == 0.25 * pulls["good"] + 0.5 * pulls["bad"] <= 3.0
    assert 3.0 - done.standing.spent < 0.25  # no arm can be paid
    Campaign.open(f"sqlite:///{tmp_path}/x.db", "x").verify()


def test_costs_that_grow_stay_within_the_budget_and_what_is_beyond_is_told(tmp_path: Path) -> None:
    command = "echo {arm} >> log; wc -l < log; true"  # the first costs 1, the second 2, …
    done = run(spec(tmp_path, command=command, cost="last-line", budget=10, arms=["good"]))
    assert (done.measured, done.standing.spent, done.unpaid) == (4, 10, 0)  # 1 + 2 + 3 + 4
    assert run(spec(tmp_path, command=command, cost="last-line", budget=12, arms=["good"])).unpaid == 3  # 5, of which 2
    assert len(log(tmp_path)) == 5


def test_a_function_returns_what_it_has_cost(tmp_path: Path) -> None:
    (tmp_path / "priced.py").write_text("def measure(arm):\n    return arm == 'good', 0.5\n")
    done = run(spec(tmp_path, command="", function="priced:measure", cost="returned", budget=4))
    assert (done.measured, done.standing.spent) == (8, 4)
    assert [row.verdict for row in done.verdicts] == ["above", "below"]


def test_items_with_a_cost_need_what_to_reserve(tmp_path: Path) -> None:
    given: dict[str, Any] = {"command": "echo 0.25; true {item}", "cost": "last-line", "items": 4}
    with pytest.raises(InvalidInputError, match="every arm must have a pull_cost"):
        run(spec(tmp_path, **given))
    (tmp_path / "arms.csv").write_text("arm,pull_cost\na,1\nb,1\n")
    done = run(spec(tmp_path, **given, arms=[], arms_file="arms.csv", budget=8))
    assert done.standing.spent == 0.25 * done.measured
    assert {row.arm: row.verdict for row in done.verdicts} == {"a": "above", "b": "above"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"command": "echo -1", "cost": "last-line"}, "has an invalid cost: cost is -1; must be a number from 0"),
        ({"command": "echo dear", "cost": "last-line"}, "'dear', which is not a number"),
        ({"command": "true", "cost": "json:usd"}, "printed nothing"),
        ({"command": "sleep 60", "cost": "last-line", "timeout": 0.1, "timeout_outcome": 0}, "its cost is not known"),
    ],
)
def test_a_measurement_without_a_valid_cost_is_none(tmp_path: Path, given: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidOutcomeError, match=says):
        run(spec(tmp_path, **given))


def test_time_as_outcome(tmp_path: Path) -> None:
    done = run(spec(tmp_path, command="sleep {seconds}", arms=[], matrix={"seconds": [0, 0.8]}, outcome="duration",
                    bar=0.6, budget=6, timeout=60))  # fmt: skip
    assert [(row.arm, row.verdict) for row in done.verdicts] == [("seconds=0", "below"), ("seconds=0.8", "above")]


def test_a_function_is_measured_where_the_spec_is(tmp_path: Path) -> None:
    (tmp_path / "judge_it.py").write_text("def measure(arm, size):\n    return size > 1\n")
    done = run(spec(tmp_path, command="", function="judge_it:measure", arms=[], matrix={"size": [1, 2]}, budget=4))
    assert [row.verdict for row in done.verdicts] == ["below", "above"]


def test_leases_are_renewed_while_measurements_take_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.run.loop.HEARTBEATS_PER_LEASE", 200.0)
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


def test_a_changed_measurement_needs_a_word(tmp_path: Path) -> None:
    run(spec(tmp_path, budget=4))
    kept, changed = len(log(tmp_path)), f"{GRADE} # not this one"
    with pytest.raises(InvalidInputError, match="measurement is 'command'; must be as in the earlier runs"):
        run(spec(tmp_path, command=changed, budget=8))
    assert len(log(tmp_path)) == kept
    with closing(Run(spec(tmp_path, command=changed, budget=8), same=True)) as other:
        assert other.go().standing.spent == 8
    assert run(spec(tmp_path, command=changed, budget=9)).measured == 1  # known from now on
    assert run(spec(tmp_path, budget=10)).measured == 1
    with closing(Run(spec(tmp_path, command="true", budget=6), fresh=True)) as other:
        finished = other.go()
    assert (finished.measured, finished.standing.name.endswith(" (2)")) == (6, True)
    assert run(spec(tmp_path, command="true", budget=7)).measured == 1  # the newest goes on


def test_a_measurement_without_an_outcome_can_be_corrected(tmp_path: Path) -> None:
    module = tmp_path / "corrected.py"
    module.write_text("def measure(arm):\n    raise OSError\n")
    for wrong in ({"function": "corrected:measur"}, {"function": "corrected:measure"}, {"command": "nonexist {arm}"}):
        with pytest.raises(InvalidOutcomeError, match="fix it and run again"):
            run(spec(tmp_path, **{"command": ""} | wrong))
    module.write_text("def measure(arm):\n    return 1\n")
    assert run(spec(tmp_path, command="", function="corrected:measure")).measured == 10
    with pytest.raises(InvalidInputError, match="outcomes would be mixed"):  # it has given no outcome
        run(spec(tmp_path, command="nonexist {arm}", budget=12))


def test_of_two_runs_at_a_time_only_one_measurement_tells_outcomes(tmp_path: Path) -> None:
    with closing(Run(spec(tmp_path, budget=4))) as one, closing(Run(spec(tmp_path, command="true", budget=4))) as other:
        assert one.go().measured == 4
        Campaign.open(f"sqlite:///{tmp_path}/x.db", "x").extend(2)
        with pytest.raises(InvalidInputError, match="outcomes would be mixed"):
            other.go()
        assert other.measured == 0


def test_a_changed_function_is_a_changed_measurement(tmp_path: Path) -> None:
    module = tmp_path / "graded.py"
    module.write_text("def measure(arm):\n    return 1\n")
    before = spec(tmp_path, command="", function="graded:measure", budget=4)
    parts = fingerprint(before)
    module.write_text("def measure(arm):  # a comment\n    return 1\n")
    assert fingerprint(before) == parts
    module.write_text("def measure(arm):\n    return 0\n")
    assert {part for part, _ in {*fingerprint(before)} - {*parts}} == {"source of the function"}


def test_a_command_that_fails_on_every_arm_is_stopped(tmp_path: Path) -> None:
    wrong = spec(tmp_path, command="echo no such model >&2; exit 1", budget=30)
    with pytest.raises(FailingCommandError, match=r"first 8 measurements all failed: .*exit code 1: 'no such model'"):
        run(wrong)
    with closing(Run(wrong, may_fail=True)) as other:
        assert other.go().standing.spent == 30
    silent = spec(tmp_path, name="silent", command="exit 1", budget=30)
    assert run(silent).measured == 30  # a check that fails prints nothing


def test_a_run_ends_when_its_campaign_is_paused_and_keeps_the_outcomes(tmp_path: Path) -> None:
    pause = f"from thresher.campaign import Campaign; Campaign.open('sqlite:///{tmp_path}/x.db', 'x').pause()"
    module = tmp_path / "pausing.py"
    module.write_text(f"def measure(arm):\n    {pause}\n    return 1\n")
    wanted = spec(tmp_path, command="", function="pausing:measure")
    with pytest.raises(
        InvalidInputError, match=r"campaign 'x' is 'paused'; must be open .* stored 1 outcome; .*resume\(\)"
    ):
        run(wanted)
    campaign = Campaign.open(f"sqlite:///{tmp_path}/x.db", "x")
    assert (campaign.spent, campaign.outstanding) == (1, 0)
    campaign.disconnect()
