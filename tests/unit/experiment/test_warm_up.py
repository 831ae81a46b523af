import time

import pytest

from thresher.engine import Counted
from thresher.experiment import warm_up
from thresher.experiment.job import Job
from thresher.policy import find_policy


def test_the_kernels_are_warmed_once_per_process(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[Job] = []

    class Noted(Job):
        def run(self, first_run: int, runs: int) -> Counted:
            jobs.append(self)
            return super().run(first_run, runs)

    monkeypatch.setattr(warm_up, "_warm", set())
    monkeypatch.setattr(warm_up, "Job", Noted)
    said: list[str] = []
    warm_up.warm_up(said.append)
    warm_up.warm_up(said.append)
    assert len(jobs) == 1
    for _ in range(2):
        warm_up.warm_up(said.append, [find_policy("csar"), find_policy("ucbe")])
    assert [job.policy.name for job in jobs] == ["apt", "straddle"]


def test_a_compilation_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        """A job that takes as long as a compilation."""

        def __init__(self, *args: object, **kwargs: object) -> None:
            """Take what a job takes."""

        def run(self, first_run: int, runs: int) -> None:
            time.sleep(1.8)

    monkeypatch.setattr(warm_up, "_warm", set())
    monkeypatch.setattr(warm_up, "Job", Slow)
    said: list[str] = []
    warm_up.warm_up(said.append)
    assert said == ["compiling the kernels, once for this installation: about ten seconds …"]
