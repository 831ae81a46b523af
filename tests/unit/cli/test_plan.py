"""``thresher plan``: from assumptions, from a pilot, from a named problem."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thresher.cli.main import main


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["plan", *words])
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    """Return a file of outcomes: 40 arms with 25 runs each, rates around 0.7."""
    random = np.random.default_rng(0)
    rows = [f"t{k},{int(random.random() < rate)}" for k, rate in enumerate(random.beta(7, 3, 40)) for _ in range(25)]
    (tmp_path / "runs.csv").write_text("test,ok\n" + "\n".join(rows) + "\n")
    return tmp_path / "runs.csv"


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    document = json.loads(capsys.readouterr().out)
    assert isinstance(document, dict)
    return document


@pytest.mark.nightly
def test_a_pilot_gives_a_budget_and_a_picture(pilot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = pilot.with_suffix(".svg")
    words = ["--pilot", str(pilot), "--arm-column", "test", "--outcome-column", "ok", "--bar", "0.8", "--runs", "50"]
    assert call(*words, "--mistakes", "4", "--plot", str(picture)) == 0
    shown = capsys.readouterr()
    assert "The pilot has 1,000 outcomes of 40 arms." in shown.err
    assert "Budget for 4 mistakes among 40 arms (pilot: 50 runs)" in shown.out
    drawn = picture.read_text()
    assert drawn.count('id="axes_') == 1
    for label in ("target: 4 mistakes", " × fewer", "thresher (stopping): ", "even sampling: "):
        assert label in drawn


def test_assumptions_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--arms", "12", "--bar", "0.8", "--spread", "0.5", "--runs", "4") == 0
    about = "assumed: gaussian outcomes, sigma 1, bar 0.8, centre 0.8, spread 0.5, 4 runs"
    assert capsys.readouterr().out.splitlines()[0] == f"Budget for 1 mistake among 12 arms ({about})"
    rates = ["--arms", "12", "--family", "bernoulli", "--bar", "0.8", "--centre", "0.7", "--spread", "0.2"]
    assert call(*rates, "--runs", "4") == 0
    title = "Budget for 1 mistake among 12 arms (assumed: bernoulli outcomes, bar 0.8, centre 0.7, spread 0.2, 4 runs)"
    assert capsys.readouterr().out.splitlines()[0] == title


def test_a_pilot_may_stand_for_more_arms_than_it_has(pilot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--pilot", str(pilot), "--arm-column", "test", "--outcome-column", "ok", "--bar", "0.8", "--runs", "50"]
    assert call(*words, "--arms", "80", "--mistakes", "8", "--json") == 0
    document = printed(capsys)
    assert document["problem"] == {"name": "pilot", "family": "bernoulli", "arms": 80}
    stopping, uniform = (need["budget"] for need in document["needs"])
    assert 80 <= stopping < uniform


def test_costs_go_to_the_arms_in_turn(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--arms", "10", "--spread", "1", "--runs", "50", "--json"]
    assert call(*words, "--mistakes", "1") == 0
    plain = printed(capsys)
    # A cent for each measurement: the same plan with a hundredth of the budget, and mistakes that cost double.
    assert call(*words, "--mistakes", "2", "--pull-cost", "0.01", "--cost", "2", "--cost", "2") == 0
    costly = printed(capsys)
    for one, other in zip(plain["needs"], costly["needs"], strict=True):
        assert other["budget"] == pytest.approx(one["budget"] / 100.0, rel=0.02)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "problem is missing; name a problem, give --pilot, or give --arms and --spread"),
        (["linear", "--arms", "5"], "must be the only source"),
        (["--pilot", "absent.csv", "--bar", "0.5"], "file absent.csv is missing; must be a text file that can be read"),
        (["--pilot", "absent.csv"], "needs --bar"),
        (["--arms", "5", "--spread", "1", "--cost", "0"], "must be positive"),
    ],
)
def test_what_is_missing_is_said(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*words) == 3
    assert complaint in capsys.readouterr().err


def test_a_pool_needs_at_most_all_of_its_items(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--arms", "8", "--family", "bernoulli", "--bar", "0.5", "--spread", "0.02", "--items", "30"]
    assert call(*words, "--mistakes", "0.2", "--runs", "40", "--json") == 0
    assert all(need["budget"] <= 240 for need in printed(capsys)["needs"])


def test_a_pool_without_items_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("linear", "--items", "0") == 3
    assert "--items is 0; must be at least 1" in capsys.readouterr().err


def test_a_plan_with_a_control_measures_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    words = "--arms", "5", "--spread", "1", "--bar", "2", "--mistakes", "0.5", "--runs", "60", "--json"
    assert call(*words) == 0
    plain = printed(capsys)
    assert call(*words, "--control", "today", "--margin", "0.5") == 0
    found = printed(capsys)
    assert found["problem"]["control"] == "today"
    assert (plain["problem"]["arms"], found["problem"]["arms"]) == (5, 6)
    assert found["needs"][0]["budget"] > plain["needs"][0]["budget"]


def test_a_control_that_a_plan_cannot_use_is_refused(pilot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--pilot", str(pilot), "--bar", "0.5", "--control", "today") == 3
    assert "--control" in capsys.readouterr().err
    assert call("--arms", "5", "--spread", "1", "--margin", "0.5") == 3
    assert "--margin is '0.5'; must come with a control; name the control" in capsys.readouterr().err
