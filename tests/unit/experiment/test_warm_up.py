import time
from dataclasses import dataclass

import pytest

from thresher.experiment import simulate, warm_up
from thresher.problem import Problem


@dataclass
class Noted:
    """A job that takes so long, and knows how often it was run."""

    key: str
    seconds: float = 0.0
    times: int = 0

    def chunk_size(self) -> int:
        return 1

    def run(self, first_run: int, runs: int) -> None:
        time.sleep(self.seconds)
        self.times += runs


@pytest.fixture(autouse=True)
def _cold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "_warm", set())


def test_each_kernel_is_warmed_once_per_process() -> None:
    one, other, said = Noted("one"), Noted("other"), list[str]()
    for jobs in ([one], [one], [one, other], [other]):
        warm_up.warm_up(jobs, said.append)
    assert (one.times, other.times) == (1, 1)
    assert not said


@pytest.mark.parametrize(
    ("policies", "compiled"), [(["lsa", "uniform"], {"apt"}), (["lsa", "csar"], {"apt", "straddle"})]
)
def test_the_loop_of_the_field_is_compiled_only_for_those_who_need_it(policies: list[str], compiled: set[str]) -> None:
    simulate(Problem.gaussian([0.5, -0.5]), policies, budgets=8, runs=1)
    assert {key for _, key in warm_up._warm} == compiled


def test_a_compilation_is_announced_where_it_is_wished(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(warm_up, "LONG", 0.05)
    said: list[str] = []
    warm_up.warm_up([Noted("one", seconds=0.5)], said.append)
    warm_up.warm_up([Noted("other", seconds=0.5)], None, how_long="half a minute")
    assert said == ["compiling the kernels, once for this installation: about ten seconds …"]
    assert capsys.readouterr().err == "compiling the kernels, once for this installation: about half a minute …\n"
