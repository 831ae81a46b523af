"""The verdicts of a night in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from thresher.pytest_plugin.night import Judged, Night
from thresher.report.decisions import decision_cell, wrong_clause

MOST_LINES = 40  # of each kind


def sentence(judged: Judged) -> str:
    """Return how often a test passed, and its decision."""
    tally = judged.tally
    if tally.fails_every_time:
        before = "" if judged.decision == "fail" else f"; before tonight: {decision_cell(judged.verdict, 'above')}"
        return f"failed every time tonight ({tally.runs} of {tally.runs} runs){before}"
    past_runs = tally.past.runs if tally.past else 0
    runs = tally.runs + past_runs
    failures = tally.failures + (tally.past.failures if tally.past else 0)
    before = f", {past_runs} of them before tonight" if past_runs else ""
    return (
        f"passed {runs - failures} of {runs} runs{before} ({1.0 - failures / runs:.1%}), bar {judged.test.bar:.4g}:"
        f" {decision_cell(judged.verdict, 'above')}"
    )


def summary(judged: Sequence[Judged], night: Night, path: Path, fault: str = "") -> Iterator[str]:
    """Yield the lines: how many pass, which are red and why, which are open and for how long, what was spent."""
    if night.is_outage:
        yield from _outage(night)
    found = [each.decision for each in judged]
    wrong = "" if night.is_outage else wrong_clause(night.expected_mistakes)
    yield f"{found.count('pass')} pass, {found.count('fail')} fail, {found.count('open')} open{wrong}."
    listed = {
        "fails its bar": [each for each in judged if each.decision == "fail"],
        "failed tonight and is open: red until it is decided": _open(judged, failed_tonight=True),
        "failed tonight and passes its bar": [
            each for each in judged if each.decision == "pass" and each.tally.failures
        ],
        "is open after earlier failures: not red": _open(judged, failed_tonight=False),
    }
    calm = [each for each in judged if each.decision == "open" and not each.has_failed]
    shown = [each for tests in listed.values() for each in tests[:MOST_LINES] if each.decision == "open"]
    more = None if night.is_outage else night.more_runs([*shown, *_examples(calm).values()])
    for what, tests in listed.items():
        yield from _listed(tests, what, more)
    if not any(each.has_failed for each in judged):
        yield "Every test passed every time."
    yield from _never_failed(calm, more)
    yield f"{night.account}."
    yield fault or (f"The history in {path} is as before." if night.is_outage else f"The history is in {path}.")


def _outage(night: Night) -> Iterator[str]:
    known = night.used_to_pass
    failed = sum(not tally.first_passed for tally in known)
    yield (
        f"Outage: {failed} of {len(known)} tests that used to pass failed. Tonight changes no verdict and no history,"
        " and nothing was rerun; tests that failed tonight are red. Count it with --thresher-count-outage."
    )


def _open(judged: Sequence[Judged], *, failed_tonight: bool) -> list[Judged]:
    found = [each for each in judged if each.decision == "open" and each.has_failed]
    return [each for each in found if (each.tally.failures > 0) == failed_tonight]


def _examples(calm: Sequence[Judged]) -> dict[float, Judged]:
    """Return the test with the fewest runs for each bar: the others are decided earlier."""
    examples: dict[float, Judged] = {}
    for each in calm:
        best = examples.setdefault(each.test.bar, each)
        if each.verdict.pulls < best.verdict.pulls:
            examples[each.test.bar] = each
    return examples


def _never_failed(calm: Sequence[Judged], more: Mapping[str, int] | None) -> Iterator[str]:
    for bar, example in sorted(_examples(calm).items()):
        count = sum(each.test.bar == bar for each in calm)
        tests = "1 test that never failed is" if count == 1 else f"{count} tests that never failed are"
        yield f"{tests} open at bar {bar:.4g}{_more(example, more, each=count > 1)}."


def _listed(judged: Sequence[Judged], what: str, more: Mapping[str, int] | None) -> Iterator[str]:
    if not judged:
        return
    yield f"1 test {what}:" if len(judged) == 1 else f"{len(judged)} tests: each {what}:"
    for each in judged[:MOST_LINES]:
        yield f"  {each.test.name}: {sentence(each)}{_more(each, more) if each.decision == 'open' else ''}"
    if len(judged) > MOST_LINES:
        yield f"  … and {len(judged) - MOST_LINES} more"


def _more(judged: Judged, more: Mapping[str, int] | None, *, each: bool = False) -> str:
    if more is None:
        return ""
    needed = more.get(judged.test.name)
    if needed is None:
        return ", too close to its bar for any reasonable number of runs"
    runs = "1 more run" if needed == 1 else f"{needed} more runs"
    return f"; about {runs}{' each' if each else ''} would decide {'them' if each else 'it'}"
