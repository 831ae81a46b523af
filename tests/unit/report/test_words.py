"""Sentences for people."""

import pytest

from thresher.report.words import sentence_of


@pytest.mark.parametrize(
    ("text", "shown"),
    [("no budget; say one", "No budget; say one."), ("Done.", "Done."), ("é", "É."), ("wait …", "Wait …"), ("", ".")],
)
def test_a_sentence(text: str, shown: str) -> None:
    assert sentence_of(text) == shown
