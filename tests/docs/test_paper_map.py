"""The map of the paper is complete, and every name on it exists."""

import ast
import re
from importlib import import_module
from itertools import chain

import pytest

from reproduction.claims import CLAIMS
from reproduction.claims.page import ERRATA
from reproduction.claims.paper_map import FIGURES, ITEMS, Item
from tests.support.checkout import CHECKOUT
from thresher.research.papers.catalogue import FIGURES as DRAWN

ALL = list(chain(*ITEMS.values()))
# How many items of each kind the paper numbers. It has no numbered table or proposition.
NUMBERED = {"Algorithm": 1, "Assumption": 1, "Theorem": 5, "Corollary": 5, "Lemma": 12, "Figure": 8, "Equation": 9}


def exists(name: str) -> bool:
    """Return whether a dotted name can be imported: a module, or an attribute of one."""
    module, _, attribute = name.rpartition(".")
    return hasattr(import_module(module), attribute)


def functions(path: str) -> set[str]:
    """Return the names of the functions that a test module defines."""
    return {
        node.name
        for node in ast.parse((CHECKOUT / "tests" / path).read_text()).body
        if isinstance(node, ast.FunctionDef)
    }


def test_a_wrong_name_is_found() -> None:
    assert exists("thresher.research.theory.oracle")
    assert not exists("thresher.research.theory.orakel")


@pytest.mark.parametrize("item", ALL, ids=lambda item: item.name)
def test_every_name_of_an_item_exists(item: Item) -> None:
    missing = [name for name in item.code if not (name in DRAWN if item in FIGURES else exists(name))]
    missing += [test for test in item.tests if test.partition("::")[2] not in functions(test.partition("::")[0])]
    missing += [name for name in item.claims if name not in CLAIMS]
    missing += [anchor for anchor in item.errata if anchor not in ERRATA]
    assert missing == []
    assert item.code
    assert item.tests


@pytest.mark.parametrize("kind", NUMBERED)
def test_every_numbered_item_of_the_paper_has_a_row(kind: str) -> None:
    text = "\n".join(f"{item.name}, {item.place}" for item in ALL)
    numbers = {int(number) for number in re.findall(rf"(?:^|with ){kind} \(?(\d+)", text, re.MULTILINE)}
    assert numbers == set(range(1, 1 + NUMBERED[kind]))


def test_every_claim_of_the_paper_has_a_row() -> None:
    of_the_paper = {claim.name for claim in CLAIMS.values() if not re.search(r"\b20\d\d\b", claim.place)}
    assert len(of_the_paper) > 50
    assert of_the_paper == {name for item in ALL for name in item.claims}


def test_every_erratum_has_a_row_and_its_number() -> None:
    page = (CHECKOUT / "docs" / "explanation" / "errata.md").read_text()
    assert tuple(re.findall(r"^### \d+\. .*\{ #([\w-]+) \}$", page, re.MULTILINE)) == ERRATA
    assert {anchor for item in ALL for anchor in item.errata} == set(ERRATA)


def test_the_page_shows_every_item_once() -> None:
    page = (CHECKOUT / "docs" / "explanation" / "claims.md").read_text()
    assert [item.name for item in ALL if page.count(f"| **{item.name}**") != 1] == []
