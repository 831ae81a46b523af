"""Family, bar, sampling and guarantee are objects: nothing outside their folders asks which one it is."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from thresher.inference.bars import FixedBar
from thresher.jit import PACKAGE
from thresher.problem import Question, Seen
from thresher.problem import question as questions
from thresher.problem.bars.fixed import Thresholds
from thresher.problem.sampling.independent import IndependentSampling
from thresher.types import Floats

ASKS = re.compile(
    r"family ==|kind is |\.has_range|kind\.noise|\.control is|terms\.control\b|structure is (?:not )?None"
    r"|\.pools\b(?= (?:else|and|or|:))"
)
HOME = re.compile(r"(^|/)(families|bars|sampling|guarantees)/|^problem/structure\.py")
MOST = 40

FAMILY = '''
from thresher.problem.families.unknown_variance import UnknownVariance

class Counts(UnknownVariance):
    """Counts, of about normal distribution."""
    name = "counts"
    def misfit(self, outcome, *, low, high):
        return f"{outcome:g} is below 0" if outcome < 0 else super().misfit(outcome, low=low, high=high)
'''
GUARANTEE = '''
from thresher.inference.guarantees.anytime import Anytime

class Careful(Anytime):
    """Always-valid intervals at a tenth of the risk."""
    name = "careful"
    promise = "a tenth of {risk} for each arm"
    def decide(self, case):
        found = case.bar.limits(case.seen, alpha=0.1 * case.risk)
        return case.excluded(found), lambda _: found
'''
PLAYED = """
from thresher import registries
registries.FAMILIES["counts"] = registries.Registered("mine.counts", "Counts", "a count")
registries.GUARANTEES["careful"] = registries.Registered("mine.careful", "Careful", "a tenth of the risk")
import thresher as th
terms = dict(family="counts", guarantee="careful", threshold=5.0)
campaign = th.Campaign.create("sqlite:///played.db", "counted", arms=["low", "high"], budget=40, **terms)
try:
    campaign.tell(campaign.ask(), -1.0)
except th.ThresherError as error:
    print(error)
for i in range(39):
    ticket = campaign.ask()
    campaign.tell(ticket, (3.0 if ticket.arm == "low" else 7.0) + 0.1 * (i % 3))
verdicts = campaign.verdicts()
print(verdicts.summary)
print([row.decision for row in verdicts])
campaign.verify()
"""


def test_few_places_ask_which_kind_of_question_it_is() -> None:
    found: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if not HOME.search(name):
            found[name] += len(ASKS.findall(path.read_text()))
    assert found.total() <= MOST, found.most_common(10)


def test_a_family_and_a_guarantee_are_a_file_and_a_line_each(tmp_path: Path) -> None:
    package = tmp_path / "mine"
    package.mkdir()
    for name, text in (("__init__", ""), ("counts", FAMILY), ("careful", GUARANTEE)):
        (package / f"{name}.py").write_text(text)
    played = subprocess.run([sys.executable, "-c", PLAYED], check=True, capture_output=True, text=True, cwd=tmp_path)
    lines = played.stdout.splitlines()
    assert "-1 is below 0" in lines[0]
    assert "a tenth of 5\u00a0% for each arm" in lines[1]
    assert lines[2] == "['fail', 'pass']"


class Moved(IndependentSampling):
    """Every outcome is 0.1 too high."""

    def limits(self, question: Question, seen: Seen, alpha: float) -> tuple[Floats, Floats]:
        low, high = super().limits(question, seen, alpha)
        return low - 0.1, high - 0.1


class Doubled(Thresholds):
    """The bar is twice the threshold."""

    def heights(self, question: Question, means: Floats) -> Floats:
        return 2.0 * question.thresholds


def test_a_sampling_and_a_bar_are_asked_for_what_depends_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Seen(np.full(2, 50.0), np.array([10.0, 40.0]), np.full(2, 50.0))
    plain = Question.of("gaussian", thresholds=[0.3, 0.4], sigma=1.0)
    expected = FixedBar(plain).limits(seen, alpha=0.05)
    monkeypatch.setattr(questions, "sampling_of", lambda _: Moved())
    monkeypatch.setattr(questions, "bar_of_question", lambda _: Doubled())
    moved = Question.of("gaussian", thresholds=[0.3, 0.4], sigma=1.0)
    assert FixedBar(moved).limits(seen, alpha=0.05).low.tolist() == (expected.low - 0.1).tolist()
    assert moved.bar.heights(moved, np.zeros(2)).tolist() == [0.6, 0.8]
