"""The decisions of a session in words: for the terminal and as Markdown."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from thresher.pytest_plugin.night import Judged, Night
from thresher.report import (
    SIGNS,
    counted,
    decided_clause,
    decided_counts,
    decision_cell,
    exact,
    leaning_counts,
    markdown_table,
    mistakes_sentence,
    rate,
)

MOST_LINES = 40  # of each kind
SIGNED = re.compile(f"([{''.join(SIGNS.values())}])[ \u00a0]")  # a sign stays on the line of its word


def sentence(judged: Judged) -> str:
    """Return how often a test passed, and its decision."""
    tally = judged.tally
    past_runs = tally.past.runs if tally.past else 0
    if tally.fails_every_time:
        now = "its only run" if tally.runs == 1 else f"all {tally.runs:,} runs"
        before = f", with earlier sessions: {decision_cell(judged.verdict, 'above')}" if past_runs else ""
        return f"failed {now} in this session{before}"
    runs = tally.runs + past_runs
    failures = tally.failures + (tally.past.failures if tally.past else 0)
    before = f", {past_runs:,} of them in earlier sessions" if past_runs else ""
    passed = f"passed {runs - failures:,} of {runs:,} runs{before} ({rate(1.0 - failures / runs)})"
    return f"{passed}, bar {exact(judged.test.bar)}: {decision_cell(judged.verdict, 'above')}"


class Summary:
    """What a session found: how many pass, which are red and why, which are undecided, what was spent.

    Parameters
    ----------
    judged : sequence of Judged
    night : Night
        It must be over.
    notes : sequence of str
        Sentences that follow.
    was_stopped : bool
        Whether the session ended early: how many more runs are needed is then left out.
    """

    def __init__(
        self, judged: Sequence[Judged], night: Night, *, notes: Sequence[str], was_stopped: bool = False
    ) -> None:
        self._judged, self._night, self._notes, self._was_stopped = judged, night, notes, was_stopped
        self._rows = [each.verdict for each in judged]
        self._listed = {
            "failed every run in this session": [each for each in judged if each.tally.fails_every_time],
            "fails its bar": [each for each in judged if each.decision == "fail" and not each.tally.fails_every_time],
            "failed in this session and is undecided: red until it is decided": self._undecided(failed_now=True),
            "failed in this session and passes its bar": [
                each
                for each in judged
                if each.decision == "pass" and each.tally.failures and not each.tally.fails_every_time
            ],
            "is undecided after earlier failures: not red": self._undecided(failed_now=False),
        }
        self._calm = [each for each in judged if each.decision == "open" and not each.has_failed]

    def _undecided(self, *, failed_now: bool) -> list[Judged]:
        found = [each for each in self._judged if each.decision == "open" and each.has_failed]
        return [each for each in found if (each.tally.failures > 0) == failed_now and not each.tally.fails_every_time]

    @property
    def title(self) -> str:
        """How many tests pass, fail and are undecided."""
        return decided_counts(self._rows, "above")

    @cached_property
    def _more(self) -> Mapping[str, int] | None:
        """About how many more runs would decide each test that is shown; None if that is left out."""
        if self._night.is_outage or self._was_stopped:
            return None
        undecided = [self._undecided(failed_now=True), self._undecided(failed_now=False)]
        shown = [each for tests in undecided for each in tests[:MOST_LINES]]
        return self._night.more_runs([*shown, *_examples(self._calm).values()])

    def lines(self, width: int) -> Iterator[str]:
        """Yield the lines for a terminal of that width."""
        for text in self._sentences():
            name, separator, rest = text.partition(": ")
            if len(text) > width and text.startswith(" ") and separator:
                yield f"{name}:"
                text = f"    {rest}"
            indent = " " * (len(text) - len(text.lstrip()))
            lines = textwrap.wrap(
                SIGNED.sub("\\1\u00a0", text.lstrip()), max(width, 40), initial_indent=indent,
                subsequent_indent=indent or "  ", break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
            yield from (SIGNED.sub(r"\1 ", line) for line in lines)

    def _sentences(self) -> Iterator[str]:
        if leans := leaning_counts(self._rows, "above"):
            yield f"Undecided: {leans}."
        if self._night.is_outage:
            yield from self._outage()
        else:
            expected = math.fsum(row.p_wrong for row in self._rows)
            yield from filter(None, [mistakes_sentence(self._rows, expected)])
        for what, tests in self._listed.items():
            yield from self._list(tests, what)
        if not any(each.has_failed for each in self._judged):
            yield "Every test passed every time."
        yield from self._never_failed()
        yield f"{self._night.spending}."
        yield from self._notes

    def _outage(self) -> Iterator[str]:
        known = self._night.used_to_pass
        failed = sum(not tally.first_passed for tally in known)
        yield (
            f"Outage: {failed:,} of {len(known):,} tests that used to pass failed. This session changes no decision "
            "and no history, and nothing was rerun; tests that failed are red. Count it with --thresher-count-outage."
        )

    def _list(self, judged: Sequence[Judged], what: str) -> Iterator[str]:
        if not judged:
            return
        yield f"1 test {what}:" if len(judged) == 1 else f"{len(judged):,} tests: each {what}:"
        for each in judged[:MOST_LINES]:
            yield f"  {each.test.name}: {sentence(each)}{self._needs(each)}"
        if len(judged) > MOST_LINES:
            yield f"  … and {len(judged) - MOST_LINES} more"

    def _never_failed(self) -> Iterator[str]:
        for bar, example in sorted(_examples(self._calm).items()):
            count = sum(each.test.bar == bar for each in self._calm)
            tests = f"{counted(count, 'test')} that never failed {'is' if count == 1 else 'are'}"
            yield f"{tests} undecided at bar {exact(bar)}{self._needs(example, each=count > 1)}."

    def _needs(self, judged: Judged, *, each: bool = False) -> str:
        if self._more is None or judged.decision != "open" or judged.tally.fails_every_time:
            return ""
        needed = self._more.get(judged.test.name)
        if needed is None:
            return ", too close to its bar for any reasonable number of runs"
        return f"; about {counted(needed, 'more run')}{' each' if each else ''} would decide {'them' if each else 'it'}"

    def markdown(self) -> str:
        """Return the decisions as Markdown: the tests that need a look in a table, the others counted."""
        rows = [
            [f"`{each.test.name}`", decision_cell(each.verdict, "above"), sentence(each).partition(", bar")[0]]
            for tests in self._listed.values()
            for each in tests[:MOST_LINES]
        ]
        table = f"\n\n{markdown_table(['Test', 'Decision', 'Runs'], rows)}" if rows else ""
        rest = " ".join([*self._outage()] if self._night.is_outage else [])
        ends = [rest, *self._never_failed(), f"{self._night.spending}."]
        return f"### Tests: {decided_clause(self._rows, 'above')}{table}\n\n{' '.join(text for text in ends if text)}\n"


def _examples(calm: Sequence[Judged]) -> dict[float, Judged]:
    """Return the test with the fewest runs for each bar: the others are decided earlier."""
    examples: dict[float, Judged] = {}
    for each in calm:
        best = examples.setdefault(each.test.bar, each)
        if each.verdict.pulls < best.verdict.pulls:
            examples[each.test.bar] = each
    return examples
