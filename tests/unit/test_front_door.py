"""What ``import thresher`` offers, and how type checkers see it."""

import asyncio
import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import term_keywords
import thresher as th
from tests.support.checkout import CHECKOUT
from tests.support.npm import installed
from thresher import errors
from thresher.campaign.storage import MemoryStorage

USER_CODE = """
import thresher as th

campaign = th.Campaign.create("memory://", "prompts", arms=["a", "b"], bar=0.8, budget=9, goal="decide", risk="5%")
ticket = campaign.ask()
if ticket is not None:
    receipt: th.Receipt = campaign.tell(ticket, True)
for each in campaign.ask(3):
    each.arm.upper()
rows: list[th.Verdict] = [row for row in campaign.verdicts() if row.decision == "pass"]
try:
    campaign.close()
except th.CampaignError as error:
    print(error)


async def main() -> None:
    other = await th.AsyncCampaign.open("https://host", "prompts", token="t")
    async for one in other.tickets():
        await other.tell(one, 1.0)
"""
# A mistake in place of the right words, and a word of the message about it.
WRONG = {
    'goal="decide"': ('goal="nothing"', "nothing"),
    'risk="5%"': ("rsik=0.05", "rsik"),
    "each.arm.upper()": ("each.arn", "arn"),
}


def mypy(folder: Path) -> subprocess.CompletedProcess[str]:
    words = ["-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", str(CHECKOUT / ".mypy_cache" / "user")]
    return subprocess.run([sys.executable, *words, *files_of(folder)], cwd=folder, capture_output=True, text=True)


def pyright(folder: Path) -> subprocess.CompletedProcess[str]:
    words = ["pyright", "--pythonpath", sys.executable, *files_of(folder)]
    found = installed("pyright", "1.1.407")
    return subprocess.run(words, cwd=folder, env=found, capture_output=True, text=True)


def files_of(folder: Path) -> list[str]:
    """Return the names of the modules in a folder."""
    return sorted(path.name for path in folder.glob("*.py"))


@pytest.mark.parametrize("checker", [mypy, pytest.param(pyright, marks=pytest.mark.nightly)])
def test_type_checkers_accept_user_code_and_find_its_mistakes(checker: object, tmp_path: Path) -> None:
    assert callable(checker)
    (tmp_path / "right.py").write_text(USER_CODE)
    for name, (right, (mistake, _)) in zip("abc", WRONG.items(), strict=True):
        assert right in USER_CODE
        (tmp_path / f"wrong_{name}.py").write_text(USER_CODE.replace(right, mistake))
    done = checker(tmp_path)  # all at once: a checker reads our package for seconds
    lines = [line for line in done.stdout.splitlines() if "error" in line and ".py" in line]
    assert not [line for line in lines if "right.py" in line], done.stdout
    for name, (_, word) in zip("abc", WRONG.values(), strict=True):
        assert [line for line in lines if f"wrong_{name}.py" in line and word in line], done.stdout + done.stderr
    assert done.returncode == 1


def test_the_keywords_are_those_of_the_terms() -> None:
    assert term_keywords.TARGET.read_text() == term_keywords.generated(), "run python tools/term_keywords.py"


def test_errors_and_values_are_exported_without_loading_numba() -> None:
    assert set(errors.__all__) <= set(th.__all__)
    assert all(getattr(th, name) is not None for name in th.__all__)
    loaded = "import sys, thresher; thresher.InvalidInputError; print('numba' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True).stdout == "False\n"


def test_the_bar_has_two_names() -> None:
    made = [
        th.Campaign.create(MemoryStorage(), "c", arms=["a"], budget=4, **given)  # type: ignore[arg-type]
        for given in ({"bar": 0.3}, {"threshold": 0.3})
    ]
    assert [campaign.verdicts()[0].threshold for campaign in made] == [0.3, 0.3]
    made[0].add_arms(["b"], bar=0.4)
    assert made[0].verdicts()[1].threshold == 0.4
    with pytest.raises(th.InvalidInputError, match=r"bar is 0\.4; must be left out: threshold is its other name"):
        th.Campaign.create(MemoryStorage(), "c", arms=["a"], budget=4, bar=0.4, threshold=0.4)


def test_rows_are_read_by_name() -> None:
    campaign = th.Campaign.create(MemoryStorage(), "c", arms=["a"], items=2, budget=2, bar=0.4)
    rows: list[Any] = [campaign.verdicts()[0], campaign.items()[0], campaign.allocate().rows[0]]
    for row in rows:
        assert dataclasses.is_dataclass(row)
        assert not isinstance(row, tuple)
    assert list(campaign.verdicts()[0].to_dict())[:3] == ["arm", "verdict", "mean"]


def test_an_async_campaign_runs_with_other_coroutines() -> None:
    async def main() -> list[str]:
        campaign = await th.AsyncCampaign.create(MemoryStorage(), "c", arms=["a", "b"], bar=0.5, budget=40)

        async def work() -> None:
            async for ticket in campaign.tickets():
                await campaign.tell(ticket, ticket.arm == "a")

        await asyncio.gather(work(), work(), work())
        assert (await campaign.standing()).spent == 40
        assert await campaign.ask(2) == []
        return [row.decision for row in await campaign.verdicts(risk=0.1)]

    assert asyncio.run(main()) == ["pass", "fail"]


POLICY = """
from thresher.policy import register_policy

class Least:
    def choose(self, seen, rng):
        return int(seen.counts.argmin())
"""
FORMAT = """
from thresher.run.importers.log import Log, Record

def recognises(document):
    return isinstance(document, dict) and "marks" in document

def read(path, document):
    marks = enumerate(document["marks"])
    records = [Record(f"mark {i}", str(i), {"who": who, "mark": mark}) for i, (who, mark) in marks]
    return Log(path.name, records, ("who",), "mark", 0, "")
"""
# Types several commands in one process, and prints what came of each.
TYPED = """
import contextlib, io, json, sys
from thresher.cli.main import main

def typed(words):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main(words)
        except SystemExit as left:
            return {"code": left.code, "out": out.getvalue(), "err": err.getvalue()}

print(json.dumps([typed(words) for words in json.loads(sys.argv[1])]))
"""


@dataclasses.dataclass
class Said:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def test_installed_packages_add_policies_formats_and_measurements(tmp_path: Path) -> None:
    (tmp_path / "extra_policy.py").write_text(POLICY)
    (tmp_path / "extra_format.py").write_text(FORMAT)
    info = tmp_path / "extra-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n")
    points = "[thresher.policies]\nleast = extra_policy:Least\nbroken = extra_policy:Missing\n"
    points += "[thresher.formats]\nmarks = extra_format\n[thresher.measurements]\nlong-names = extra_measure:is_long\n"
    (info / "entry_points.txt").write_text(points)
    (tmp_path / "extra_measure.py").write_text("def is_long(arm):\n    return len(arm) > 3\n")
    (tmp_path / "marks.json").write_text(json.dumps({"marks": [["ann", 1], ["bob", 0], ["ann", 1]]}))
    told = ("tell", "m", "--from", "marks.json", "--create", "--bar", "0.5", "--budget", "10", "--json")
    words = ("--arm", "ann", "--arm", "barbara", "--bar", "0.5", "--budget", "20", "--json")
    commands = [
        # What lists everything comes last: each of the others has to load what it needs.
        ("simulate", "linear:K=4", "--policy", "least", "--budget", "20", "--runs", "2"),
        told,
        ("run", "--function", "long-names", *words),
        ("run", "--function", "short", *words),
        ("policies", "--json"),
    ]
    inherited = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    program = [sys.executable, "-c", TYPED, json.dumps(commands)]
    done = subprocess.run(program, cwd=tmp_path, env=inherited, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    simulated, read, measured, short, listed = [Said(**said) for said in json.loads(done.stdout)]
    found = json.loads(listed.out)
    assert (found["formats"], found["measurements"]) == (["marks"], {"long-names": "extra_measure:is_long"})
    assert "least" in [one["name"] for one in found["policies"]]
    assert "the policy 'broken' of extra_policy:Missing cannot be loaded" in simulated.err  # once in a process
    assert simulated.code == 0, simulated.err
    assert json.loads(read.out)["told"] == 3, read.err
    assert [row["decision"] for row in json.loads(measured.out)["verdicts"]] == ["fail", "pass"], measured.err
    assert "an installed measurement: long-names" in short.err
