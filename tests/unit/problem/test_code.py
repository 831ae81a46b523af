"""What tells one Python function from another."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from thresher.jit import njit
from thresher.problem.code import code_of

SCALE = 2.0
TABLE = np.array([1.0, 2.0])


def scaled(rng: Any) -> float:
    return SCALE * float(rng.normal())


def tabled(rng: Any) -> Any:
    return TABLE[rng.integers(2)]


def helper(rng: Any) -> float:
    return float(rng.normal())


def helped(rng: Any) -> float:
    return helper(rng)


def shifted(mean: float) -> Callable[[Any], float]:
    return lambda rng: rng.normal(mean)


def countdown(rng: Any, left: int = 3) -> float:
    return countdown(rng, left - 1) if left else rng.normal()


def three(rng: Any, mean: float, spread: float) -> float:
    return float(rng.normal(mean, spread))


class Coin:
    """A sampler that is an object."""

    def __init__(self, mean: float) -> None:
        self.mean = mean

    def __call__(self, rng: Any) -> float:
        return self.toss(rng)

    def toss(self, rng: Any) -> float:
        return float(rng.random() < self.mean)


def test_the_same_function_made_again_is_the_same() -> None:
    assert code_of(shifted(0.1)) == code_of(shifted(0.1))
    assert code_of(Coin(0.1)) == code_of(Coin(0.1))
    assert code_of(Coin(0.1).toss) == code_of(Coin(0.1).toss)
    assert code_of(partial(three, mean=1.0)) == code_of(partial(three, mean=1.0))
    assert code_of(countdown) == code_of(countdown)


class Doubled(Coin):
    """A class with a base."""

    factor = 2.0

    @staticmethod
    def double(value: float) -> float:
        return 2.0 * value

    @property
    def twice(self) -> float:
        return self.mean * self.factor


def test_a_class_is_its_methods_and_attributes_and_those_of_its_bases(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, texts = code_of(Doubled), set[str]()
    assert plain == code_of(Doubled)
    for owner, name, value in (
        (Doubled, "factor", 3.0),
        (Doubled, "double", staticmethod(lambda value: 3.0 * value)),
        (Doubled, "twice", property(lambda self: self.mean)),
        (Doubled, "__len__", lambda self: 1),
        (Coin, "toss", lambda self, rng: 0.0),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(owner, name, value, raising=False)
            texts.add(code_of(Doubled))
            assert code_of(Doubled(0.1)) != code_of(Coin(0.1))
    assert len(texts) == 5
    assert plain not in texts
    assert code_of(Doubled) == plain


def test_functions_that_compute_something_else_are_told_apart() -> None:
    different = [
        lambda rng: rng.normal(0.1),
        lambda rng: rng.normal(0.2),
        lambda rng: rng.gamma(0.1),
        lambda rng: 1.0 - rng.normal(0.1),
        lambda rng, mean=0.1: rng.normal(mean),
        lambda rng, mean=0.2: rng.normal(mean),
        lambda rng, *, mean=0.2: rng.normal(mean),
        lambda rng: (lambda: rng.normal(0.1))(),
        lambda rng: (lambda: rng.normal(0.2))(),
        shifted(0.1),
        shifted(0.2),
        Coin(0.1),
        Coin(0.2),
        Coin(0.1).toss,
        partial(three, mean=1.0, spread=2.0),
        partial(three, mean=1.0, spread=3.0),
        np.random.Generator.standard_normal,
        np.random.Generator.standard_exponential,
    ]
    assert len({code_of(each) for each in different}) == len(different)


def test_what_a_function_uses_of_its_module_counts(monkeypatch: Any) -> None:
    before = [code_of(each) for each in (scaled, tabled, helped)]
    assert before == [code_of(each) for each in (scaled, tabled, helped)]
    module = sys.modules[__name__]
    monkeypatch.setattr(module, "SCALE", 3.0)
    monkeypatch.setattr(module, "TABLE", np.array([1.0, 2.5]))
    monkeypatch.setattr(module, "helper", lambda rng: 0.0)
    assert all(code_of(each) != old for each, old in zip((scaled, tabled, helped), before, strict=True))


def test_a_compiled_function_is_the_one_it_was_compiled_from() -> None:
    assert code_of(njit(helper)) == code_of(helper)


def test_the_text_is_the_same_in_every_process() -> None:
    # Sets, nested functions and objects have an order or an address of their own in every process.
    program = (
        "import hashlib\nfrom thresher.problem.code import code_of\nclass A:\n  x = 1\nlabel = A()\n"
        "def f(rng): return (lambda: rng.random() in {'a', 'b', 'c', 'd'})(), label, len, A\n"
        "print(hashlib.sha256(code_of(f).encode()).hexdigest())"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
                       capture_output=True, text=True, check=True).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]
