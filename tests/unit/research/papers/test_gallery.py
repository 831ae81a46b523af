from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from thresher.report import Line, Panel
from thresher.research.papers import CheckedClaim, Collection, FigureTable, MadeFigure, PaperFigure, Reproduction
from thresher.research.papers.claims import Claim, ClaimVerdict, Finding
from thresher.research.papers.gallery import gallery
from thresher.research.papers.grid import Grid

ABOUT = {"thresher": "0", "numpy": "0", "numba": "0", "python": "0", "command": "thresher reproduce <all>"}
PANEL = Panel(
    "first panel", "budget T", "mistakes", (Line("lsa", (1.0, 2.0), (4.0, 3.0)), Line("oracle", (2.0,), (5.0,)))
)
FIGURE = PaperFigure("figure-1", "A <title>", "Figure 1", "set-up & more", lambda _: (PANEL,), lambda _: "seen")


def claim(name: str, verdict: ClaimVerdict, figure: str) -> Claim:
    def check(_: Grid) -> Finding:
        raise NotImplementedError

    return Claim(
        name, f"place of {name}", f"says {name}.", verdict, f"why {name}.", "thresher reproduce toy", figure, check
    )


COLLECTION = Collection("Figures & claims", "What <they> show.", {FIGURE.name: FIGURE}, {})
WHOLE = Reproduction(
    COLLECTION,
    Path("out"),
    (MadeFigure(FIGURE, (PANEL,), FigureTable(("a", "z"), (("1", "+2.0"),)), "seen <b>"),),
    (
        CheckedClaim(claim("one", ClaimVerdict.HOLDS, "figure-1"), Finding(ClaimVerdict.HOLDS, "n one")),
        CheckedClaim(claim("two", ClaimVerdict.FAILS, "figure-1"), Finding(ClaimVerdict.HOLDS, "n two")),
        CheckedClaim(claim("three", ClaimVerdict.CONDITION, ""), Finding(ClaimVerdict.CONDITION, "n three")),
    ),
    runs=7,
    seed=0,
)
PAGE = gallery(WHOLE, ABOUT)


class Reader(HTMLParser):
    """Collects what a browser would fetch, and whether all that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "path", "use", "rect", "br"):
            self.open.append(tag)
        for name, value in attrs:
            if value and (name in ("src", "srcset", "poster", "data") or (tag == "link" and name == "href")):
                self.fetched.append(value)
            if value and name == "id":
                self.ids.append(value)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()


@pytest.fixture
def reader() -> Reader:
    found = Reader()
    found.feed(PAGE)
    return found


def test_the_page_fetches_nothing(reader: Reader) -> None:
    assert reader.fetched == []
    assert "default-src 'none'" in PAGE
    assert "<script" not in PAGE
    assert "url(http" not in PAGE
    assert "@import" not in PAGE


def test_the_page_is_whole_and_no_identifier_is_there_twice(reader: Reader) -> None:
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert {"figure-1", "claims"} <= set(reader.ids)


def test_it_fits_a_phone_and_follows_light_and_dark() -> None:
    assert 'name="viewport" content="width=device-width' in PAGE
    assert "prefers-color-scheme: dark" in PAGE


def test_set_up_picture_claims_and_findings_are_there_once_and_escaped() -> None:
    assert PAGE.count("A &lt;title&gt;</h2>") == 1
    for text in ("set-up &amp; more", "seen &lt;b&gt;", "says one.", "why two.", "n three", "place of one", "+2.0"):
        assert PAGE.count(text) == 1, text
    assert PAGE.count("<svg ") == 1
    assert "thresher reproduce &lt;all&gt;" in PAGE


def test_the_head_is_that_of_the_collection() -> None:
    assert "<h1>Figures &amp; claims</h1><p>What &lt;they&gt; show.</p>" in PAGE
    assert "<title>thresher: Figures &amp; claims</title>" in PAGE


def test_a_page_without_other_claims_has_no_link_to_them() -> None:
    assert PAGE.count("#claims") == 1
    assert "#claims" not in gallery(replace(WHOLE, claims=WHOLE.claims[:2]), ABOUT)


def test_a_verdict_that_the_runs_do_not_confirm_is_shown() -> None:
    assert "another verdict was found for: two" in PAGE
    assert PAGE.count("(these runs: holds)") == 1


def test_the_numbers_are_a_table_by_place() -> None:
    assert "<tr><td>1</td><td>4</td><td></td></tr><tr><td>2</td><td>3</td><td>5</td></tr>" in PAGE


def test_claims_are_counted_by_verdict() -> None:
    for verdict in ClaimVerdict:
        assert f"{verdict}</span>: 1</span>" in PAGE
