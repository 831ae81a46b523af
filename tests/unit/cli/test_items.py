"""Items on the command line: ``new``, ``run``, ``tell --from``, ``export``, and what is wrong in a sentence each."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thresher.campaign import Campaign

Thresher = Callable[..., Any]
DB = "sqlite:///thresher.db"
RUN = ("run", "--name", "exam", "--bar", "0.5", "--arm", "good", "--arm", "bad")


@pytest.fixture
def exam(thresher: Thresher, in_folder: Path) -> Thresher:
    """Give the command line where there is a campaign with two arms and three items."""
    (in_folder / "questions.txt").write_text("q1\nq2\n\nq3\n")
    words = ("new", "exam", "-a", "good", "-a", "bad", "-t", "0.5", "-b", "6", "--items", "questions.txt")
    assert thresher(*words).code == 0
    return thresher


def outcomes() -> dict[str, list[float | None]]:
    """Return the outcomes of both arms by item."""
    campaign = Campaign.open(DB, "exam")
    try:
        return {row.item: list(row.outcomes) for row in campaign.items()}
    finally:
        campaign.disconnect()


def told(thresher: Thresher, folder: Path, text: str) -> Any:
    (folder / "known.csv").write_text(text)
    return thresher("tell", "exam", "--from", "known.csv", "--arm-column", "arm", "--outcome-column", "outcome")


def test_run_measures_every_item_of_every_arm_once(thresher: Thresher, in_folder: Path) -> None:
    (in_folder / "questions.txt").write_text("q1\nq2\nq3\n")
    command = "echo {arm} {item} $THRESHER_ITEM >> asked.txt; test {arm} = good -a {item} != q3"
    said = thresher(*RUN, "--budget", "99", "--items", "questions.txt", "--policy", "uniform", "-c", command)
    assert said.code == 1
    assert "the budget is reduced to 6" in said.out + said.err
    asked = sorted((in_folder / "asked.txt").read_text().splitlines())
    assert len(asked) == len(set(asked))
    assert all(line.split()[1] == line.split()[2] for line in asked)
    found = outcomes()
    assert {value for pair in found.values() for value in pair if value is not None} == {0.0, 1.0}
    assert len(asked) == sum(value is not None for pair in found.values() for value in pair)
    # Neither is asked on once its side is certain, so that not all six are asked.
    campaign = Campaign.open(DB, "exam")
    assert [(row.decision, row.p_wrong) for row in campaign.verdicts()] == [("pass", 0.0), ("fail", 0.0)]
    campaign.disconnect()


def test_a_file_tells_outcomes_by_arm_and_item_once(exam: Thresher, in_folder: Path) -> None:
    text = "arm,item,outcome\ngood,q1,1\ngood,q3,0\nbad,q1,0\n"
    for _ in range(2):
        assert told(exam, in_folder, text).code == 0
        assert outcomes() == {"q1": [1.0, 0.0], "q2": [None, None], "q3": [0.0, None]}


def test_export_writes_one_row_for_each_item(exam: Thresher, in_folder: Path) -> None:
    told(exam, in_folder, "arm,item,outcome\ngood,q1,1\nbad,q1,0\n")
    assert exam("export", "exam", "--what", "items", "--out", "items.csv").code == 0
    with (in_folder / "items.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["item"], row["answers"]) for row in rows] == [("q1", "2"), ("q2", "0"), ("q3", "0")]
    assert float(rows[0]["mean"]) == 0.5


def test_a_ticket_names_its_item(exam: Thresher) -> None:
    said = exam("ask", "exam", "--json")
    assert said.code == 0
    assert any(f'"item": "{name}"' in json.dumps(json.loads(said.out)) for name in ("q1", "q2", "q3"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("arm,item,outcome\ngood,q2,1\ngood,q1,0\n", "q1"),
        ("arm,item,outcome\ngood,q2,1\ngood,q9,1\n", "q9"),
        ("arm,item,outcome\ngood,q2,1\nworse,q1,1\n", "worse"),
        ("arm,item,outcome\ngood,q2,1\ngood,q2,0\n", "q2"),
        ("arm,item,outcome\ngood,q2,1\ngood,q3,7\n", "7"),
    ],
    ids=["told before with another outcome", "unknown item", "unknown arm", "twice in the file", "no outcome"],
)
def test_a_wrong_file_stores_nothing(exam: Thresher, in_folder: Path, text: str, sentence: str) -> None:
    told(exam, in_folder, "arm,item,outcome\ngood,q1,1\n")
    said = told(exam, in_folder, text)
    assert said.code == 3
    assert sentence in said.err
    assert "Traceback" not in said.err
    assert outcomes() == {"q1": [1.0, None], "q2": [None, None], "q3": [None, None]}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--items", "0"), "items is 0; must be at least 1"),
        (("--items", "missing.txt"), "missing.txt"),
        (("--items", "twice.txt"), "must be unique"),
        (("--items", "empty.txt"), "must be at least 1"),
        (("--items", "1", "--family", "gaussian-unknown-variance"), "must be at least 3, the first pulls of an arm"),
    ],
)
def test_wrong_items_create_nothing(thresher: Thresher, in_folder: Path, words: tuple[str, ...], sentence: str) -> None:
    (in_folder / "twice.txt").write_text("q1\nq1\n")
    (in_folder / "empty.txt").write_text("\n")
    said = thresher("new", "exam", "-a", "good", "-a", "bad", "-t", "0.5", "-b", "8", *words)
    assert said.code == 3
    assert sentence in said.err
    assert not (in_folder / "thresher.db").exists()
