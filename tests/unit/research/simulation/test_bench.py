"""The figures: that they are there and mean what they say, not how large they are."""

import sys
import time

import pytest

from thresher.research.simulation import bench as _  # noqa: F401

module = sys.modules["thresher.research.simulation.bench"]


def test_ratios_are_those_of_the_times() -> None:
    pulls = {"lsa": {"50": 10.0, "1000": 12.0, "100000": 14.0}}
    found = module._ratios(5.0, 2.0, pulls, 1000.0, 60.0)
    assert found["pull / draw"]["lsa"] == {"50": 2.0, "1000": 2.4, "100000": 2.8}
    assert found["pull / own draw"]["lsa"] == {"50": 5.0, "1000": 6.0, "100000": 7.0}
    assert found["pull at 100,000 arms / at 50"]["lsa"] == pytest.approx(1.4)
    assert (found["argmin loop / lsa"], found["vectorised numpy / lsa"]) == (100.0, 6.0)


def test_the_document_has_the_keys_of_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    assert module.ARMS == (50, 1_000, 100_000, 1_000_000)
    monkeypatch.setattr(module, "ARMS", (50, 1_000, 100_000))  # a million arms take ten seconds
    monkeypatch.setattr(module, "PULLS", 1000)
    monkeypatch.setattr(module, "ROUNDS", 1)
    monkeypatch.setattr(module, "PULLS_PER_ARM", 2)
    monkeypatch.setattr(module, "thread_speed_up", lambda: 2.0)
    steps: list[tuple[int, int]] = []
    found = module.bench(lambda done, whole: steps.append((done, whole)))
    assert set(found["pull_ns"]) == {"apt", "lsa", "fwt", "fwt-sqrt", "stopping"}
    assert all(set(row) == {"50", "1000", "100000"} for row in found["pull_ns"].values())
    assert found["draw_ns"] > 0
    assert found["own_draw_ns"] > 0
    assert set(found["argmin_pull_ns"]) == {"50"}
    assert steps[0][0] == 1
    assert steps[-1] == (len(steps), len(steps))


def test_the_least_of_the_rounds_counts_and_what_takes_seconds_has_fewer() -> None:
    tries = {"short": 0, "long": 0}

    def work(name: str) -> None:
        tries[name] += 1
        start = time.thread_time()
        while tries[name] == 1 and time.thread_time() - start < 0.05:
            pass

    works = {
        "short": module.Work(lambda: work("short"), 1.0),
        "long": module.Work(lambda: work("long"), float(module.MANY_PULLS)),
    }
    found = module.least_ns(works)
    assert tries == {"short": module.ROUNDS, "long": module.FEW_ROUNDS}
    assert found["short"] < 5e7
    assert found["long"] < 5e7 / module.MANY_PULLS
