import threading
from functools import partial

import pytest

from thresher.problem import Problem
from thresher.research.simulation import simulate, warm_up


@pytest.fixture(autouse=True)
def _cold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "_warm", set())


def test_each_task_is_done_once_per_process() -> None:
    done, said = list[str](), list[str]()
    one, other = ({name: partial(done.append, name)} for name in ("one", "other"))
    for tasks in (one, one, one | other, other):
        warm_up.warm_up(tasks, said.append)
    assert done == ["one", "other"]
    assert not said


def test_what_failed_is_done_again() -> None:
    def failing() -> None:
        raise OSError

    done: list[str] = []
    with pytest.raises(OSError):  # noqa: PT011
        warm_up.warm_up({"one": failing}, None)
    warm_up.warm_up({"one": partial(done.append, "one")}, None)
    assert done == ["one"]


@pytest.mark.parametrize(
    ("policies", "options", "compiled"),
    [
        (["lsa", "uniform"], {}, {"apt"}),
        (["lsa", "csar"], {}, {"apt", "uniform-iid"}),
        (["csar"], {}, {"uniform-iid"}),
        (["lsa"], {"in_flight": 2}, {"uniform-iid"}),
        (["hdoc"], {"alpha": 0.2}, {"uniform-iid"}),
    ],
)
def test_only_the_engines_and_steps_that_are_needed_are_compiled(
    policies: list[str], options: dict[str, float], compiled: set[str]
) -> None:
    simulate(Problem.gaussian([0.5, -0.5]), policies, budgets=8, runs=1, **options)  # type: ignore[arg-type]
    assert warm_up._warm == compiled | {f"steps of {name}" for name in policies}


def test_a_compilation_is_announced_if_requested(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(warm_up, "LONG", 0.01)
    said, announced = list[str](), threading.Event()

    def say(sentence: str) -> None:
        said.append(sentence)
        announced.set()

    monkeypatch.setattr(warm_up, "_slowness", lambda: 2.0)
    warm_up.warm_up({"one": partial(announced.wait, 60)}, say, seconds=8.0)
    sentence = "compiling the engine, once for this installation: about 16 seconds of processor time …"
    assert said == [sentence]
    announced.clear()
    printing = warm_up._on_standard_error

    def print_and_go_on(text: str) -> None:
        printing(text)
        announced.set()

    monkeypatch.setattr(warm_up, "_on_standard_error", print_and_go_on)
    warm_up.warm_up({"other": partial(announced.wait, 60)}, None, seconds=8.0)
    assert capsys.readouterr().err == f"{sentence}\n"
