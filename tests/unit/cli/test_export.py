"""``thresher export``: CSV that a spreadsheet can open, JSON, Parquet."""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from thresher.campaign import Campaign

Cli = Callable[..., Any]
ARMS = ["plain", "=1+1", "+cmd", "-2", "@sum", 'quo"ted, and more']


@pytest.fixture
def told(thresher: Cli) -> Cli:
    """Give the command line where every arm but the last was measured once."""
    campaign = Campaign.create(
        "sqlite:///thresher.db", "names", arms=ARMS, threshold=0.0, budget=20, family="gaussian", sigma=1.0
    )
    for ticket in campaign.ask(5):
        campaign.tell(ticket, -1.5)
    campaign.disconnect()
    return thresher


def test_csv_runs_no_formula_and_leaves_numbers_alone(told: Cli, in_folder: Path) -> None:
    said = told("export", "names", "--out", "names.csv")
    assert (said.code, said.out) == (0, "6 rows are in names.csv\n")
    document = json.loads(told("export", "--out", "names.csv", "--json", "--force").out)
    assert document == {"campaign": "names", "what": "verdicts", "rows": 6, "file": "names.csv"}
    with (in_folder / "names.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["arm"] for row in rows] == ["plain", "'=1+1", "'+cmd", "'-2", "'@sum", 'quo"ted, and more']
    assert [row["mean"] for row in rows] == ["-1.5"] * 5 + [""]
    assert rows[5]["low"] == ""  # nothing is known: no word that a spreadsheet would not read


def test_json_has_the_names_as_they_are_and_null_for_what_is_not_known(told: Cli, in_folder: Path) -> None:
    assert told("export", "--out", "names.json").code == 0
    rows = json.loads((in_folder / "names.json").read_text())
    assert [row["arm"] for row in rows] == ARMS
    assert (rows[0]["mean"], rows[5]["mean"], rows[5]["high"]) == (-1.5, None, None)


def test_parquet_has_the_same_rows(told: Cli, in_folder: Path) -> None:
    assert told("export", "--out", "names.parquet").code == 0
    table = pyarrow.parquet.read_table(in_folder / "names.parquet").to_pydict()
    assert (table["arm"], table["pulls"], table["mean"][:2]) == (ARMS, [1] * 5 + [0], [-1.5, -1.5])


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_the_log_goes_out_event_by_event(told: Cli, in_folder: Path, ending: str) -> None:
    said = told("export", "--what", "log", "--out", f"log.{ending}")
    assert said.code == 0
    events = json.loads(told("list", "--json").out)["campaigns"][0]["events"]
    assert said.out == f"{events} rows are in log.{ending}\n"
    path = in_folder / f"log.{ending}"
    if ending == "csv":
        with path.open(newline="", encoding="utf-8") as file:
            rows: list[Any] = list(csv.DictReader(file))
    else:
        rows = json.loads(path.read_text()) if ending == "json" else pyarrow.parquet.read_table(path).to_pylist()
    assert [int(row["seq"]) for row in rows] == list(range(1, events + 1))
    assert [row["kind"] for row in rows[:3]] == ["created", "arms-added", "asked"]
    assert json.loads(rows[0]["details"])["name"] == "names"


@pytest.mark.parametrize(
    "words", [["--out", "names.xls"], ["--out", "names.csv", "--what", "all"], ["--out", "none/names.csv"], []], ids=str
)
def test_bad_input_writes_no_file(told: Cli, in_folder: Path, words: list[str]) -> None:
    before = sorted(in_folder.iterdir())
    said = told("export", "names", *words)
    assert said.code == 3
    assert said.err.startswith("thresher: ")
    assert sorted(in_folder.iterdir()) == before


def test_without_pyarrow_it_says_what_to_install(told: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = told("export", "--out", "names.parquet")
    assert said.code == 3
    assert "pip install '.[parquet]'" in said.err
