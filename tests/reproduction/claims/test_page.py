from reproduction.claims import CLAIMS
from reproduction.claims.page import claims_page
from tests.support.checkout import CHECKOUT


def test_the_page_of_the_docs_is_made_of_the_rows() -> None:
    page = (CHECKOUT / "docs" / "explanation" / "claims.md").read_text()
    # To write it anew: python -m reproduction.claims.page > docs/explanation/claims.md
    assert page == claims_page()


def test_every_claim_is_on_the_page_once() -> None:
    page = claims_page()
    for claim in CLAIMS.values():
        assert page.count(f"**{claim.says}**") == 1
