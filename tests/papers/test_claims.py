"""Every claim of the paper and of its neighbours has the verdict that we say it has."""

import pytest

from reproduction.claims import CLAIMS
from thresher.research.papers import Grid
from thresher.research.papers.claims import ClaimVerdict

pytestmark = pytest.mark.xdist_group("papers")  # one worker simulates once


@pytest.mark.nightly  # simulations, thousands of runs for the experiments of other papers
@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_has_the_verdict_of_its_row(name: str, grid: Grid) -> None:
    finding = CLAIMS[name].check(grid)
    assert finding.verdict == CLAIMS[name].verdict, finding.numbers
    assert finding.numbers


def test_the_claims_that_do_not_hold() -> None:
    fails = {name for name, claim in CLAIMS.items() if claim.verdict == ClaimVerdict.FAILS}
    assert fails == {
        "toy-printed-bound",
        "loss-of-one",
        "apt-and-fwt-beat-oracle",
        "two-forms-of-fwt",
        "two-forms-in-theory",
        "gap-of-the-experiments",
        "gaps-idle-time",
        "uniform-deviation",
        "locatelli-1",
        "feasible-steps",
    }
