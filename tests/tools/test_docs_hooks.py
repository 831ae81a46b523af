"""What the site makes of our docstrings."""

import re

import pytest
from markdown import Markdown

from docs_hooks import bibliography, label, references, to_markdown, to_mathml


def test_a_citation_is_a_named_link() -> None:
    assert to_markdown(":cite:p:`ouhamma2021`, Eq. (3)") == "[Ouhamma et al. (2021)][ouhamma2021], Eq. (3)"


def test_two_citations_in_one_are_two_links() -> None:
    both = "[Ouhamma et al. (2021)][ouhamma2021], [Hoorfar and Hassani (2008)][hoorfar2008]"
    assert to_markdown(":cite:p:`ouhamma2021, hoorfar2008`") == both


def test_an_unknown_key_stays_a_link_which_the_strict_build_refuses() -> None:
    assert to_markdown(":cite:p:`nobody1900`") == "[nobody1900][nobody1900]"


def test_a_formula_in_a_line() -> None:
    assert to_markdown(r"with :math:`n \ge 1` pulls") == r"with \(n \ge 1\) pulls"


@pytest.mark.parametrize(
    "block",
    [
        "Return it.\n\n.. math:: F(n, x) = x + \\log n\n\nThe rest.",
        "Return it.\n\n.. math::\n\n    F(n, x) = x\n        + \\log n\n\nThe rest.",
    ],
)
def test_a_formula_of_its_own_ends_where_its_indentation_does(block: str) -> None:
    lines = [line for line in to_markdown(block).split("\n") if line]
    assert lines == ["Return it.", r"\[F(n, x) = x + \log n\]", "The rest."]


def test_a_name_is_code() -> None:
    assert to_markdown("see :func:`~thresher.simulate` and :class:`Problem`") == "see `thresher.simulate` and `Problem`"


def test_formulas_become_mathml_by_way_of_the_sites_markdown() -> None:
    extension = {"pymdownx.arithmatex": {"generic": True}}
    page = Markdown(extensions=list(extension), extension_configs=extension).convert("\\(a < b\\) and\n\n\\[x^2\\]")
    drawn = to_mathml(page)
    assert "arithmatex" not in drawn
    assert re.findall(r'<math[^>]*display="(\w+)"', drawn) == ["inline", "block"]
    assert "<mo>&#x0003C;</mo>" in drawn
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in drawn


def test_every_reference_is_listed_and_says_who_what_and_when() -> None:
    listed = bibliography()
    for key, entry in references().items():
        assert f"{{ #{key} }}" in listed
        assert entry.persons["author"]
        assert key.endswith(entry.fields["year"]), f"{key} is named by another year"
        assert label(key) in listed


def test_the_sources_of_what_is_built_are_there() -> None:
    needed = {"ouhamma2021", "locatelli2016", "tao2019", "lai1988", "chernoff1965", "steele2014", "marsaglia2000"}
    assert needed <= set(references())
