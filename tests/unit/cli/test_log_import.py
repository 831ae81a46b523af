"""``thresher tell --from``: versions of a file, counts, several files; each measurement counts once."""

import io
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from thresher.campaign import Campaign
from thresher.cli.main import main

DAYS = [
    "--arm-column",
    "variant",
    "--count-column",
    "visitors",
    "--outcome-column",
    "conversions",
    "--key-column",
    "day",
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a temporary folder, with one campaign for labels and one for an experiment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THRESHER_DB", raising=False)
    for name, arms in (("labels", [f"item {i}" for i in range(7)]), ("pages", ["control", "b"])):
        Campaign.create("sqlite:///thresher.db", name, arms=arms, threshold=0.5, budget=20).disconnect()
    return tmp_path


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Any:
    def said(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            main(list(words))
        assert isinstance(left.value.code, int)
        printed = capsys.readouterr()
        return left.value.code, printed.out + printed.err

    return said


def sums(name: str) -> list[tuple[int, float]]:
    campaign = Campaign.open("sqlite:///thresher.db", name)
    try:
        campaign.verify()
        return [(row.pulls, round((row.raw_mean or 0.0) * row.pulls, 6)) for row in campaign.verdicts()]
    finally:
        campaign.disconnect()


def test_a_copy_of_one_line_is_named_in_plain_words(folder: Path, call: Any) -> None:
    for name in ("labels.csv", "copy.csv"):
        (folder / name).write_text("arm,outcome\nitem 1,1\n")
    assert call("tell", "labels", "--from", "labels.csv")[0] == 0
    code, said = call("tell", "labels", "--from", "copy.csv")
    assert code == 3
    assert "the only line in 'copy.csv' is in the source 'labels.csv' too" in said


def test_a_corrected_or_sorted_file_counts_once(folder: Path, call: Any) -> None:
    lines = [f"item {i % 7},{i % 5 % 2},{i // 40}" for i in range(979)]

    def bring(lines: list[str], *words: str, name: str = "labels.csv") -> dict[str, Any]:
        (folder / name).write_text("\n".join(["arm,outcome,worker", *lines]) + "\n")
        code, said = call("tell", "labels", "--from", name, "--json", *words)
        assert code == 0, said
        return dict(json.loads(said))

    assert bring(lines)["told"] == 979
    before = sums("labels")
    rng = random.Random(1)
    assert bring(rng.sample(lines, 979))["told"] == 0
    assert sums("labels") == before
    for line in (6, 901):
        fixed = list(lines)
        fixed[line] = f"{fixed[line].split(',')[0]},1,fixed {line}"
        done = bring(fixed)
        assert (done["told"], done["before"], done["missing"], done["voided"]) == (1, 978, 1 + (line == 901), 0)
    done = bring(fixed, "--replace")
    assert (done["told"], done["missing"], done["voided"]) == (0, 2, 2)
    assert sum(n for n, _ in sums("labels")) == 979
    call("void", "labels", "--import", done["batch"])
    assert bring(lines, "--replace")["told"] == 1
    assert sums("labels") == before
    (folder / "copy.csv").write_bytes((folder / "labels.csv").read_bytes())
    code, said = call("tell", "labels", "--from", "copy.csv")
    assert code == 3
    assert "979 of the 979 lines in 'copy.csv' are in the source 'labels.csv' too" in said
    assert "--source labels.csv" in said
    assert "--new-source" in said
    assert sums("labels") == before
    assert call("tell", "labels", "--from", "copy.csv", "--source", "labels.csv")[0] == 0
    assert sums("labels") == before
    assert call("tell", "labels", "--from", "copy.csv", "--new-source")[0] == 0
    assert sum(n for n, _ in sums("labels")) == 2 * 979


def test_keys_of_several_columns_make_a_line_the_same_wherever_it_comes_from(folder: Path, call: Any) -> None:
    (folder / "one.csv").write_text("arm,outcome,item,worker\nitem 1,1,x,1\nitem 1,0,x,2\nitem 2,1,y,1\n")
    (folder / "all.csv").write_text("arm,outcome,worker,item\nitem 2,1,1,y\nitem 1,0,2,x\nitem 1,1,1,x\nitem 1,1,3,x\n")
    keys = ("--key-column", "item", "--key-column", "worker")
    assert "3 outcomes of 2 arms told" in call("tell", "labels", "--from", "one.csv", *keys)[1]
    assert "1 new outcome told, 3 had been told before" in call("tell", "labels", "--from", "all.csv", *keys)[1]
    (folder / "all.csv").write_text("arm,outcome,worker,item\nitem 1,1,2,x\n")
    code, said = call("tell", "labels", "--from", "all.csv", *keys)
    assert (code, "all.csv line 2: the outcome is 1, and an earlier import has 0" in said) == (3, True)
    assert call("tell", "labels", "--from", "all.csv", *keys, "--replace")[0] == 0
    # The line of worker 2 is corrected, that of worker 3 is gone, those of one.csv stay.
    assert sums("labels")[1:3] == [(2, 2.0), (1, 1.0)]


def test_the_daily_file_of_an_experiment_is_imported_day_after_day(folder: Path, call: Any) -> None:
    heads, first = "variant,day,visitors,conversions,revenue\n", "control,1,1000,26,5\nb,1,1010,31,6\n"
    (folder / "days.csv").write_text(heads + first)
    words = ["tell", "pages", "--from", "days.csv"]
    code, said = call(*words, "--arm-column", "variant", "--outcome-column", "conversions")
    assert (code, "--count-column" in said, "bounded" in said) == (3, True, False)
    code, said = call(*words, *DAYS[:-2])
    assert (code, "day, revenue" in said, "--key-column" in said) == (3, True, True)
    for _ in range(2):
        assert call(*words, *DAYS)[0] == 0
        assert sums("pages") == [(1000, 26.0), (1010, 31.0)]
    (folder / "days.csv").write_text(heads + first + "control,2,500,10,1\nb,2,500,12,1\n")
    assert "2 new counts told, 2 had been told before" in call(*words, *DAYS)[1]
    (folder / "days.csv").write_text(heads + first.replace("1010,31", "1015,33") + "control,2,500,10,9\nb,2,500,12,9\n")
    code, said = call(*words, *DAYS)
    assert (code, "'b' has 33 of 1,015 for '1', and an earlier import has 31 of 1,010" in said) == (3, True)
    assert sums("pages") == [(1500, 36.0), (1510, 43.0)]
    assert call(*words, *DAYS, "--replace")[0] == 0
    assert sums("pages") == [(1500, 36.0), (1515, 45.0)]
    (folder / "days.csv").write_text(heads + first + first)
    assert call(*words, *DAYS)[0] == 3  # a key twice


def test_counts_that_grow_add_what_they_have_grown_by(folder: Path, call: Any) -> None:
    words = ["tell", "pages", "--from", "total.csv", *DAYS[:-2], "--cumulative"]
    for visitors, code in ((100, 0), (100, 0), (250, 0), (200, 3)):
        (folder / "total.csv").write_text(f"variant,visitors,conversions\nb,{visitors},{visitors // 10}\n")
        assert call(*words)[0] == code
    assert sums("pages")[1] == (250, 25.0)
    ticket = _tickets("pages")[0]
    assert call("amend", "pages", ticket, "12", "--count", "120")[0] == 0
    assert sums("pages")[1] == (270, 27.0)
    assert call("amend", "pages", ticket, "12")[0] == 3
    assert call("void", "pages", ticket)[0] == 0
    assert sums("pages")[1] == (150, 15.0)


def _tickets(name: str) -> list[str]:
    campaign = Campaign.open("sqlite:///thresher.db", name)
    try:
        events = [entry.details for entry in campaign.history() if entry.kind == "imported"]
        return [f"{event['number']}-{event['secret']}" for event in events]
    finally:
        campaign.disconnect()


@pytest.mark.parametrize(
    ("answers", "code", "told", "asked"),
    [("y\n", 0, 20, 1), ("n\ny\n", 0, 40, 2), ("n\nn\n", 3, 20, 2)],
    ids=["another version", "measured anew", "neither"],
)
def test_a_likely_copy_is_asked_about_on_a_terminal(
    folder: Path, call: Any, monkeypatch: pytest.MonkeyPatch, answers: str, code: int, told: int, asked: int
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    (folder / "labels.csv").write_text("arm,outcome,worker\n" + "".join(f"item 1,1,{i}\n" for i in range(20)))
    assert call("tell", "labels", "--from", "labels.csv")[0] == 0
    (folder / "copy.csv").write_bytes((folder / "labels.csv").read_bytes())
    screen = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(answers))
    monkeypatch.setattr(sys, "stderr", screen)
    assert call("tell", "labels", "--from", "copy.csv")[0] == code
    said = screen.getvalue()
    assert "20 of the 20 lines in 'copy.csv' are in the source 'labels.csv' too." in said
    assert "Is it another version of 'labels.csv'? [y/N]" in said
    assert ("Was it measured anew, so that all of its lines count? [y/N]" in said) == (asked == 2)
    assert sum(n for n, _ in sums("labels")) == told


def test_a_corrected_file_of_a_benchmark_reports_what_is_gone_and_replace_voids_it(folder: Path, call: Any) -> None:
    def bring(*lines: str, words: Sequence[str] = ()) -> tuple[int, str]:
        (folder / "exam.csv").write_text("\n".join(["arm,item,outcome", *lines]) + "\n")
        code, said = call("tell", "exam", "--from", "exam.csv", *words)
        return code, " ".join(said.split())

    new = ("--item-column", "item", "--create", "--bar", "0.5", "--budget", "4")
    lines = [f"{arm},q{i},{i % 2}" for arm in "ab" for i in range(10)]
    assert "20 outcomes of 2 arms told" in bring(*lines, words=new)[1]
    assert "nothing new, all 20 outcomes" in bring(*lines[::-1])[1]
    assert bring(*lines[1:]) == (
        0,
        "exam.csv: nothing new, all 19 outcomes of 2 arms had been told before Note: 1 line of earlier versions is not "
        "in this one and still counts. To void it, import the file with --replace.",
    )
    assert sums("exam") == [(10, 5.0), (10, 5.0)]
    assert "Note: 1 line of earlier versions is voided." in bring(*lines[1:], words=["--replace"])[1]
    assert sums("exam") == [(9, 5.0), (10, 5.0)]
    wrong = [lines[1].replace(",1", ",0"), *lines[2:]]
    code, said = bring(*wrong)
    assert code == 3
    assert "line 2: arm 'a' on item 'q1' has outcome 0, and the campaign has 1; if this file is right, " in said
    code, said = bring(*wrong, words=["--replace", "--dry-run"])
    assert (code, "1 line of earlier versions is voided" in said, "not counted again: 18" in said) == (0, True, True)
    assert bring(*wrong, words=["--replace"])[0] == 0
    assert sums("exam") == [(9, 4.0), (10, 5.0)]
    # A file of another name adds the answers that it has more of; a count has no item.
    (folder / "more.csv").write_text("arm,item,outcome\na,q0,1\na,q1,0\n")
    assert "1 new outcome told, 1 had been told before" in call("tell", "exam", "--from", "more.csv")[1]
    assert sums("exam") == [(10, 5.0), (10, 5.0)]
    (folder / "sums.csv").write_text("arm,item,n,outcome\na,q1,2,1\n")
    code, said = call("tell", "exam", "--from", "sums.csv", "--count-column", "n", "--cumulative")
    assert (code, "a count has no item" in " ".join(said.split())) == (3, True)


def test_equal_files_in_one_import_are_a_copy(folder: Path, call: Any) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "x.csv").write_text("arm,outcome,night\nitem 1,1,1\nitem 2,0,1\n")
    code, said = call("tell", "labels", "--from", "one/x.csv", "two/x.csv")
    assert (code, "has the same 2 lines as 'x.csv'; leave one of them out" in " ".join(said.split())) == (3, True)
    (folder / "two" / "x.csv").write_text("arm,outcome,night\nitem 1,1,2\n")
    assert call("tell", "labels", "--from", "one/x.csv", "two/x.csv")[0] == 0
    assert "Note: 1 line of earlier versions is voided" in call("tell", "labels", "--from", "one/x.csv", "--replace")[1]
    keys = ("--key-column", "night", "--source", "nights", "--replace")
    for name in ("one", "two", "one"):  # files with keys of one source are one version of it
        words = ("one/x.csv", "two/x.csv") if name == "two" else ("one/x.csv",)
        assert call("tell", "labels", "--from", *words, *keys)[0] == 0
    assert sums("labels")[1:3] == [(2, 2.0), (2, 0.0)]


def test_several_files_and_folders_are_one_import(folder: Path, call: Any) -> None:
    (folder / "logs").mkdir()
    for i in range(3):
        (folder / "logs" / f"{i}.csv").write_text(f"arm,outcome,night\nx,1,{i}\ny,0,{i}\n")
    (folder / "logs" / "notes.txt").write_text("not a log")
    new = ("--create", "--bar", "0.5", "--budget", "9")
    code, said = call("tell", "nights", "--from", *(f"logs/{i}.csv" for i in range(3)), *new, "--json")
    done = json.loads(said)
    assert (code, done["told"], done["new_arms"]) == (0, 6, 2)
    assert sums("nights") == [(3, 3.0), (3, 0.0)]
    assert "3 files: nothing new" in call("tell", "nights", "--from", "logs")[1]
    assert json.loads(call("void", "nights", "--import", done["batch"], "--json")[1])["voided"] == 6
    (folder / "logs" / "1.csv").write_text("arm,outcome,night\nx,maybe,1\n")
    code, said = call("tell", "nights", "--from", "logs")
    assert (code, "1.csv line 2" in said) == (3, True)
    assert sums("nights") == [(0, 0.0), (0, 0.0)]


def test_the_next_step_after_an_import_names_allocate_and_no_bias_of_asking(folder: Path, call: Any) -> None:
    (folder / "labels.csv").write_text("arm,outcome\n" + "".join(f"item {i % 7},{i % 2}\n" for i in range(28)))
    assert call("tell", "labels", "--from", "labels.csv")[0] == 0
    said = " ".join(call("verdicts", "labels")[1].split())
    assert "20 of the budget is left: thresher allocate labels splits the next batch" in said
    assert "biases the means" not in said  # nothing was asked for: no policy chose what was measured
    assert call("ask", "labels")[0] == 0  # from now on a ticket is in flight, so that imports are not all there is
    said = " ".join(call("verdicts", "labels")[1].split())
    assert "20 of the budget is left: continue measuring (thresher ask labels)" in said
