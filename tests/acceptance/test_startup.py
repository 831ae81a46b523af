"""The door is light: importing thresher, or asking for help, loads no heavy library.

Times are in benchmarks/startup.py.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.passed_modules import served_campaign

HEAVY = {"numba", "llvmlite", "scipy", "matplotlib", "pandas", "polars", "distributed", "sqlalchemy", "fastapi"}
THRESHER = str(Path(sys.executable).parent / "thresher")


CLIENT = """
import sys, thresher as th
campaign = th.Campaign.open(sys.argv[1], "coins", token=sys.argv[2])
campaign.tell(campaign.ask(), True)
print(campaign.verdicts().summary, campaign.standing, th.Campaign.list(sys.argv[1], token=sys.argv[2]))
"""


def imported(*arguments: str, **variables: str) -> set[str]:
    """Return the top-level modules that a Python process imports."""
    words, environment = [sys.executable, "-X", "importtime", *arguments], os.environ | variables
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in re.findall(r"^import time:.*\|\s+([\w.]+)$", done.stderr, re.MULTILINE)}


def test_the_list_of_imports_is_seen() -> None:
    assert "numba" in imported("-c", "import numba")


def test_importing_thresher_imports_nothing_heavy() -> None:
    modules = imported("-c", "import thresher")
    assert "thresher" in modules
    assert not modules & HEAVY


def test_neither_side_imports_a_compiler_before_it_compiles() -> None:
    assert not imported("-c", "import thresher.research.simulation, thresher.campaign, thresher.run") & {
        "numba",
        "llvmlite",
    }


TYPED = """
import contextlib, io, json, sys
from thresher.cli.main import main

loaded, ticket = [], ""
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            main([word.replace("TICKET", ticket) for word in words])
        except SystemExit as left:
            assert not left.code, (words, left.code)
    ticket = (out.getvalue().split() or [""])[0]
    loaded.append([*{name.partition(".")[0] for name in sys.modules}])
print(json.dumps(loaded))
"""


def loaded(*commands: list[str], **variables: str) -> list[set[str]]:
    """Return the top-level modules that a process has loaded after each of some commands."""
    words = [sys.executable, "-c", TYPED, json.dumps(commands)]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | variables)
    assert done.returncode == 0, done.stderr
    return [{*names} for names in json.loads(done.stdout)]


def test_help_imports_nothing_heavy() -> None:
    assert not imported(THRESHER, "--help") & HEAVY
    commands = (["simulate"], ["problems"], ["policies"])
    found = loaded(*([*command, "--help"] for command in commands))
    assert "thresher" in found[0]
    assert [modules & HEAVY for modules in found] == [set(), set(), set()]


def test_what_is_done_by_hand_all_day_loads_no_compiler(tmp_path: Path) -> None:
    database = {"THRESHER_DB": f"sqlite:///{tmp_path}/door.db", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    with served_campaign(database["THRESHER_DB"]) as (address, token):
        assert not imported("-c", CLIENT, address, token, **database) & HEAVY
    light = (
        ["new", "other", "--arm", "a", "--arm", "b", "--bar", "0.5", "--budget", "9"],
        ["ask", "coins"],
        ["tell", "coins", "TICKET", "yes"],
        ["list"],
    )
    # The first counts of an experiment: the ranking and the intervals of a few arms and a control are interpreted, too.
    counts = tmp_path / "days.csv"
    counts.write_text("day,arm,visitors,bought\n1,control,1000,26\n1,short form,1010,41\n")
    read = ["tell", "pages", "--from", str(counts), "--count-column", "visitors", "--outcome-column", "bought"]
    interpreted = (
        ["verdicts", "coins"],  # small: its formulas are interpreted
        [*read, "--create", "--control", "control", "--budget", "30000"],
    )
    found = loaded(*light, **database)
    assert [(words, modules & HEAVY) for words, modules in zip(light, found, strict=True) if modules & HEAVY] == []
    for command in interpreted:  # each alone: a process that interprets for long compiles
        [modules] = loaded(command, **database)
        assert "numba" not in modules, command
