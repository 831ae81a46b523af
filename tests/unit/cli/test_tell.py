"""``thresher tell``: one outcome, or all of a file of another tool."""

import json
import re
from pathlib import Path

import pytest

from thresher.campaign import Campaign
from thresher.cli.main import main

DATA = Path(__file__).parents[1] / "run" / "importers" / "data"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a temporary folder, with one campaign."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THRESHER_DB", raising=False)
    Campaign.create("sqlite:///thresher.db", "coins", arms=["fair", "bent"], threshold=0.5, budget=20).disconnect()
    return tmp_path


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["tell", *words])
    assert isinstance(left.value.code, int)
    return left.value.code


def pulls() -> list[int]:
    campaign = Campaign.open("sqlite:///thresher.db", "coins")
    try:
        return [row.pulls for row in campaign.verdicts()]
    finally:
        campaign.disconnect()


def test_a_file_told_twice_counts_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "runs.csv").write_text("coin,heads\nfair,1\nbent,0\nfair,0\n")
    words = ["coins", "--from", "runs.csv", "--arm-column", "coin", "--outcome-column", "heads"]
    assert call(*words) == 0
    assert call(*words) == 0
    assert pulls() == [2, 1]
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "runs.csv: 3 outcomes of 2 arms told",
        "runs.csv: nothing new, all 3 outcomes of 2 arms had been told before",
    ]
    see, undo, *_ = said.err.splitlines()
    assert see == "To see what it decides: thresher verdicts coins"
    assert re.fullmatch(r"To undo it: thresher void coins --import \w+", undo)


def test_equal_outcomes_of_two_nights_count_if_a_column_says_when(folder: Path) -> None:
    for night in ("monday", "tuesday"):
        (folder / f"{night}.csv").write_text(f"arm,outcome,night\nfair,1,{night}\nbent,0,{night}\n")
        assert call("coins", "--from", f"{night}.csv") == 0
    assert pulls() == [2, 2]


def test_json_counts_what_was_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Campaign.create("sqlite:///thresher.db", "birds", arms=["1", "2", "3"], threshold=0.5, budget=9).disconnect()
    assert call("birds", "--from", str(DATA / "label-studio.json"), "--success", "yes", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told.pop("batch")) == 12
    assert told == {"told": 6, "before": 0, "missing": 0, "voided": 0, "arms": 3, "left_out": 1}


def test_a_wrong_line_is_named_and_nothing_is_stored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "runs.csv").write_text("arm,outcome\nfair,1\nfare,1\n")
    assert call("--from", "runs.csv") == 3
    assert (
        "runs.csv line 3: the campaign has no arm 'fare'; nearest: 'fair'; add --create to add new arms"
        in capsys.readouterr().err
    )
    assert pulls() == [0, 0]


def test_options_of_a_file_need_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("coins", "1-ab", "yes", "--success", "yes") == 3
    assert "name it by --from" in capsys.readouterr().err


def test_one_outcome_is_told_by_its_ticket(capsys: pytest.CaptureFixture[str]) -> None:
    campaign = Campaign.open("sqlite:///thresher.db", "coins")
    ticket = campaign.ask()
    campaign.disconnect()
    assert ticket is not None
    assert call("coins", ticket.id, "yes") == 0
    assert call("coins", ticket.id, "1") == 0
    assert call("coins", ticket.id, "no") == 3
    assert capsys.readouterr().out == "fair: told\nfair: told before\n"
    assert pulls() == [1, 0]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_file_is_read_as_a_table_of_arms_is(folder: Path, separator: str) -> None:
    lines = ["\ufeffarm,outcome", "fair,yes", "", '"bent",no', "fair,true"]
    (folder / "runs.csv").write_text("\r\n".join(lines).replace(",", separator), encoding="utf-8")
    assert call("coins", "--from", "runs.csv") == 0
    assert pulls() == [2, 1]


def test_a_name_over_two_lines_is_on_one_in_the_message_and_nothing_is_stored(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "runs.csv").write_text('arm,outcome\nfair,1\n"be\nnt",1\n')
    assert call("coins", "--from", "runs.csv") == 3
    said = capsys.readouterr().err
    assert "runs.csv line 3" in said
    assert "no arm 'be nt'; nearest: 'bent'" in said
    assert pulls() == [0, 0]


def test_a_ticket_is_told_with_its_cost(capsys: pytest.CaptureFixture[str]) -> None:
    campaign = Campaign.open("sqlite:///thresher.db", "coins")
    ticket = campaign.ask(1)[0].id
    assert call("coins", ticket, "yes", "--cost", "-1") == 3
    assert "cost is -1; must be a number from 0" in capsys.readouterr().err
    assert call("coins", ticket, "yes", "--cost", "20.5") == 0
    assert capsys.readouterr().err == "Note: the budget could not pay 0.5 of its cost.\n"
    assert campaign.spent == 20
    campaign.disconnect()
    assert call("coins", "--from", "runs.csv", "--cost", "1") == 3


def test_a_dry_run_shows_what_was_understood_and_stores_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["birds", "--from", str(DATA / "label-studio-workers.json"), "--arm-column", "data.clip"]
    words += ["--item-column", "annotator", "--leave-out", "annotator=3", "--create", "-t", "0.5", "-b", "20"]
    assert call(*words, "--dry-run") == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[:7] == [
        "label-studio-workers.json, read as label-studio: 10 measurements",
        "  arm: data.clip",
        "  item: annotator",
        "  outcome: bird, yes as 1 (5), no as 0 (5)",
        "  left out by --leave-out: 5",
        "  verdicts are about these 2 items alone",
        "  creates the campaign 'birds', 5 arms, 2 items",
    ]
    assert said.err == "Nothing was stored: this was a dry run.\n"
    assert [row.name for row in Campaign.list("sqlite:///thresher.db")] == ["coins"]
    assert call(*words, "--dry-run", "--json") == 0
    preview = json.loads(capsys.readouterr().out)
    assert (preview["measurements"], preview["excluded"], preview["new_items"]) == (10, 5, ["1", "2"])
    assert call(*words, "--json") == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["told"], done["new_arms"], done["new_items"]) == (10, 5, 2)
    assert done["batch"] == preview["batch"]
    assert call(*words) == 0
    said = capsys.readouterr()
    assert "nothing new, all 10 outcomes" in said.out
    assert "Note: the campaign has a budget of 10; an import does not change it to 20." in said.err.splitlines()


def test_a_campaign_is_created_with_the_terms_of_new(folder: Path) -> None:
    (folder / "stars.csv").write_text("arm,outcome\na,4\nb,2\n")
    given = ["--create", "--threshold", "3", "--budget", "9", "--family", "bounded", "--low", "1", "--high", "5"]
    assert call("stars", "--from", "stars.csv", *given) == 0
    campaign = Campaign.open("sqlite:///thresher.db", "stars")
    assert (campaign.terms.family, campaign.terms.high, campaign.budget, campaign.spent) == ("bounded", 5.0, 9.0, 0.0)
    campaign.disconnect()
    assert call("coins", "--from", "stars.csv", *given) == 3
    assert call("stars", "--from", "stars.csv", "--create", "--family", "bernoulli") == 3  # the default, but given


def test_what_was_created_is_told_with_the_budget_that_it_got(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "answers.csv").write_text("arm,item,outcome\na,q1,1\na,q2,0\nb,q1,1\n")
    words = ["--from", "answers.csv", "--item-column", "item"]
    assert call("quiz", *words, "--create", "--bar", "0.5", "--budget", "100") == 0
    assert capsys.readouterr().err.splitlines()[:2] == [
        "created the campaign 'quiz', 2 arms, 2 items",
        "Note: the budget is reduced to 4: every arm answers every item once.",
    ]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--bar", "0.9"], "--bar is 0.9; must be 0.5, as in the campaign 'coins'; leave it out, or name another"),
        (["--family", "bernoulli", "--bar", "0.5"], ""),
        (["--policy", "lsa"], "policy is 'lsa'; must be stopping, as in the campaign 'coins'"),
    ],
)
def test_options_of_creation_must_be_those_of_an_existing_campaign(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], complaint: str
) -> None:
    (folder / "runs.csv").write_text("arm,outcome\nfair,1\n")
    assert call("coins", "--from", "runs.csv", "--create", *words) == (3 if complaint else 0)
    assert complaint in capsys.readouterr().err
    assert pulls() == [0 if complaint else 1, 0]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--from", "runs.csv", "--threshold", "0.5"], "add --create"),
        (["--from", "runs.csv", "--leave-out", "by"], "give a column and a value"),
        (["--from", "runs.csv", "--leave-out", "by=x"], "has no column 'by'; it has arm, outcome"),
        (["--from", "runs.csv", "--leave-out", "arm=b"], "values found: fair (1)"),
        (["--from", "runs.csv", "--leave-out", "arm=fair"], "has no measurements that are kept"),
        (["--from", "runs.csv", "--arm", "fair", "--arm-column", "arm"], "give either --arm or --arm-column"),
        (["1-ab", "yes", "--dry-run"], "name it by --from"),
    ],
)
def test_wrong_options_of_an_import_store_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], complaint: str
) -> None:
    (folder / "runs.csv").write_text("arm,outcome\nfair,1\n")
    assert call("coins", *words) == 3
    assert complaint in capsys.readouterr().err
    assert pulls() == [0, 0]


def test_one_of_each_is_singular(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "one.csv").write_text("arm,outcome\na,1\n")
    words = ["one", "--from", "one.csv", "--create", "--bar", "0.5", "--budget", "9"]
    assert call(*words, "--dry-run") == 0
    assert "1 measurement\n" in (shown := capsys.readouterr().out)
    assert "creates the campaign 'one', 1 arm\n" in shown
    assert call(*words) == 0
    said = capsys.readouterr()
    assert said.out == "one.csv: 1 outcome of 1 arm told\n"
    assert said.err.startswith("created the campaign 'one', 1 arm\n")
    assert call(*words) == 0
    assert capsys.readouterr().out == "one.csv: nothing new, the only outcome of 1 arm had been told before\n"


def test_one_arm_is_named_for_the_whole_file(folder: Path) -> None:
    (folder / "runs.csv").write_text("arm,outcome\nx,1\ny,0\n")
    assert call("coins", "--from", "runs.csv", "--arm", "fair") == 0
    assert pulls() == [2, 0]
