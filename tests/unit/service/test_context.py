"""Names in paths: any letters, there and back; where the next page begins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.service.context import NameConvertor, next_page

LETTERS = st.characters(blacklist_categories=["Cs", "Cc"])


@given(st.text(LETTERS, min_size=1))
def test_a_name_comes_back_from_a_path_as_it_was(name: str) -> None:
    convertor = NameConvertor()
    part = convertor.to_string(name)
    assert "/" not in part
    assert convertor.convert(part) == name


@pytest.mark.parametrize(("part", "name"), [("a%00b", "a�b"), ("%ff", "�"), ("a%2Fb", "a/b"), ("%C3%BC", "ü")])
def test_what_no_name_has_becomes_a_letter_that_stands_for_nothing(part: str, name: str) -> None:
    assert NameConvertor().convert(part) == name


def test_the_last_page_has_no_next() -> None:
    assert next_page([1, 2], 2, 7) == 7
    assert next_page([1], 2, 7) is None
