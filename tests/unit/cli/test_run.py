"""The command: flags and file, table and JSON, files written, sentences for what is wrong."""

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from thresher.campaign import Campaign
from thresher.cli.main import main
from thresher.cli.run import run
from thresher.run.spec import KEYS


def call(*words: str) -> int:
    """Run the command; return its exit code."""
    with pytest.raises(SystemExit) as left:
        main(["run", *words])
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a temporary folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


TOSS = ["--bar", "0.5", "--budget", "6", "-c", "true"]


def having(words: list[str], option: str, value: str) -> list[str]:
    """Return words with another value of an option."""
    place = words.index(option) + 1
    return [*words[:place], value, *words[place + 1 :]]


COIN = [
    "--bar",
    "0.5",
    "--budget",
    "6",
    "--arm",
    "heads",
    "--arm",
    "tails",
    "-c",
    "test {arm} = heads",
    "--risk",
    "0.01",
]


def test_every_key_is_a_flag() -> None:
    flags = {"pass" if name == "passes" else name for name in inspect.signature(run).parameters}
    assert flags - {"spec", "json", "all_", "fresh", "same_measurement", "yes"} == set(KEYS) - {"arms"} | {"arm"}


def test_the_help_shows_the_default_of_every_term(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--help") == 0
    options = re.split(r" --(?=[a-z-]+ <)", flat(capsys.readouterr().out))
    helps = dict(option.split(maxsplit=1) for option in options[1:])
    for name, default in [("control", "none"), ("low", "0.0"), ("lease", "30.0"), ("family", "depends on --outcome")]:
        assert f"[default: {default}]" in helps[name]
    assert "the value that an arm's mean must exceed" in helps["bar"]


@pytest.mark.parametrize(
    ("command", "passes", "budget", "code"),
    [
        ("true", "above", 40, 0), ("true", "below", 40, 1), ("false", "above", 40, 1), ("false", "below", 40, 0),
        ("test {arm} = heads", "above", 40, 1), ("true", "above", 2, 2), ("false", "above", 2, 2),
    ],
)  # fmt: skip
def test_the_exit_code_says_whether_every_arm_passes(
    folder: Path, command: str, passes: str, budget: int, code: int
) -> None:
    words = ["--arm", "heads", "--arm", "tails", "--bar", "0.5", "--budget", str(budget), "--pass", passes]
    assert call(*words, "--command", command) == code


def test_a_table_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*COIN) == 2
    printed = capsys.readouterr().out
    assert printed.startswith("run: 0 pass, 0 fail, 2 undecided (1 leaning pass, 1 leaning fail).")
    assert "6 of 6 measurements spent." in printed.replace("\n", " ")
    assert [line.split()[:3] for line in printed.splitlines() if line.startswith(("heads", "tails"))] == [
        ["heads", "leaning", "pass"],
        ["tails", "leaning", "fail"],
    ]
    assert "(run it again with --budget " in printed.replace("\n", " ")
    call(*COIN)
    assert "Nothing was measured: the budget is spent; give a larger --budget" in flat(capsys.readouterr().err)


def test_a_lower_budget_than_that_of_the_campaign_is_noted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(*COIN)
    assert "a run does not reduce" not in capsys.readouterr().err
    call(*having(COIN, "--budget", "4"))
    assert "Note: the campaign has a budget of 6, which a run does not reduce to 4." in flat(capsys.readouterr().err)


def flat(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())


def test_a_run_that_measures_nothing_says_why_and_exits_0_only_if_all_was_decided(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*COIN) == 2
    campaign = Campaign.open("sqlite:///thresher.db", "run")
    campaign.extend(30)
    campaign.close()
    campaign.disconnect()
    capsys.readouterr()
    assert call(*COIN) == 2
    assert "Nothing was measured: the campaign is closed; add --fresh" in flat(capsys.readouterr().err)
    decided = ["--name", "d", "--bar", "0.5", "--budget", "40", "--arm", "heads", "-c", "true"]
    assert call(*decided) == 0
    assert call(*decided) == 0
    assert "Nothing was measured: the budget is spent" in flat(capsys.readouterr().err)


def test_a_run_of_a_paused_campaign_ends_and_says_how_to_resume(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*COIN) == 2
    campaign = Campaign.open("sqlite:///thresher.db", "run")
    campaign.pause()
    capsys.readouterr()
    assert call(*having(COIN, "--budget", "8")) == 3
    said = capsys.readouterr().err
    assert "status of the campaign 'run' is 'paused'; must be open to measure" in said
    assert "resume it on the dashboard or by" in said
    assert campaign.spent == 6
    campaign.resume()
    campaign.disconnect()
    assert call(*having(COIN, "--budget", "8")) == 2


def test_a_command_that_fails_on_every_arm_is_asked_about_on_a_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str], type_in: Callable[[str], int]
) -> None:
    wrong = ["--bar", "0.5", "--budget", "12", "--arm", "a", "-c", "echo no such model >&2; exit 1"]
    type_in("no")
    assert call(*wrong) == 3
    said = capsys.readouterr().err
    assert "no such model" in said
    assert "continue? [y/N]" in said
    type_in("y")
    assert call(*having(wrong, "--budget", "20"), "--json") in (1, 2)
    assert json.loads(capsys.readouterr().out)["spent"] == 20


def test_after_a_command_that_failed_on_every_arm_fresh_starts_again_with_the_corrected_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    least = ["--bar", "0.5", "--budget", "12", "--arm", "a"]
    assert call(*least, "-c", "echo no such model >&2; exit 1") == 3
    assert "run the corrected one with --fresh, which starts a new campaign" in capsys.readouterr().err
    assert call(*least, "-c", "true") == 3
    assert "add --fresh to measure by it in a new campaign" in capsys.readouterr().err
    assert call(*least, "-c", "true", "--fresh", "--json") in (0, 2)
    found = json.loads(capsys.readouterr().out)
    assert (found["campaign"], found["spent"], found["verdicts"][0]["mean"]) == ("run (2)", 12, 1)
    assert call(*having(least, "--budget", "13"), "-c", "true", "--json") in (0, 2)  # the newest goes on
    assert json.loads(capsys.readouterr().out)["measured"] == 1


def test_one_document_for_programs_and_files_for_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = call(*COIN, "--json", "--junit", "j.xml", "--markdown", "m.md", "-j", "2")
    made = json.loads(capsys.readouterr().out)
    assert (made["exit_code"], made["spent"], made["pass"]) == (code, 6, "above")
    assert "<testcase" in (folder / "j.xml").read_text()
    assert (folder / "m.md").read_text().startswith("# run")


def test_a_file_and_a_flag(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "coin.toml").write_text(
        'bar = 0.5\nbudget = 4\ncommand = "test {side} = heads"\nmatrix.side = ["heads"]\n'
    )
    call("coin.toml", "--matrix", "side=heads,tails", "--json", "--pass", "below")
    made = json.loads(capsys.readouterr().out)
    assert made["campaign"] == "coin"
    assert [(each["arm"], each["verdict"]) for each in made["verdicts"]] == [
        ("side=heads", "above"),
        ("side=tails", "below"),
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nothing.toml"], "spec is 'nothing.toml'; cannot be read"),
        (["--bar", "0.5"], "budget is missing; give --budget"),
        ([*COIN, "--arm", "heads"], "arm 3, name is 'heads'; must be unique: arm 1 has it too"),
        (having(COIN, "--bar", "1.5"), "--bar is 1.5; must be between 0 and 1 (exclusive)"),
        ([*COIN, "--matrix", "x"], "--matrix is 'x'; must be written name=value,value"),
        ([*TOSS, "--matrix", "x="], "--matrix is 'x='; must be written name=value,value"),
        (
            [*TOSS, "--matrix", "x=1,"],
            "--matrix: matrix parameter 'x' is ['1', '']; must have values, none of them empty",
        ),
        ([*TOSS, "--matrix", "x=1", "--matrix", "x=2"], "--matrix is 'x=2'; must not repeat 'x'"),
        (having(COIN, "-c", "no-such-program"), "no-such-program was not found"),
        ([*COIN, "--outcome", "last-line"], "printed nothing"),
        ([*having(COIN, "-c", "echo nan"), "--outcome", "last-line"], "'nan', which is not a number"),
        ([*COIN, "--junit", "no/such/folder.xml"], "cannot write no/such/folder.xml"),
        ([*COIN, "--jobs", "x"], "--jobs is 'x'; must be a whole number"),
    ],
)
def test_what_is_wrong_is_a_sentence_and_exit_code_3(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert call(*words, "--retries", "0") == 3
    err = capsys.readouterr().err
    assert says in err
    assert "Traceback" not in err


def test_an_unknown_key_is_named_with_its_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "coin.toml").write_text('bar = 0.5\nbugdet = 4\ncommand = "true"\n')
    assert call("coin.toml") == 3
    assert (
        "coin.toml line 2: key is 'bugdet'; must be a key of a spec; did you mean 'budget'?" in capsys.readouterr().err
    )


def test_an_arm_that_would_be_an_option_is_a_wrong_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--bar", "0.5", "--budget", "4", "--arm", "a", "--arm=-copen('ran', 'w')", "-c", "python3 {arm}") == 3
    assert capsys.readouterr().err == (
        """thresher: --command: arm is "-copen('ran', 'w')"; must not begin with '-' at the start of an argument: """
        "the command would read it as an option; rename it, or write text before the placeholder, as in ./{arm} or "
        "--arm={arm}\n"
    )
    assert list(folder.iterdir()) == []


def test_a_resumed_run_says_that_it_waits_for_the_leases_of_a_killed_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*COIN, "--lease", "1") == 2
    campaign = Campaign.open("sqlite:///thresher.db", "run")
    campaign.extend(2)
    assert len(campaign.ask(2)) == 2  # of a run that was killed
    campaign.disconnect()
    capsys.readouterr()
    call(*having(COIN, "--budget", "8"), "--lease", "1", "--json")
    printed = capsys.readouterr()
    said = " ".join(printed.err.split())
    assert "2 of the budget is in flight" in said
    assert "when its lease expires, in at most 1 s" in said
    assert json.loads(printed.out)["spent"] == 8
