"""The rows themselves: what they name exists, and they are fit to be printed."""

import importlib
import shlex

import pytest

from thresher.papers import CLAIMS, FIGURES, OUHAMMA2021


@pytest.mark.parametrize("name", CLAIMS)
def test_the_evidence_of_a_claim_can_be_had(name: str) -> None:
    evidence = CLAIMS[name].evidence
    if not evidence.startswith("thresher "):
        module, _, function = evidence.rpartition(".")
        assert callable(getattr(importlib.import_module(module), function))
        return
    from typer.main import get_group

    from thresher.cli.main import app

    _, command, *words = shlex.split(evidence)
    parsed = get_group(app).commands[command].make_context(command, list(words)).params
    if command == "reproduce":
        assert OUHAMMA2021.select(parsed["figure"])


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_is_a_sentence_with_a_place_and_a_reason(name: str) -> None:
    claim = CLAIMS[name]
    assert claim.figure == "" or claim.figure in FIGURES
    for text in (claim.says, claim.why):
        assert text[0].isupper()
        assert text.endswith(".")
    assert claim.place


def test_every_figure_of_the_paper_has_a_claim_beside_it() -> None:
    shown = {claim.figure for claim in CLAIMS.values()}
    assert {name for name in FIGURES if not name.endswith("-ours")} <= shown
