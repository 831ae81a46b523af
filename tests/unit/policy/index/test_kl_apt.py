import math

import pytest

from thresher.inference.evidence import kl_evidence
from thresher.policy import Stop, find_policy
from thresher.policy.index.kl_apt import KL_APT, kl_apt_formula
from thresher.problem import Problem
from thresher.research.engine.reference import play


def test_a_worked_case() -> None:
    # Three ones of four, the bar at 1/2: 4 (3/4 log 3/2 + 1/4 log 1/2) = 4 * 0.130812
    evidence = kl_evidence(4.0, 3.0, 0.5)
    assert kl_apt_formula(4.0, evidence, 1.0) == pytest.approx(3 * math.log(1.5) + math.log(0.5))


def test_it_is_apt_with_the_evidence_of_the_family() -> None:
    assert KL_APT.bernoulli_evidence == "kl"
    for problem, twin in (
        (Problem.bernoulli([0.1, 0.4, 0.7]), "apt:evidence=kl"),
        (Problem.gaussian([0.1, -0.4]), "apt"),
    ):
        one, other = (
            play(find_policy(name).bind(problem, Stop(60)), problem, budget=60, seed=1, run=0)
            for name in ("kl-apt", twin)
        )
        assert one.order == other.order
        assert one.state.totals.tolist() == other.state.totals.tolist()
