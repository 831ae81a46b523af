from reproduction.catalogue import LITERATURE, OTHERS
from thresher.research.papers import OUHAMMA2021


def test_everything_of_the_paper_is_in_the_literature() -> None:
    assert LITERATURE.figures.items() >= OUHAMMA2021.figures.items()
    assert LITERATURE.claims.items() >= OUHAMMA2021.claims.items()
    assert [figure.name for figure in LITERATURE.select([])[-len(OTHERS) :]] == [figure.name for figure in OTHERS]


def test_a_claim_that_needs_a_step_of_a_proof_is_with_its_figure_here_only() -> None:
    figures = LITERATURE.select(["figure-2"])
    assert "theorem-2" in [claim.name for claim in LITERATURE.claims_beside(figures)]
    assert "theorem-2" not in [claim.name for claim in OUHAMMA2021.claims_beside(figures)]


def test_claims_of_no_figure_come_with_all_of_them() -> None:
    some, whole = LITERATURE.select(["toy"]), LITERATURE.select([])
    assert "" not in {claim.figure for claim in LITERATURE.claims_beside(some)}
    assert LITERATURE.claims_beside(whole) == list(LITERATURE.claims.values())
