"""What a night found, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from thresher.pytest_plugin.night import Judged, Night

MOST_LINES = 40  # of each kind


def sentence(judged: Judged) -> str:
    """Return what was seen of a test, and how it stands to its bar."""
    if judged.runs == judged.failures:
        return f"failed every time tonight ({judged.runs} of {judged.runs} runs)"
    past_runs = judged.past.runs if judged.past else 0
    runs = judged.runs + past_runs
    failures = judged.failures + (judged.past.failures if judged.past else 0)
    before = f", {past_runs} of them before tonight" if past_runs else ""
    side = "above" if judged.passes else "below"
    sure = "" if judged.verdict.sure else ", not sure"
    return (
        f"passed {runs - failures} of {runs} runs{before} ({1.0 - failures / runs:.1%}),"
        f" {side} its bar of {judged.test.bar:.4g}{sure}"
    )


def summary(judged: Sequence[Judged], night: Night, path: Path, fault: str = "") -> Iterator[str]:
    """Yield the lines: what fails, what was flaky and passes, what was spent."""
    below = [each for each in judged if not each.passes]
    flaky = [each for each in judged if each.passes and each.failures]
    yield from _listed(below, "do not reach their bar", "does not reach its bar")
    yield from _listed(flaky, "failed tonight and pass their bar", "failed tonight and passes its bar")
    if not below and not flaky:
        yield "Every test passed every time."
    unsure = sum(not each.verdict.sure for each in judged)
    expected = night.expected_mistakes
    mistakes = f"; {expected:.2g} of {len(judged)} verdicts are expected to be wrong" if math.isfinite(expected) else ""
    yield f"{night.spent} of {night.budget} reruns used{mistakes}; {unsure} are not sure."
    yield fault or f"What was seen is kept for the next night in {path}."


def _listed(judged: Sequence[Judged], many: str, one: str) -> Iterator[str]:
    if not judged:
        return
    yield f"1 test {one}:" if len(judged) == 1 else f"{len(judged)} tests {many}:"
    for each in judged[:MOST_LINES]:
        yield f"  {each.test.name}: {sentence(each)}"
    if len(judged) > MOST_LINES:
        yield f"  … and {len(judged) - MOST_LINES} more"
