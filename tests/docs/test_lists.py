"""Tables of names and numbers that code or another page has too agree with it."""

import math
import re
from collections import Counter

import pytest

from reproduction.catalogue import FIGURES
from tests.support.checkout import CHECKOUT
from thresher.campaign.storage.migrations import load_migrations
from thresher.policy import find_policy, policy_names
from thresher.problem.families import FAMILIES
from thresher.registries import LOG_FORMATS
from thresher.research.league.suite import NAMED, NEIGHBOURS, suite

PAGES = {path.stem: path.read_text() for path in (CHECKOUT / "docs").rglob("*.md")}
LEAGUE = PAGES["league"]
RATIO = re.compile(r"^\| `([^`]+)`[^|]*\| ([\d.]+) \| [\d.]+ to [\d.]+ \| (\d+) \|$", re.MULTILINE)


def first_cells(page: str, heading: str) -> list[str]:
    """Return the names in the first column of the tables below a heading, up to the next heading."""
    section = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)", PAGES[page], re.MULTILINE | re.DOTALL)
    assert section, heading
    cells = re.findall(r"^\| (`[^|]*`) \|", section[1], re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def test_the_families_are_all_listed() -> None:
    assert first_cells("problem", "Evidence") == list(FAMILIES)


def test_the_formats_of_logs_are_all_listed() -> None:
    named = re.findall(r"^\|.*\|.*\|(.*)\|$", PAGES["import-logs"].partition("## ")[0], re.MULTILINE)
    assert set(re.findall(r"`([^`]+)`", "".join(named))) == set(LOG_FORMATS)


def test_moving_from_0_2_names_the_version_of_the_schema() -> None:
    named = re.findall(r"has schema version (\d+)", PAGES["move-from-0-2"])
    assert named == [str(load_migrations()[-1].version)]


def test_the_policies_of_the_literature_are_all_listed() -> None:
    assert first_cells("literature-baselines", "The policies") == list(NEIGHBOURS)


def test_the_policies_that_stop_at_an_error_rate_are_all_listed() -> None:
    promising = [name for name in policy_names() if find_policy(name).traits.promise]
    assert sorted(first_cells("fixed-confidence", "Three questions and their policies")) == sorted(promising)


def test_every_policy_of_the_problem_page_exists() -> None:
    assert set(first_cells("problem", "Policies")) <= set(policy_names())


def test_every_figure_is_listed() -> None:
    named = {name.removesuffix("-ours") for name in FIGURES}
    assert set(re.findall(r"`([\w-]+)`", _first_columns("reproduce-a-figure"))) == named


def _first_columns(page: str) -> str:
    return "\n".join(re.findall(r"^\| (`[^|]*`) \|", PAGES[page], re.MULTILINE))


def test_the_league_shows_every_problem_at_every_budget() -> None:
    cells = re.findall(r"^\| `([^`]+)` \| (\d+) \| [\d.]+ \|", LEAGUE, re.MULTILINE)
    of_suite = [(name, f"{budget:g}") for name, budgets, _ in NAMED for budget in budgets]
    assert cells[: len(of_suite)] == of_suite
    ratios = {name: int(count) for name, _, count in RATIO.findall(LEAGUE)}
    assert ratios["apt"] == len(cells)


def test_the_ratios_of_the_league_are_those_of_its_cells() -> None:
    rows = [
        line.split("|")[1:-1]
        for line in LEAGUE.splitlines()
        if re.match(r"\| `[^`]+` \| \d+ \| [\d.]+ \| [\d.]+ \|", line)
    ]
    header = next(line for line in LEAGUE.splitlines() if line.startswith("| problem | budget | `stopping` |"))
    columns = re.findall(r"`([^`]+)`", header)
    for name, ratio, count in RATIO.findall(LEAGUE):
        if name not in columns:
            continue
        column = 2 + columns.index(name)
        logs = [math.log(float(row[2]) / float(row[column])) for row in rows if row[column].strip() != "–"]
        assert len(logs) == int(count)
        assert math.exp(sum(logs) / len(logs)) == pytest.approx(float(ratio), rel=0.005)  # the cells are rounded


def test_the_cells_of_the_literature_are_those_of_the_suite() -> None:
    played = Counter(name for entry in suite("all") for name in entry.policies for _ in entry.budgets)
    shown = {name: int(count) for name, _, count in RATIO.findall(PAGES["literature-baselines"])}
    assert len(shown) > 20
    assert shown == {name: played[name] for name in shown}


def test_the_value_of_the_gaps_is_that_of_the_league() -> None:
    (percent,) = re.findall(r"about (\d+) % more mistakes than `sprt`", PAGES["why-adaptive"])
    ratios = {name: float(ratio) for name, ratio, _ in RATIO.findall(LEAGUE)}
    assert round(100 * (ratios["sprt"] - 1)) == int(percent)
