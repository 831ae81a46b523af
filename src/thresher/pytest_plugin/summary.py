"""What a night found, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from thresher.pytest_plugin.night import Judged, Night
from thresher.report.decisions import decision_cell

MOST_LINES = 40  # of each kind


def sentence(judged: Judged) -> str:
    """Return what was seen of a test, and how it stands to its bar."""
    if judged.runs == judged.failures:
        return f"failed every time tonight ({judged.runs} of {judged.runs} runs)"
    past_runs = judged.past.runs if judged.past else 0
    runs = judged.runs + past_runs
    failures = judged.failures + (judged.past.failures if judged.past else 0)
    before = f", {past_runs} of them before tonight" if past_runs else ""
    return (
        f"passed {runs - failures} of {runs} runs{before} ({1.0 - failures / runs:.1%}), bar {judged.test.bar:.4g}:"
        f" {decision_cell(judged.verdict, 'above')}"
    )


def summary(judged: Sequence[Judged], night: Night, path: Path, fault: str = "") -> Iterator[str]:
    """Yield the lines: how many pass, what fails, what failed tonight and does not fail its bar, what was spent."""
    found = [each.decision for each in judged]
    fail, flaky, undecided = (
        [each for each in judged if each.decision == decision and (each.fails or each.failures)]
        for decision in ("fail", "pass", "open")
    )
    yield f"{found.count('pass')} pass, {found.count('fail')} fail, {found.count('open')} are open{_wrong(night)}."
    yield from _listed(fail, "fail their bar", "fails its bar")
    yield from _listed(flaky, "failed tonight and pass their bar", "failed tonight and passes its bar")
    yield from _listed(undecided, "failed tonight and are open", "failed tonight and is open")
    if not fail and not flaky and not undecided:
        yield "Every test passed every time."
    yield f"{night.spent} of {night.budget} reruns used."
    yield fault or f"What was seen is kept for the next night in {path}."


def _wrong(night: Night) -> str:
    expected = night.expected_mistakes
    return f"; about {expected:.2g} of these verdicts are wrong" if math.isfinite(expected) else ""


def _listed(judged: Sequence[Judged], many: str, one: str) -> Iterator[str]:
    if not judged:
        return
    yield f"1 test {one}:" if len(judged) == 1 else f"{len(judged)} tests {many}:"
    for each in judged[:MOST_LINES]:
        yield f"  {each.test.name}: {sentence(each)}"
    if len(judged) > MOST_LINES:
        yield f"  … and {len(judged) - MOST_LINES} more"
