"""Nights of the other plugins are simulated as these plugins rerun; a decision counts once it stays right."""

import random
from itertools import islice

import pytest

from benchmarks import flaky_nights
from benchmarks.flaky_nights import Classified, classify, repeat, rerun_failures


def test_failures_are_repeated_until_they_pass_twice_at_most() -> None:
    assert [reruns for reruns, _ in islice(rerun_failures(1.0, random.Random(0), 100), 3)] == [2, 2, 2]
    assert [reruns for reruns, _ in islice(rerun_failures(0.0, random.Random(0), 100), 3)] == [0, 0, 0]


def test_repeats_spend_the_budget_equally() -> None:
    assert [reruns for reruns, _ in islice(repeat(0.5, random.Random(0), 100), 2)] == [100, 100]


@pytest.mark.parametrize("plugin", flaky_nights.PLUGINS)
def test_a_broken_test_is_found_by_every_plugin(plugin: str) -> None:
    found = classify(plugin, 1.0, seed=0, budget=100, nights=3)
    assert found.night <= 2
    assert found.wrong == 0


def test_a_decision_counts_from_the_night_after_which_it_stays_right(monkeypatch: pytest.MonkeyPatch) -> None:
    nights = [(5, "fail"), (6, "pass"), (7, "open"), (8, "fail"), (9, "fail")]
    monkeypatch.setitem(flaky_nights.PLUGINS, "played", lambda *_: iter(nights))
    assert classify("played", 0.3, seed=0, budget=100, nights=5) == Classified(4, 26, 1)
