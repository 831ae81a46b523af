"""Family, bar, sampling and guarantee are objects: nothing outside their folders asks which one it is."""

import re
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from thresher.inference.bars import FixedBar
from thresher.jit import PACKAGE
from thresher.problem import Question, Statistics
from thresher.problem import question as questions
from thresher.problem.sampling.independent import IndependentSampling
from thresher.types import Floats

pytestmark = pytest.mark.xdist_group("objects")  # one worker starts the process with new kinds, for all of them

ASKS = re.compile(
    r"family ==|kind is |\.has_range|kind\.noise|\.control is|terms\.control\b|structure is (?:not )?None"
    r"|\.pools\b(?= (?:else|and|or|:))"
)
HOME = re.compile(r"(^|/)(families|bars|sampling|guarantees)/|^problem/structure\.py")
MOST = 38

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
BAR = '''
from dataclasses import replace
import numpy as np
from thresher.inference.bars import FixedBar

class Highest(FixedBar):
    """The highest threshold is the bar of every arm."""
    @classmethod
    def takes(cls, question):
        return question.control is None and np.ptp(question.thresholds) > 0.0
    def __init__(self, question):
        super().__init__(replace(question, thresholds=np.full(question.n_arms, question.thresholds.max())))
'''
SAMPLING = '''
import numpy as np
from thresher.problem.sampling.pool import PoolSampling

class Doubted(PoolSampling):
    """Few items, which may not be those that were meant."""
    kind = "pool"
    @classmethod
    def takes(cls, structure):
        return structure.sizes.max() < 10
    def limits(self, question, seen, alpha):
        low, high = super().limits(question, seen, alpha)
        return low - 0.4, high + 0.4
    def certain_sides(self, question, seen, bars):
        return np.zeros(question.n_arms, np.int64)
    def attainable_means(self, question, seen):
        return np.zeros(question.n_arms), np.ones(question.n_arms)
'''
REGISTERED = """
from thresher import registries
from thresher.registries import Registered
registries.FAMILIES["counts"] = Registered("mine.counts", "Counts", "a count", ("sigma_check",))
registries.GUARANTEES["careful"] = Registered("mine.careful", "Careful", "a tenth of the risk")
registries.BARS = {"highest": Registered("mine.highest", "Highest", "")} | registries.BARS
registries.SAMPLINGS = {"doubted": Registered("mine.doubted", "Doubted", "")} | registries.SAMPLINGS
"""
PLAYED = """
import thresher as th
terms = dict(family="counts", guarantee="careful", threshold=5.0, sigma_check="warn")
campaign = th.Campaign.create("memory://", "counted", arms=["low", "high"], budget=40, **terms)
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
# An arm that passes 45 of 100 times is above its own threshold and below the highest one.
COMPARED = """
import thresher as th
told, arms = {"low": 0, "high": 0}, {"arm": ["low", "high"], "threshold": [0.2, 0.7]}
campaign = th.Campaign.create("memory://", "coins", arms=arms, budget=200, policy="uniform")
for i in range(200):
    ticket = campaign.ask()
    told[ticket.arm] += 1
    campaign.tell(ticket, told[ticket.arm] % 20 < (9 if ticket.arm == "low" else 19))
print([(row.decision, row.threshold) for row in campaign.verdicts()])
campaign.verify()
"""
# Seven of eight items are right: items that are left cannot change the side of an arm.
SAMPLED = """
import thresher as th
terms = dict(items=[f"q{i}" for i in range(8)], threshold=0.5, budget=16, guarantee="anytime", risk=0.2)
campaign = th.Campaign.create("memory://", "asked", arms=["a", "b"], **terms)
while (ticket := campaign.ask()) is not None:
    campaign.tell(ticket, ticket.item != "q0")
print([row.decision for row in campaign.verdicts()])
campaign.verify()
"""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what the programs print in a new process next to a package of new kinds, all of which are registered."""
    folder = tmp_path_factory.mktemp("objects")
    package = folder / "mine"
    package.mkdir()
    files = {"__init__": "", "counts": FAMILY, "careful": GUARANTEE, "highest": BAR, "doubted": SAMPLING}
    for name, text in files.items():
        (package / f"{name}.py").write_text(text)
    program = [sys.executable, "-c", REGISTERED + PLAYED + COMPARED + SAMPLED]
    done = subprocess.run(program, check=False, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def printed(program: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a program prints in this process, where the new kinds are not registered."""
    exec(compile(program, "program", "exec"), {})
    return capsys.readouterr().out.strip()


def test_few_places_ask_which_kind_of_question_it_is() -> None:
    found: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if not HOME.search(name):
            found[name] += len(ASKS.findall(path.read_text()))
    assert found.total() <= MOST, found.most_common(10)


def test_a_family_and_a_guarantee_are_a_file_and_a_line_each(lines: list[str]) -> None:
    assert "-1 is below 0" in lines[0]
    assert "a tenth of 5\u00a0% for each arm" in lines[1]
    assert lines[2] == "['fail', 'pass']"


def test_a_bar_is_a_file_and_a_line(lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(COMPARED, capsys) == "[('pass', 0.2), ('pass', 0.7)]"
    assert lines[3] == "[('fail', 0.7), ('pass', 0.7)]"


def test_a_sampling_is_a_file_and_a_line(lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(SAMPLED, capsys) == "['pass', 'pass']"
    assert lines[4] == "['open', 'open']"


class Moved(IndependentSampling):
    """Every outcome is 0.1 too high."""

    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        low, high = super().limits(question, seen, alpha)
        return low - 0.1, high - 0.1


class Doubled(FixedBar):
    """The bar is twice the threshold."""

    def heights(self, means: Floats) -> Floats:
        return 2.0 * self.question.thresholds


def test_a_sampling_and_a_bar_are_asked_for_what_depends_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Statistics(np.full(2, 50.0), np.array([10.0, 40.0]), np.full(2, 50.0))
    plain = Question.of("gaussian", thresholds=[0.3, 0.4], sigma=1.0)
    expected = FixedBar(plain).limits(seen, alpha=0.05)
    monkeypatch.setattr(questions, "sampling_of", lambda _: Moved())
    monkeypatch.setattr(questions, "kind_of_bar", lambda _: Doubled)
    moved = Question.of("gaussian", thresholds=[0.3, 0.4], sigma=1.0)
    assert FixedBar(moved).limits(seen, alpha=0.05).low.tolist() == (expected.low - 0.1).tolist()
    assert moved.bar.heights(np.zeros(2)).tolist() == [0.6, 0.8]
