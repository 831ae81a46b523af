"""Probabilities and sentences for people."""

import math

import pytest

from thresher.report.words import counted, sentence_of, share


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.5, "50 %"), (0.123, "12 %"), (0.0, "0 %"), (1e-5, "< 0.01 %"), (1e-4, "0.01 %"), (None, "–"), (math.nan, "–")],
)
def test_a_probability(value: float | None, shown: str) -> None:
    assert share(value) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("no budget; say one", "No budget; say one."), ("Done.", "Done."), ("é", "É."), ("wait …", "Wait …"), ("", ".")],
)
def test_a_sentence(text: str, shown: str) -> None:
    assert sentence_of(text) == shown


@pytest.mark.parametrize(("n", "shown"), [(0, "0 arms"), (1, "1 arm"), (2, "2 arms"), (1200, "1,200 arms")])
def test_a_number_with_its_noun(n: int, shown: str) -> None:
    assert counted(n, "arm") == shown
