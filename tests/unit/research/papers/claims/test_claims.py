"""The claims that the gallery shows with a figure."""

from thresher.research.papers import FIGURES
from thresher.research.papers.claims import CLAIMS


def test_every_claim_is_shown_with_a_figure_of_the_paper() -> None:
    assert {claim.figure for claim in CLAIMS.values()} <= set(FIGURES)


def test_every_figure_of_the_paper_has_a_claim() -> None:
    shown = {claim.figure for claim in CLAIMS.values()}
    assert {name for name in FIGURES if not name.endswith("-ours")} <= shown
