"""Simulations give the numbers that were recorded; `record.py` says when to record them anew."""

import json

import pytest

from reproduction.feasible import FEASIBLE
from tests.recorded import record
from thresher.policy import policy_names

CASES = record.cases()
RECORDED = json.loads(record.FILE.read_text())


@pytest.mark.parametrize("policy", dict.fromkeys(case.policy for case in CASES))
def test_a_policy_gives_the_recorded_numbers(policy: str) -> None:
    found = {case.name: record.numbers_of(case) for case in CASES if case.policy == policy}
    assert found == {name: RECORDED[name] for name in found}


def test_the_file_has_these_cases() -> None:
    assert [case.name for case in CASES] == list(RECORDED)


def test_every_policy_is_recorded() -> None:
    known = {*policy_names(), *FEASIBLE}
    assert {case.policy.partition(":")[0] for case in CASES} == known
