"""``thresher report`` writes what the ending of the file says, and complains in a sentence."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from thresher.campaign import Campaign
from thresher.cli.main import main

DB = "sqlite:///c.db"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a campaign of a formula, a decided arm on each side, and one that was never measured."""
    monkeypatch.chdir(tmp_path)
    campaign = Campaign.create(DB, "coins", arms=["=1+1", "low", "new"], threshold=0.5, budget=100, policy="lsa")
    campaign.tell_counts("=1+1", n=40, total=40)
    campaign.tell_counts("low", n=40, total=0)
    campaign.disconnect()
    return tmp_path


def report(*words: str) -> int:
    """Run the command; return its exit code."""
    with pytest.raises(SystemExit) as done:
        main(["report", *words, "--db", DB])
    return int(str(done.value.code))


def test_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report("coins", "--out", "coins.html") == 0
    text = Path("coins.html").read_text()
    assert text.startswith("<!doctype html>")
    assert "<bdi>=1+1</bdi>" in text
    assert "after 80 measurements." in text
    assert "An arm passes if its mean is above 0.5." in text
    assert "Each outcome is pass/fail (0 or 1);" in text
    assert '<p class="summary">1 pass, 1 fail, 1 undecided (1 not measured). Bar: above 0.5.' in text
    assert "<p>If you acted on all 3 now, expect about 0.5 mistakes. Decided at" in text
    printed = capsys.readouterr().out
    assert printed.startswith("1 pass, 1 fail, 1 undecided (1 not measured).")
    assert printed.endswith("\nThe report is in coins.html.\n")
    assert report("--out", "coins.html", "--json", "--force") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["campaign"], answer["file"], answer["summary"][:14]) == ("coins", "coins.html", "1 pass, 1 fail")


def test_a_table_that_no_spreadsheet_runs(folder: Path) -> None:
    assert report("coins", "-o", "coins.CSV") == 0
    rows = list(csv.DictReader(io.StringIO(Path("coins.CSV").read_text())))
    assert [(row["arm"], row["decision"], row["proven"], row["pulls"]) for row in rows] == [
        ("'=1+1", "pass", "yes", "40"),
        ("low", "fail", "yes", "40"),
        ("new", "open", "no", "0"),
    ]


@pytest.mark.parametrize(("side", "failed"), [("above", "low"), ("below", "=1+1")])
def test_junit_for_the_side_that_passes(folder: Path, side: str, failed: str) -> None:
    assert report("coins", "--out", "coins.xml", "--pass", side) == 0
    suite = ET.parse("coins.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert [case.get("name") for case in suite if case.find("failure") is not None] == [failed]


def test_a_summary(folder: Path) -> None:
    assert report("coins", "--out", "coins.md") == 0
    assert Path("coins.md").read_text().startswith("# coins\n\n1 pass, 1 fail, 1 undecided (1 not measured).")


def test_the_name_may_be_left_out_where_there_is_one_campaign(folder: Path) -> None:
    assert report("--out", "coins.md", "--force") == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("coins", "--out", "coins.pdf"), "--out 'coins.pdf': give it a file .html, .md, .csv, .xml"),
        (("coins", "--out", "coins"), "--out 'coins': give it a file .html, .md, .csv, .xml"),
        (("dice", "--out", "dice.html"), "no campaign 'dice'; existing: 'coins'"),
        (
            ("coins", "--out", "nowhere/coins.html"),
            "'nowhere/coins.html'; cannot be written: No such file or directory",
        ),
        (("coins", "--out", "coins.md", "--pass", "over"), "unknown passes 'over'"),
    ],
)
def test_bad_input_is_a_sentence_and_leaves_no_file(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert report(*words) == 3
    assert sentence in capsys.readouterr().err
    assert [path.name for path in folder.iterdir() if not path.name.startswith("c.db")] == []
