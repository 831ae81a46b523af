"""The first minutes of each kind of user: every command on an example's page, in order, in a copy of its folder."""

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT
from thresher.campaign import Campaign

EXAMPLES = CHECKOUT / "examples"
PROGRAMS = ("thresher", "pytest", "python")


def commands(folder: str) -> list[list[str]]:
    """Return the commands of a page, as words."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (EXAMPLES / folder / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    return [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]


def follow(folder: str, tmp_path: Path, codes: set[int], **changes: str) -> list[str]:
    """Type the commands of a page, with some words changed; return what each prints."""
    here = tmp_path / folder
    shutil.copytree(EXAMPLES / folder, here, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    hidden = ("PYTEST_", "THRESHER_")  # we may be run by xdist ourselves
    own = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    printed = []
    for program, *words in commands(folder):
        assert program in PROGRAMS
        path = sys.executable if program == "python" else str(Path(sys.executable).parent / program)
        ours = ["-p", "no:cacheprovider"] if program == "pytest" else []
        words = [changes.get(word, word) for word in words]
        done = subprocess.run([path, *ours, *words], cwd=here, env=own, capture_output=True, text=True)
        assert done.returncode in codes, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        printed.append(done.stdout)
    return printed


def test_prompts(tmp_path: Path) -> None:
    ran, verdicts = follow("prompts", tmp_path, {0, 1, 2})
    for shown in (ran, verdicts):
        assert shown.startswith("prompts: ")
        assert "300 of 300 measurements spent" in " ".join(shown.split())
        assert len(re.findall(r"^(?:large|small) +\S+ .*(✔ pass|✘ fail|leaning|too close)", shown, re.MULTILINE)) == 6
    cases = ET.parse(tmp_path / "prompts" / "prompts.xml").getroot()[0].findall("testcase")
    assert len(cases) == 6
    rows = Campaign.open(f"sqlite:///{tmp_path}/prompts/thresher.db", "prompts").verdicts()
    proven = {row.arm: row.verdict for row in rows if row.proven}
    # Right in 65 % and in 97 % of its answers: an interval that excludes the other side of 80 % would have to leave
    # out means 0.15 and 0.17 away, far less often than the 1 in 20 that intervals may ever fail on the near side.
    assert proven.get("model=small prompt=terse") != "above"
    assert proven.get("model=large prompt=step-by-step") != "below"


@pytest.mark.nightly
def test_flaky_tests(tmp_path: Path) -> None:
    first, second = follow("flaky-tests", tmp_path, {1})
    for session in (first, second):
        assert re.search(r"test_shop.py::test_vat_is_right:\s+failed all \d+ runs in this session", session)
        assert " of 150 reruns used" in session
    cases = ET.parse(tmp_path / "flaky-tests" / "shop.xml").getroot()[0]
    found = {case.get("name"): case.find("failure") is not None for case in cases}
    assert len(found) == 5
    assert found["test_vat_is_right"]
    assert not found["test_prices_add_up"]
    # The second session went on from the first, and is a campaign.
    address = f"sqlite:///{tmp_path}/flaky-tests/.thresher-pytest.db"
    rows = Campaign.open(address, "pytest").verdicts()
    shown = re.search(r"thresher: (\d+) pass, (\d+) fail, (\d+) undecided", second)
    assert shown is not None
    decisions = [row.decision for row in rows]
    assert [int(number) for number in shown.groups()] == [decisions.count(each) for each in ("pass", "fail", "open")]
    once = re.search(r"(\d+) of 150 reruns used", first)
    assert once is not None
    assert sum(row.pulls for row in rows) > 5 + 5 + int(once[1])


@pytest.mark.nightly
def test_labels(tmp_path: Path) -> None:
    said, _ = follow("labels", tmp_path, {0})
    wrong = re.search(r"(\d+) are wrong", said)
    assert wrong is not None
    assert int(wrong[1]) < 20  # expected about 3 of 60; a fair coin would get 30
    with (tmp_path / "labels" / "birds.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60
    assert sum(int(row["pulls"]) for row in rows) == 600


@pytest.mark.nightly
def test_variants(tmp_path: Path) -> None:
    said, _, _ = follow("variants", tmp_path, {0, 1, 2})
    sides = {line.split()[0]: line.split()[1:3] for line in said.splitlines()}
    assert sides["autoplay"][0] == "fail"  # 15 % against a bar of 29 %
    visitors = sum(int(number) for number in re.findall(r"over +(\d+) visitors", said))
    assert 5000 < visitors < 20_000  # the rest went to the control, whose rate is the bar


@pytest.mark.nightly
def test_research(tmp_path: Path) -> None:
    said, theory = follow("research", tmp_path, {0})
    ratios = re.findall(r"^mine / (\S+) +at (\d+): ([\d.]+)", said, re.MULTILINE)
    assert len(ratios) == 10
    assert all(float(ratio) < 1.0 for rival, _, ratio in ratios if rival == "uniform")
    assert "adaptive" in theory


@pytest.mark.parametrize("folder", ["prompts", "flaky-tests", "labels", "variants", "research"])
def test_every_file_of_an_example_is_named_on_its_page(folder: str) -> None:
    page = (EXAMPLES / folder / "README.md").read_text()
    files = [path.name for path in (EXAMPLES / folder).iterdir() if path.is_file() and path.name[0] != "."]
    assert [name for name in files if name not in page and name != "README.md"] == []
