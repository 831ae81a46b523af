"""Scores on the command line: with a new campaign, from a file, and what ``judge-report`` says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thresher.run.importers import Columns, read_log

Cli = Callable[..., Any]


@pytest.fixture
def answers(thresher: Cli) -> Cli:
    rows = [(arm, f"q{i}", i % 2, (i + (i % 10 == 0)) % 2) for arm in ("a", "b") for i in range(40)]
    lines = [f"{arm},{item},{truth},{score}" for arm, item, truth, score in rows]
    Path("graded.csv").write_text("\n".join(["model,item,human,judge", *lines]))
    Path("past.csv").write_text("\n".join(["arm,item,value", *(f"old,q{i},{i % 2}" for i in range(40))]))
    Path("items.txt").write_text("\n".join(f"q{i}" for i in range(40)))
    thresher("new", "n", "--arm", "a", "--arm", "b", "--items", "items.txt", "--bar", "0.4", "--budget", "80",
        "--history", "past.csv")  # fmt: skip
    return thresher


def test_one_scorer_is_the_outcome_and_another_the_score(answers: Cli) -> None:
    assert answers("judge-report").code == 3
    told = answers("tell", "--from", "graded.csv", "--arm-column", "model", "--outcome-column", "human",
                   "--proxy-column", "judge")  # fmt: skip
    assert told.code == 0
    assert "80 scores of 2 arms stored" in told.out
    said = answers("judge-report").out
    assert "90" in said
    assert "Is it good enough? Yes" in said.replace("\n", " ")
    document = json.loads(answers("judge-report", "--json").out)
    assert (document["labels"], document["value"]) == (80, 0.9)
    assert answers("verify").code == 0
    assert any("the judge agrees" in note for note in json.loads(answers("verdicts", "--json").out)["notes"])


def test_scores_alone_tell_no_outcome_and_a_dry_run_stores_nothing(answers: Cli) -> None:
    command = ("tell", "--from", "graded.csv", "--arm-column", "model", "--proxy-column", "judge")
    assert "understood 80 scores" in answers(*command, "--dry-run").out
    assert answers("judge-report").code == 3
    assert json.loads(answers(*command, "--json").out) == {"scores": 80, "arms": 2, "stored": True}
    assert json.loads(answers("judge-report", "--json").out)["labels"] == 0


def test_outcomes_and_scores_are_one_json_document(answers: Cli) -> None:
    command = ("tell", "--from", "graded.csv", "--arm-column", "model", "--outcome-column", "human",
               "--proxy-column", "judge", "--json")  # fmt: skip
    dry = json.loads(answers(*command, "--dry-run").out)
    assert (dry["scores"], dry["stored"], dry["outcomes"]["measurements"]) == (80, False, 80)
    done = json.loads(answers(*command).out)
    assert (done["scores"], done["arms"], done["stored"], done["outcomes"]["told"]) == (80, 2, True, 80)


def test_a_wrong_column_stores_neither_outcomes_nor_scores(answers: Cli) -> None:
    done = answers("tell", "--from", "graded.csv", "--arm-column", "model", "--outcome-column", "human",
                   "--proxy-column", "jugde")  # fmt: skip
    assert (done.code, "choose one by --proxy-column" in done.err) == (3, True)
    assert json.loads(answers("list", "--json").out)["campaigns"][0]["told"] == 0


def test_scores_of_a_new_item_need_create_and_then_add_it(answers: Cli) -> None:
    Path("more.csv").write_text("model,item,judge\na,q0,1\na,q40,0\nb,q40,1\n")
    command = ("tell", "--from", "more.csv", "--arm-column", "model", "--proxy-column", "judge")
    refused = answers(*command)
    assert refused.code == 3
    assert "item is 'q40'; must be an item of 'n'" in refused.err
    assert "add --create" in refused.err
    assert answers("judge-report").code == 3  # no score was stored
    told = answers(*command, "--create")
    assert "3 scores of 2 arms stored" in told.out
    assert "created 1 item" in told.err
    assert json.loads(answers("list", "--json").out)["campaigns"][0]["items"] == 41


def test_a_score_of_an_unknown_arm_adds_no_item(answers: Cli) -> None:
    Path("more.csv").write_text("model,item,judge\nc,q40,1\n")
    done = answers("tell", "--from", "more.csv", "--arm-column", "model", "--proxy-column", "judge", "--create")
    assert done.code == 3
    assert json.loads(answers("list", "--json").out)["campaigns"][0]["items"] == 40


DATA = Path(__file__).parents[1] / "run/importers/data"
LOGS = {  # file, column of the items, one scorer as the outcome, another as the score
    "promptfoo": ("promptfoo.json", "test", "success", "score"),
    "lm-eval": ("samples_sums_2026-11-17T07-31-04.587305.jsonl", "doc_id", "acc", "acc_norm"),
    "inspect": ("inspect.json", "sample", "includes", "judge"),
}


def log_with_two_scorers(name: str) -> Path:
    """Return a log; that of inspect_ai has one scorer, and gets another whose scores are its own, reversed."""
    path = DATA / name
    if name != "inspect.json":
        return path
    log = json.loads(path.read_text())
    for sample in log["samples"]:
        told = sample["scores"]["includes"]
        sample["scores"]["judge"] = told | {"value": "I" if told["value"] == "C" else "C"}
    Path(name).write_text(json.dumps(log))
    return Path(name)


@pytest.mark.parametrize("tool", LOGS)
def test_scorers_of_other_tools_are_outcome_and_score(thresher: Cli, tool: str) -> None:
    name, column, outcome, score = LOGS[tool]
    path = log_with_two_scorers(name)
    read = read_log(path, Columns(outcome=outcome, item=(column,)))[0]
    Path("items.txt").write_text("\n".join(sorted({one.item for one in read})))
    Path("arms.txt").write_text("\n".join(sorted({one.arm for one in read})))
    given = ("--items", "items.txt", "--arms", "arms.txt", "--bar", "0.5", "--budget", "4")
    assert thresher("new", tool, *given).code == 0
    columns = ("--item-column", column, "--outcome-column", outcome, "--proxy-column", score)
    done = thresher("tell", tool, "--from", str(path), *columns)
    assert done.code == 0, done.err
    found = json.loads(thresher("judge-report", tool, "--json").out)
    assert found["labels"] == len(read)
    if tool == "inspect":
        assert found["value"] == 0.0, "the score is that of the other scorer"
