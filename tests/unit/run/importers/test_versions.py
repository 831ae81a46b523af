"""Any sequence of versions of files, voids and tells, compared with the rule: a source is a multiset of lines.

In the end every import is voided, one after the other: so it is seen which import each removed line was taken from.
"""

import random
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.recorded.record_imports import DUMP, LINES, text_of
from thresher.campaign import Campaign, ImportOptions
from thresher.campaign.local import LocalBackend
from thresher.campaign.storage import MemoryStorage, Storage
from thresher.campaign.storage.sqlite import SqliteStorage
from thresher.errors import ImportConflictError, LikelyCopyError
from thresher.run.importers import Columns, read_log, tell_log

SOURCES = ("x.csv", "y.csv")
lines = st.builds(
    lambda arm, outcome, run: f"{arm},{outcome},{run}", st.sampled_from("ab"), st.integers(0, 1), st.integers(0, 1)
)
versions = st.lists(lines, min_size=1, max_size=8)
imports = st.tuples(st.just("import"), st.sampled_from(SOURCES), versions, st.booleans(), st.booleans())
edits = st.tuples(
    st.just("edit"), st.sampled_from(SOURCES), st.sampled_from(["shuffle", "grow", "double", "shrink", "halve", "fix"]),
    st.booleans(), st.integers(0, 99),
)  # fmt: skip
steps = st.lists(
    st.one_of(imports, edits, edits, edits, st.tuples(st.just("void"), st.integers(0, 9)), st.tuples(st.just("tell"))),
    max_size=8,
)


# The same line in two imports, of which one is removed: which one is seen when they are voided.
TWICE: list[tuple[object, ...]] = [
    ("import", "x.csv", ["a,1,0", "b,0,1"], False, False),
    ("edit", "x.csv", "double", False, 0),
    ("edit", "x.csv", "halve", True, 0),
]


@dataclass
class Rule:
    """The rule of imports, written plainly: what each import added to its source, latest last."""

    layers: list[tuple[str, str, Counter[str]]] = field(default_factory=list)  # source, id of the import, lines
    other: Counter[str] = field(default_factory=Counter)

    def stored(self, source: str) -> Counter[str]:
        """Return the lines of a source that count."""
        return sum((added for name, _, added in self.layers if name == source), Counter())

    def copied(self, source: str, version: Counter[str]) -> bool:
        """Return whether a new source repeats most of another one."""
        if self.stored(source):
            return False
        others = [self.stored(name) for name in {name for name, *_ in self.layers} - {source}]
        return any(2 * (version & other).total() > min(version.total(), other.total()) for other in others if other)

    def take(self, source: str, batch: str, version: Counter[str], *, replace: bool) -> tuple[int, int, int]:
        """Import a version; return how many lines are added, missing and voided."""
        stored = self.stored(source)
        new, gone = version - stored, stored - version
        missing = gone.total()
        for i in reversed(range(len(self.layers)) if replace else ()):
            name, other, added = self.layers[i]
            if name == source:
                self.layers[i] = name, other, added - gone
                gone -= added & gone
        self.layers.append((source, batch, new))
        return new.total(), missing, missing if replace else 0

    def void(self, batch: str) -> None:
        """Void an import."""
        self.layers = [(name, other, Counter() if other == batch else added) for name, other, added in self.layers]

    def sums(self) -> dict[str, tuple[int, int]]:
        """Return the number of outcomes of each arm and their sum."""
        every = self.other + sum((added for *_, added in self.layers), Counter())
        found = {arm: [0, 0] for arm in "ab"}
        for line, times in every.items():
            arm, outcome, _ = line.split(",")
            found[arm][0] += times
            found[arm][1] += times * int(outcome)
        return {arm: (n, total) for arm, (n, total) in found.items()}


def counted(campaign: Campaign) -> dict[str, tuple[int, int]]:
    """Return the number of outcomes of each arm and their sum, as stored: verdicts would take ten times as long."""
    assert isinstance(campaign._backend, LocalBackend)
    with campaign._backend.stored.snapshot() as now:
        return {arm.name: (arm.pulls, round(arm.total)) for arm in now.arms()}


class Run:
    """A campaign and the rule, side by side."""

    def __init__(self, campaign: Campaign, folder: Path, rule: Rule) -> None:
        self.campaign, self.folder, self.rule = campaign, folder, rule
        self.last: dict[str, list[str]] = {}
        self.batches: list[str] = []

    def bring(self, source: str, version: list[str], *, replace: bool = False, is_new: bool = False) -> None:
        """Import a version into both; what is refused changes nothing."""
        (self.folder / source).write_text(text_of(version))
        counted, is_new = Counter(version), is_new and not self.rule.stored(source)
        options = ImportOptions(replace=replace, new_source=is_new)
        outcomes, _ = read_log(self.folder / source)
        if not is_new and self.rule.copied(source, counted):
            with pytest.raises(LikelyCopyError):
                tell_log(self.campaign, outcomes, options=options)
        else:
            done = tell_log(self.campaign, outcomes, options=options)
            expected = self.rule.take(source, done.batch, counted, replace=replace)
            assert (done.told, done.missing, done.voided) == expected
            assert done.told + done.before == len(version)
            self.last[source] = version
            self.batches += [done.batch] if done.told else []
        self.check()

    def edit(self, source: str, how: str, seed: int, *, replace: bool) -> None:
        """Import the last version again after an edit."""
        version, rng = list(self.last.get(source, ["a,1,0"])), random.Random(seed)
        if how == "shuffle":
            rng.shuffle(version)
        elif how == "grow":
            version.insert(rng.randrange(len(version) + 1), f"b,1,{rng.randrange(4)}")
        elif how == "double":
            version += version
        elif how == "shrink" and len(version) > 1:
            version.pop(rng.randrange(len(version)))
        elif how == "halve":
            version = version[: (len(version) + 1) // 2]
        elif how == "fix":
            i = rng.randrange(len(version))
            version[i] = version[i].replace(",1,", ",0,")
        self.bring(source, version, replace=replace)

    def do(self, step: tuple[object, ...]) -> None:
        """Do one step."""
        match step:
            case "import", str(source), list(version), bool(replace), bool(is_new):
                self.bring(source, version, replace=replace, is_new=is_new)
            case "edit", str(source), str(how), bool(replace), int(seed):
                self.edit(source, how, seed, replace=replace)
            case "void", int(which) if self.batches:
                self.void(self.batches[which % len(self.batches)])
            case ("tell",):
                self.campaign.tell_counts("a", n=1, total=1, paid=False)
                self.rule.other["a,1,told"] += 1
                self.check()

    def void(self, batch: str) -> None:
        """Void an import."""
        self.campaign.void_import(batch)
        self.rule.void(batch)
        self.check()

    def finish(self) -> None:
        """Void all imports, one after the other; then replay the log."""
        self.compare_verdicts()
        for batch in dict.fromkeys(self.batches):
            self.void(batch)
        self.compare_verdicts()
        self.campaign.verify()

    def compare_verdicts(self) -> None:
        """Compare what is shown with the rule."""
        rows = self.campaign.verdicts()
        assert {row.arm: (row.pulls, round((row.raw_mean or 0) * row.pulls)) for row in rows} == self.rule.sums()

    def check(self) -> None:
        """Compare what counts with the rule."""
        assert counted(self.campaign) == self.rule.sums()


@cache
def migrated() -> bytes:
    """Return the file of a database with imports of the version before, which this version has opened."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "recorded.db"
        with closing(sqlite3.connect(database)) as connection:
            connection.executescript(DUMP.read_text(encoding="utf-8"))
        SqliteStorage(database).close()
        return database.read_bytes()


def recorded(folder: str) -> Storage:
    """Return a database with imports of the version before."""
    database = Path(folder) / "recorded.db"
    database.write_bytes(migrated())
    return SqliteStorage(database)


def run_of(storage: Storage, folder: str, rule: Rule, name: str = "") -> Run:
    if name:
        return Run(Campaign.open(storage, name), Path(folder), rule)
    return Run(
        Campaign.create(storage, "logs", arms=["a", "b"], threshold=0.5, budget=9, policy="lsa"), Path(folder), rule
    )


@given(todo=steps)
@example(todo=TWICE)
def test_a_source_has_of_each_line_as_many_as_its_versions_had_and_replace_makes_it_the_last(
    todo: list[tuple[object, ...]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = run_of(MemoryStorage(), folder, Rule())
        for step in todo:
            run.do(step)
        run.finish()


@given(todo=steps, more=versions, seed=st.integers(0, 99))
def test_imports_of_the_version_before_are_continued_or_voided_and_never_counted_again(
    todo: list[tuple[object, ...]], more: list[str], seed: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = run_of(recorded(folder), folder, Rule(other=Counter(LINES)), "lines")
        run.campaign.verify()
        edited = list(LINES)
        edited[random.Random(seed).randrange(len(LINES))] = "b,0,edited"
        table = Path(folder) / "labels.csv"
        for wrong in (edited, LINES[::-1], LINES[:-1], LINES[1:]):
            table.write_text(text_of([*wrong, *more]))
            with pytest.raises((ImportConflictError, LikelyCopyError), match=r"thresher void --import [0-9a-f]{12}"):
                tell_log(run.campaign, read_log(table)[0])
            run.check()
        table.write_text(text_of([*LINES, *more]))
        assert tell_log(run.campaign, read_log(table)[0]).told == len(more)
        run.rule.layers.append(("labels.csv", "", Counter(more)))
        run.check()
        for step in todo:
            if step[0] == "import":
                step = (*step[:4], True)  # the files are new: nothing is known of the lines of before
            run.do(step) if step[0] != "edit" or step[1] in run.last else None
        table.write_text(text_of([*edited, *more]))
        with pytest.raises(ImportConflictError, match="is not the file of import"):
            tell_log(run.campaign, read_log(table)[0], options=ImportOptions(replace=True))
        for batch in dict.fromkeys(pull.batch for pull in run.campaign.imports().earlier_by_key().values()):
            run.campaign.void_import(batch)
        run.rule.other -= Counter(LINES)
        run.check()
        for version in ([*edited, *more], LINES[::-1]):
            run.bring("labels.csv", version, replace=True, is_new=True)
        run.finish()


@dataclass
class KeyedRule:
    """The rule of lines with keys: a key of an arm is one measurement, and belongs to the source that told it first."""

    held: dict[tuple[str, str], tuple[str | None, str, int]] = field(default_factory=dict)  # source, import, outcome
    told: Counter[str] = field(default_factory=Counter)

    def conflicts(self, version: dict[tuple[str, str], int], *, replace: bool) -> bool:
        """Return whether a version contradicts what it may not replace."""
        wrong = [self.held[key] for key, value in version.items() if key in self.held and self.held[key][2] != value]
        return any(not replace or source is None for source, *_ in wrong)

    def take(
        self, source: str, batch: str, version: dict[tuple[str, str], int], *, replace: bool
    ) -> tuple[int, int, int]:
        """Import a version; return how many lines are added, missing and voided."""
        wrong = {key for key, value in version.items() if key in self.held and self.held[key][2] != value}
        own = {key for key, (name, *_) in self.held.items() if name == source}
        missing = own - (version.keys() - wrong)
        gone = missing | wrong if replace else set()
        self.held = {key: one for key, one in self.held.items() if key not in gone}
        new = version.keys() - self.held.keys()
        self.held |= {key: (source, batch, version[key]) for key in new}
        return len(new), len(missing), len(gone)


KINDS = {"keys": Columns(key=("run",)), "items": Columns()}
keyed = st.dictionaries(st.tuples(st.sampled_from("ab"), st.sampled_from("0123")), st.integers(0, 1), min_size=1)
keyed_steps = st.lists(
    st.one_of(
        st.tuples(st.just("import"), st.sampled_from(SOURCES), keyed, st.booleans(), st.booleans()),
        st.tuples(st.just("void"), st.integers(0, 9)),
        st.tuples(st.just("tell"), st.sampled_from("0123"), st.integers(0, 1)),
    ),
    max_size=8,
)


# What was voided is not missing.
VOIDED: list[tuple[object, ...]] = [
    ("import", "x.csv", {("a", "0"): 1}, False, False),
    ("void", 0),
    ("import", "x.csv", {("a", "1"): 1}, False, False),
]


class KeyedRun:
    """A campaign whose lines have keys, or items, and the rule, side by side."""

    def __init__(self, campaign: Campaign, kind: str, folder: Path, earlier: str, before: int) -> None:
        self.campaign, self.kind, self.folder, self.rule = campaign, kind, folder, KeyedRule()
        self.rule.held = {("a", str(i)): (None, earlier, 1) for i in range(before)}
        self.batches = [earlier] if before else []
        self.check()

    def bring(self, source: str, version: dict[tuple[str, str], int], *, replace: bool) -> None:
        """Import a version into both; what is refused changes nothing."""
        rows = [f"{arm},{outcome},{run}" for (arm, run), outcome in version.items()]
        (self.folder / source).write_text(text_of(rows).replace("run", "item" if self.kind == "items" else "run"))
        outcomes, _ = read_log(self.folder / source, KINDS[self.kind])
        options = ImportOptions(replace=replace)
        if self.rule.conflicts(version, replace=replace):
            with pytest.raises(ImportConflictError, match="nothing was stored"):
                tell_log(self.campaign, outcomes, options=options)
            return
        done = tell_log(self.campaign, outcomes, options=options)
        assert (done.told, done.missing, done.voided) == self.rule.take(source, done.batch, version, replace=replace)
        self.batches += [done.batch] if done.told else []

    def tell(self, item: str, outcome: int) -> None:
        """Tell an outcome without a file: on an item that is free, or one more of the arm."""
        if self.kind == "keys":
            self.campaign.tell_counts("b", n=1, total=outcome, paid=False)
            self.rule.told[f"b{outcome}"] += 1
        elif ("b", item) not in self.rule.held:
            self.campaign.tell_items([("b", item, outcome)])
            self.rule.held["b", item] = (None, "", outcome)

    def void(self, batch: str) -> None:
        """Void an import."""
        self.campaign.void_import(batch)
        self.rule.held = {key: one for key, one in self.rule.held.items() if one[1] != batch}

    def do(self, step: tuple[object, ...]) -> None:
        """Do one step."""
        match step:
            case "import", str(source), dict(version), bool(replace), bool(grows):
                stored = {key: one[2] for key, one in self.rule.held.items() if one[0] == source}
                self.bring(source, {**version, **stored} if grows else version, replace=replace)
            case "void", int(which) if self.batches:
                self.void(self.batches[which % len(self.batches)])
            case "tell", str(item), int(outcome):
                self.tell(item, outcome)
        self.check()

    def check(self) -> None:
        """Compare what counts with the rule."""
        rows = counted(self.campaign)
        for arm in "ab":
            values = [outcome for (name, _), (*_, outcome) in self.rule.held.items() if name == arm]
            values += [int(text[1]) for text in self.rule.told.elements() if text[0] == arm]
            assert rows[arm] == (len(values), sum(values))


@pytest.mark.parametrize("kind", KINDS)
@given(todo=keyed_steps, is_old=st.booleans())
@example(todo=VOIDED, is_old=False)
def test_a_key_or_an_item_of_an_arm_is_one_measurement_wherever_it_comes_from(
    kind: str, todo: list[tuple[object, ...]], is_old: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        before = 5 if kind == "keys" else 2
        if kind == "keys" and is_old:
            campaign = Campaign.open(recorded(folder), "keys")
        else:
            items = list("0123") if kind == "items" else None
            campaign = Campaign.create(
                MemoryStorage(), "keys", arms=["a", "b"], items=items, threshold=0.5, budget=8, policy="lsa"
            )
        if kind == "items" and is_old:  # as the version before stored an import
            campaign.tell_items([("a", "0", 1), ("a", "1", 1)], batch="0123456789ab")
        earlier = next((entry.details["batch"] for entry in campaign.history() if "batch" in entry.details), "")
        run = KeyedRun(campaign, kind, Path(folder), earlier, before if is_old else 0)
        for step in todo:
            run.do(step)
        for batch in dict.fromkeys(run.batches):
            run.void(batch)
            run.check()
        campaign.verify()
