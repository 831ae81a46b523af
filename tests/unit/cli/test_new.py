"""``thresher new``: every way to begin a campaign, and every way not to."""

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thresher.campaign import Campaign
from thresher.campaign.storage.migrations import load_migrations

Cli = Callable[..., Any]
COIN = ["-a", "fair", "-a", "bent", "-t", "0.5", "-b", "20"]


def test_it_says_what_it_began_and_what_to_type_next(thresher: Cli, in_folder: Path) -> None:
    said = thresher("new", "coins", *COIN)
    assert (said.code, said.out) == (0, "coins: 2 arms, a budget of 20\n")
    assert "thresher ask" in said.err
    assert (in_folder / "thresher.db").stat().st_mode & 0o777 == 0o600


def test_json_is_how_the_campaign_stands(thresher: Cli) -> None:
    standing = json.loads(thresher("new", "coins", *COIN, "--json").out)
    assert (standing["name"], standing["status"], standing["budget"], standing["arms"]) == ("coins", "open", 20.0, 2)


def test_arms_come_from_a_file_with_their_own_bars_and_costs(thresher: Cli, in_folder: Path) -> None:
    (in_folder / "arms.csv").write_text("\ufeffarm,threshold,cost,pull_cost\na,0.5,1,1\n=b,0.9,10,2\n")
    assert thresher("new", "filed", "--arms", "arms.csv", "-b", "9").code == 0
    rows = json.loads(thresher("verdicts", "--json").out)["verdicts"]
    assert [(row["arm"], row["threshold"]) for row in rows] == [("a", 0.5), ("=b", 0.9)]
    (in_folder / "names.txt").write_text("one\n\ntwo\n")
    assert (
        thresher("new", "listed", "--arms", "names.txt", "-t", "0.5", "-b", "9").out
        == "listed: 2 arms, a budget of 9\n"
    )


def test_the_bar_of_the_command_is_for_arms_without_one(thresher: Cli, in_folder: Path) -> None:
    (in_folder / "arms.csv").write_text("arm,threshold,cost\na,0.9,\nb,,2\n")
    assert thresher("new", "filed", "--arms", "arms.csv", "-t", "0.5", "-b", "9").code == 0
    assert [row["threshold"] for row in json.loads(thresher("verdicts", "--json").out)["verdicts"]] == [0.9, 0.5]
    said = thresher("new", "other", "--arms", "arms.csv", "-b", "9")
    assert (said.code, said.out) == (3, "")
    assert "line 3, column 'threshold' is missing; every arm needs one" in said.err


def test_every_term_reaches_the_campaign(thresher: Cli) -> None:
    options = {"--lease": 5, "--expiry": "forfeit", "--low": 1, "--high": 5, "--stop-price": 0.01, "--policy": "lsa"}
    options |= {"--stop-mistakes": 0.5, "--false-pass": 3, "--false-fail": 2, "--tolerance": 0.2, "--family": "bounded"}
    options |= {"--risk": 0.01, "--guarantee": "fdr", "--pass": "below", "--unit": "ms"}
    words = [str(word) for pair in options.items() for word in pair]
    assert thresher("new", "all", "-a", "x", "-t", "3", "-b", "9", *words).code == 0
    terms = Campaign.open("sqlite:///thresher.db", "all").terms
    assert (terms.lease, terms.expiry, terms.low, terms.high, terms.stop_price) == (5.0, "forfeit", 1.0, 5.0, 0.01)
    assert (terms.policy, terms.stop_mistakes, terms.false_pass, terms.false_fail) == ("lsa", 0.5, 3.0, 2.0)
    assert (terms.tolerance, terms.family, terms.risk, terms.guarantee) == (0.2, "bounded", 0.01, "fdr")
    assert (terms.passes, terms.unit, terms.goal) == ("below", "ms", "mistakes")


def test_a_goal_that_the_other_terms_do_not_allow_is_refused(thresher: Cli) -> None:
    assert thresher("new", "many", *COIN, "--goal", "decide").code == 0
    said = thresher("new", "other", *COIN, "--goal", "decide", "--policy", "lsa")
    assert (said.code, said.out) == (3, "")
    assert "policy is 'lsa'; must be stopping with the goal 'decide'" in said.err


def test_the_database_may_be_named_by_the_environment(thresher: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THRESHER_DB", "sqlite:///other.db")
    assert thresher("new", "coins", *COIN).code == 0
    assert Path("other.db").exists()
    assert not Path("thresher.db").exists()


BAD = {
    "a budget below the number of arms": (["-a", "x", "-a", "y", "-t", "0.5", "-b", "1"], "budget"),
    "a budget that is not a number": (["-a", "x", "-t", "0.5", "-b", "nan"], "nan"),
    "no budget": (["-a", "x", "-t", "0.5"], "budget"),
    "an arm twice": (
        ["-a", "x", "-a", "x", "-t", "0.5", "-b", "9"],
        "arm 2, name is 'x'; must be unique: arm 1 has it too",
    ),
    "a name of 10,000 characters": (["-a", "x" * 10_000, "-t", "0.5", "-b", "9"], "must have 1 to 500 characters"),
    "no arm": (["-t", "0.5", "-b", "9"], "--arm"),
    "arms in two ways": ([*COIN, "--arms", "arms.csv"], "--arms"),
    "a file that is not there": (
        ["--arms", "none.csv", "-t", "0.5", "-b", "9"],
        "file none.csv is missing; must be a text file that can be read",
    ),
    "a folder of arms": (["--arms", ".", "-t", "0.5", "-b", "9"], "file . is 'is a directory'"),
    "no threshold": (["-a", "x", "-b", "9"], "threshold"),
    "a threshold out of range": (
        ["-a", "x", "-t", "1.5", "-b", "9"],
        "--bar is 1.5; must be between 0 and 1 (exclusive)",
    ),
    "a risk of certainty": ([*COIN, "--risk", "1"], "risk is 1; must be between 0 and 0.5 (exclusive)"),
    "a tolerance wider than the range": ([*COIN, "--tolerance", "0.5"], "tolerance is 0.5; must be less than 0.5"),
    "a unit of a page": ([*COIN, "--unit", "x" * 21], "unit is 'xxx"),
    "an unknown family": ([*COIN, "--family", "bernouli"], "bernoulli"),
    "an unknown policy": ([*COIN, "--policy", "lsaa"], "lsa"),
    "a policy that knows the truth": ([*COIN, "--policy", "oracle"], "oracle"),
    "a sigma of a coin": ([*COIN, "--sigma", "2"], "sigma"),
    "no lease": ([*COIN, "--lease", "0"], "lease"),
    "an option that retired": ([*COIN, "--abstain", "0.2"], "No such option"),
    "a free mistake": ([*COIN, "--false-pass", "0"], "--false-pass is 0; must be above 0"),
}


@pytest.mark.parametrize(("words", "word"), BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence_and_makes_no_file(
    thresher: Cli, in_folder: Path, words: list[str], word: str
) -> None:
    said = thresher("new", "c", *words)
    assert (said.code, said.out) == (3, "")
    first, *rest = said.err.splitlines()
    assert first.startswith("thresher: ")
    assert word in first
    assert len(first) < 600
    assert len(rest) <= 1  # a usage error adds where to look
    assert "Traceback" not in said.err
    assert list(in_folder.iterdir()) == []


@pytest.mark.parametrize("line", ["b,high", "b", "b,0.5,1"])
def test_a_wrong_line_of_a_file_is_named(thresher: Cli, in_folder: Path, line: str) -> None:
    (in_folder / "arms.csv").write_text(f"arm,threshold\na,0.5\n{line}\n")
    said = thresher("new", "c", "--arms", "arms.csv", "-b", "9")
    assert said.code == 3
    assert "arms.csv, line 3" in said.err
    assert not (in_folder / "thresher.db").exists()


def test_empty_lines_of_a_table_are_passed_over_and_semicolons_are_separators(thresher: Cli, in_folder: Path) -> None:
    (in_folder / "arms.csv").write_text("arm,threshold\n\na,0.5\nb,0.6\n\n")
    assert thresher("new", "c", "--arms", "arms.csv", "-b", "9").code == 0
    (in_folder / "arms.csv").write_text("arm;threshold\na;0.5\n")
    assert thresher("new", "d", "--arms", "arms.csv", "-b", "9").code == 0


def test_a_name_that_is_taken_is_refused(coins: Cli) -> None:
    said = coins("new", "coins", *COIN)
    assert said.code == 3
    assert "there is a campaign 'coins' already" in said.err
    assert len(json.loads(coins("list", "--json").out)["campaigns"]) == 1


# A database that cannot be used: nothing stored, nothing lost.


def test_a_directory_in_place_of_the_file(thresher: Cli, in_folder: Path) -> None:
    (in_folder / "place").mkdir()
    for words in (["new", "c", *COIN], ["ask"], ["verdicts"], ["list"], ["verify"], ["extend", "5"]):
        said = thresher(*words, "--db", "sqlite:///place")
        assert said.code == 3
        assert "place is a directory" in said.err
    assert list((in_folder / "place").iterdir()) == []


def test_the_database_of_another_program_is_left_alone(thresher: Cli, in_folder: Path) -> None:
    theirs = sqlite3.connect(in_folder / "other.db")
    theirs.execute("CREATE TABLE campaign (x)")
    theirs.close()
    before = (in_folder / "other.db").read_bytes()
    for words in (["new", "c", *COIN], ["list"], ["token", "code"]):
        said = thresher(*words, "--db", "sqlite:///other.db")
        assert (said.code, said.out) == (3, "")
        assert "other.db is a database of another program; give another file" in said.err
    assert (in_folder / "other.db").read_bytes() == before


def test_a_file_that_is_no_database(thresher: Cli, in_folder: Path) -> None:
    (in_folder / "notes.txt").write_text("dear diary, " * 100)
    said = thresher("list", "--db", "sqlite:///notes.txt")
    assert said.code == 3
    assert "notes.txt" in said.err
    assert (in_folder / "notes.txt").read_text().startswith("dear diary")


def test_a_database_of_a_newer_version(coins: Cli, in_folder: Path) -> None:
    database = sqlite3.connect(in_folder / "thresher.db")
    database.execute("INSERT INTO thresher_schema VALUES (9000, 'future', '')")
    database.commit()
    database.close()
    before = (in_folder / "thresher.db").read_bytes()
    for words in (["new", "c", *COIN], ["ask"], ["verdicts"], ["list"]):
        said = coins(*words)
        assert said.code == 3
        assert "9000" in said.err
    assert (in_folder / "thresher.db").read_bytes() == before
    assert load_migrations()[-1].version < 9000


def test_a_locked_file(coins: Cli, in_folder: Path) -> None:
    holder = sqlite3.connect(in_folder / "thresher.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    for words in (["new", "c", *COIN], ["ask"], ["extend", "5"]):
        said = coins(*words, "--db", "sqlite:///thresher.db?timeout=0.2")
        assert said.code == 3
        assert "another process is writing for long: try again" in said.err
    holder.close()
    standing = json.loads(coins("list", "--json").out)["campaigns"]
    assert [(row["name"], row["budget"], row["outstanding"]) for row in standing] == [("coins", 20.0, 0.0)]


AS_ANOTHER_USER = """
import contextlib, io, os, sys
from thresher.cli.main import main
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
    main(["ask", "--db", sys.argv[1]])  # another user may not be allowed to import
if os.geteuid() == 0:
    os.seteuid(65534)  # the superuser may write everything
main(["ask", "--db", sys.argv[2]])
"""


def test_a_read_only_file(coins: Cli, in_folder: Path) -> None:
    folder = Path(tempfile.mkdtemp())  # not one of pytest, which only its owner may enter
    path = folder / "coins.db"
    Campaign.create(f"sqlite:///{path}", "coins", arms=["a"], threshold=0.5, budget=9).disconnect()
    before = path.read_bytes()
    path.chmod(0o444)
    folder.chmod(0o555)
    words = [f"sqlite:///{in_folder}/thresher.db", f"sqlite:///{path}"]
    done = subprocess.run([sys.executable, "-c", AS_ANOTHER_USER, *words], capture_output=True, text=True)
    folder.chmod(0o700)
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("thresher: ")
    assert path.read_bytes() == before
    shutil.rmtree(folder)
