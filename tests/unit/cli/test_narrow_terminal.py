"""Every table of the command line on a terminal of 80 columns: no line is longer, no number and no word is broken."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from typer.main import get_command

from thresher.cli.main import app

WIDTH = 80
RUNS = ("--runs", 20)


@pytest.fixture
def terminal(thresher: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Give the command line on a terminal of 80 columns, and where the width is not limited."""

    def run(*words: object, width: int = WIDTH) -> Any:
        monkeypatch.setenv("COLUMNS", str(width))
        return thresher(*words)

    return run


def words_of(text: str) -> set[str]:
    """Return numbers and words, without what marks the end of a sentence."""
    return {word.strip(".,;:()[]") for word in text.split()}


COMMANDS: dict[str, tuple[object, ...]] = {
    "problems": ("problems",),
    "policies": ("policies",),
    "theory": ("theory", "linear"),
    "theory-toy": ("theory", "toy", "-b", 20),
    "theory-allocation": ("theory", "constant:K=5", "-b", 100, "--allocation"),
    "theory-runs": ("theory", "linear", "-b", 500, *RUNS),
    "league": ("league", "--problem", "beta-population:K=100,a=1,b=9,threshold=0.1", *RUNS),
    "simulate": ("simulate", "linear", "-p", "stopping", "-p", "lsa:alpha=1.35", "-b", 500, *RUNS),
    "simulate-price": ("simulate", "linear", "-p", "stopping", "-b", 500, "--stop-price", 0.001, *RUNS),
    "simulate-alpha": ("simulate", "locatelli-1", "-p", "hdoc", "--alpha", 0.1, *RUNS),
    "plan": ("plan", "--arms", 10, "--spread", 2, "--mistakes", 0.5, *RUNS),
    "help": ("--help",),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_table_fits_and_nothing_in_it_is_broken(name: str, terminal: Callable[..., Any]) -> None:
    narrow, wide = terminal(*COMMANDS[name]), terminal(*COMMANDS[name], width=400)
    assert narrow.code == wide.code == 0
    assert max(cell_len(line.rstrip()) for line in narrow.out.splitlines()) <= WIDTH
    assert words_of(narrow.out) <= words_of(wide.out) | {"..."}


@pytest.fixture
def measured(thresher: Callable[..., Any], in_folder: Path) -> None:
    """Make a campaign with long names and a few outcomes."""
    arms = [f"prompt-{i}/a-model-with-a-long-name" for i in range(5)]
    assert thresher("new", "prompts", *(f"--arm={arm}" for arm in arms), "-t", "0.8", "-b", "200").code == 0
    log = in_folder / "log.csv"
    lines = [f"{arm},{(i + j) % 2}" for i in range(8) for j, arm in enumerate(arms)]
    log.write_text("\n".join(["arm,outcome", *lines]) + "\n")
    assert thresher("tell", "prompts", "--from", log).code == 0


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize("command", ["verdicts", "list"])
def test_the_tables_of_a_campaign_fit(command: str, terminal: Callable[..., Any]) -> None:
    said = terminal(command)
    assert said.code == 0
    assert max(cell_len(line.rstrip()) for line in said.out.splitlines()) <= WIDTH
    numbers = re.findall(r"\d+\.\d*$", said.out, flags=re.MULTILINE)
    assert [number for number in numbers if number.endswith(".") and number[:-1].isdigit() and len(number) < 3] == []


def test_what_is_left_out_is_named_with_the_way_to_see_it(terminal: Callable[..., Any]) -> None:
    said = terminal(*COMMANDS["theory"])
    assert "apt ≤" not in said.out
    assert " ".join(said.err.split()).startswith("Apt ≤, ")
    assert "--json" in said.err
    assert "apt ≤" in terminal(*COMMANDS["theory"], width=200).out


def test_the_help_groups_the_commands(terminal: Callable[..., Any]) -> None:
    lines = terminal("--help").out.splitlines()
    places = [lines.index(f"{title}:") for title in ("Decide", "Serve", "Research")]
    assert places == sorted(places)
    ends = [*places[1:], len(lines)]
    listed = [
        {line.split()[0] for line in lines[first + 1 : last] if re.match(r"  \S", line)}
        for first, last in zip(places, ends, strict=True)
    ]
    decide, serve, research = listed
    assert {"run", "verdicts", "list"} <= decide
    assert serve == {"serve", "work", "mcp", "token", "backup", "restore", "copy"}
    assert {"simulate", "league"} <= research


def test_the_help_shows_whole_sentences(terminal: Callable[..., Any]) -> None:
    _usage, *lines = terminal("--help").out.splitlines()
    assert [line for line in lines if line.endswith("...")] == []


def test_examples_in_the_help_can_be_copied(terminal: Callable[..., Any]) -> None:
    commands: dict[str, Any] = vars(get_command(app))["commands"]
    copied = 0
    for name, command in commands.items():
        out = terminal(name, "--help").out
        assert max(map(len, out.splitlines())) <= WIDTH
        lines = {line.strip() for line in re.sub(r" \\\n +", " ", out).splitlines()}
        examples = set(re.findall(r"^    (thresher .*)$", command.help or "", re.MULTILINE))
        assert examples - lines == set(), name
        copied += len(examples)
    assert copied > 30
