from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.policy import find_policy
from thresher.research.engine import whole_number
from thresher.research.simulation.arguments import (
    budgets_of,
    policies_of,
    runs_of,
    seed_of,
)


@pytest.mark.parametrize("value", [10, np.int64(10), np.uint8(10)])
def test_a_whole_number_of_any_library_becomes_pythons(value: Any) -> None:
    for number in (whole_number("runs", value), seed_of(value)):
        assert (type(number), number) == (int, 10)


@pytest.mark.parametrize("value", [2.5, 10.0, "10", None, [10], np.float64(10)])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"^runs is .*; must be a whole number, at least 1$"):
        whole_number("runs", value, least=1)
    with pytest.raises(InvalidInputError, match=r"^seed is .*; must be a whole number from 0 to 2"):
        seed_of(value)


def test_a_whole_number_out_of_its_range_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="runs is 0; must be a whole number, at least 1"):
        whole_number("runs", 0, least=1)
    for seed in (-1, 2**63):
        with pytest.raises(InvalidInputError, match=f"seed is {seed}; must be a whole number from 0"):
            seed_of(seed)
    assert seed_of(2**63 - 1) == 2**63 - 1


def test_budgets_come_in_order_and_one_needs_no_list() -> None:
    assert budgets_of([20, 10]) == (10.0, 20.0)
    with pytest.raises(InvalidInputError, match="budget given twice is 20; must be unique; leave one of them out"):
        budgets_of([20, 10, 20.0])
    assert budgets_of(30) == budgets_of(np.int64(30)) == (30.0,)
    assert budgets_of(np.array([2, 1])) == (1.0, 2.0)
    assert budgets_of(b for b in (1, 2)) == (1.0, 2.0)


def test_policies_are_named_or_given_one_or_several() -> None:
    lsa, apt = find_policy("lsa"), find_policy("apt")
    for given in ("lsa", lsa, ["lsa"], [lsa]):
        assert policies_of(given, find_policy) == [lsa]
    assert policies_of(["lsa", apt], find_policy) == [lsa, apt]
    for twice in (["lsa", lsa], ["lsa", apt, "lsa"]):
        with pytest.raises(InvalidInputError, match="policy given twice is 'lsa'; must be unique; leave one of them"):
            policies_of(twice, find_policy)
    with pytest.raises(InvalidInputError, match="policy is missing; at least one is needed"):
        policies_of([], find_policy)
    with pytest.raises(InvalidInputError, match="policy is 5; must be a name such as 'lsa', or a policy"):
        policies_of(5, find_policy)
    with pytest.raises(UnknownNameError, match="unknown policy 'lsb'; did you mean 'lsa'"):
        policies_of("lsb", find_policy)


def test_there_are_as_many_runs_as_fit_into_memory() -> None:
    assert runs_of(1) == 1
    assert runs_of(np.int64(10_000_000), least=2) == 10_000_000
    for wrong, sentence in (
        (0, "at least 1"),
        (2**63, "must be at most 10,000,000"),
        (1.5, "whole number"),
    ):
        with pytest.raises(InvalidInputError, match=sentence):
            runs_of(wrong)
