"""Claims are complete, and fit to be printed."""

import importlib
import shlex
from pathlib import Path

from typer.main import get_command, get_group

from reproduction import claims
from reproduction.__main__ import app as reproduction
from reproduction.catalogue import FIGURES, LITERATURE
from reproduction.claims import CLAIMS
from tests.support.cases import check_each
from thresher.cli.main import app
from thresher.research.papers import OUHAMMA2021
from thresher.research.papers.claims.claim import REGISTERED, Claim


def test_the_evidence_of_a_claim_can_be_had() -> None:
    check_each({name: claim.evidence for name, claim in CLAIMS.items()}, find_evidence)


def find_evidence(evidence: str) -> None:
    """Parse the command behind a claim, or find its function."""
    match shlex.split(evidence):
        case ["thresher", "reproduce", *figures]:
            assert OUHAMMA2021.select(figures)
        case ["thresher", command, *words]:
            get_group(app).commands[command].make_context(command, words)
        case ["python", "-m", "reproduction", *words]:
            parsed = get_command(reproduction).make_context("reproduction", words).params
            assert LITERATURE.select(parsed["figure"])
        case _:
            module, _, function = evidence.rpartition(".")
            assert callable(getattr(importlib.import_module(module), function))


def test_a_claim_is_a_sentence_with_a_place_and_a_reason() -> None:
    check_each(CLAIMS, assert_complete)


def assert_complete(claim: Claim) -> None:
    """Check that a claim can be printed."""
    assert claim.figure == "" or claim.figure in FIGURES
    for text in (claim.says, claim.why):
        assert text[0].isupper()
        assert text.endswith(".")
    assert claim.place


def test_every_figure_has_a_claim() -> None:
    shown = {claim.figure for claim in CLAIMS.values()}
    assert {name for name in FIGURES if not name.endswith("-ours")} <= shown


def test_each_module_of_claims_is_in_the_order() -> None:
    folder = Path(claims.__file__).parent
    modules = {f"reproduction.claims.{path.stem}" for path in folder.glob("*.py")} - {
        "reproduction.claims.__init__",
        "reproduction.claims.page",
        "reproduction.claims.paper_map",
    }
    assert modules <= {claim.check.__module__ for claim in CLAIMS.values()}
    assert set(CLAIMS) == set(REGISTERED)
    assert set(OUHAMMA2021.claims) < set(CLAIMS)
