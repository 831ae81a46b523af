import re

import pytest

from thresher.errors import UnknownNameError
from thresher.research.papers.catalogue import FIGURES, OUHAMMA2021


def names(*wanted: str) -> list[str]:
    return [figure.name for figure in OUHAMMA2021.select(wanted)]


def test_no_name_is_all_of_them() -> None:
    assert names() == list(FIGURES)


def test_a_name_stands_for_those_that_it_begins() -> None:
    assert names("figure-1") == ["figure-1", "figure-1-ours"]
    assert names("figure-3") == ["figure-3-left", "figure-3-left-ours", "figure-3-right", "figure-3-right-ours"]
    assert names("figure-1-ours") == ["figure-1-ours"]
    assert names("toy", "figure-2-ours") == ["figure-2-ours", "toy"]  # in the order of the gallery, each once


@pytest.mark.parametrize("wrong", ["figure-9", "figure", "fig", "", "toy-", "kano2019"])
def test_an_unknown_name_is_refused(wrong: str) -> None:
    if wrong == "figure":
        assert len(names(wrong)) == 18  # all numbered ones
        return
    with pytest.raises(UnknownNameError):
        OUHAMMA2021.select([wrong])


def test_names_are_fit_for_files_and_every_figure_of_the_paper_is_there_twice() -> None:
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in FIGURES)
    for name in ("1", "2", "3-left", "3-right", "4", "5", "6", "7", "8"):
        assert {f"figure-{name}", f"figure-{name}-ours"} <= set(FIGURES)
