"""The report stands alone, says what is known, and runs nothing."""

import re
from dataclasses import dataclass, replace
from html.parser import HTMLParser

from tests.support.hostile.markup import MARKUP
from thresher.report.page import POLICY, CampaignPage, html_page
from thresher.report.text_terms import TextTerms


@dataclass(frozen=True)
class Row:
    """What is known of an arm."""

    arm: str
    verdict: str = "above"
    decision: str = "pass"
    proven: bool = False
    within: bool = False
    mean: float | None = 0.9
    pulls: int = 10
    low: float = 0.8
    high: float = 0.95
    threshold: float = 0.5
    p_wrong: float = 0.01
    retired: bool = False
    valid_low: float = 0.7
    valid_high: float = 0.99


@dataclass(frozen=True)
class Mistakes:
    """Expected mistakes when so much was spent."""

    spent: float
    mistakes: float


PAGE = CampaignPage(
    name="prompts",
    state="open",
    budget=100,
    rows=[
        Row("far", proven=True),
        Row("near", "below", "open", mean=0.49, low=0.3, high=0.7),
        Row("blank", "undecided", "open", mean=None, pulls=0),
    ],
    said=TextTerms(),
    summary=["1 pass, 0 fail, 2 undecided. 40 of 100 measurements spent.", "Expect about 0.6 mistakes."],
    next_step="Do it again.",
    points=[Mistakes(10, 2.0), Mistakes(40, 0.61)],
    end=Mistakes(100, 0.02),
    warnings=["the outcomes drift"],
    method="Measured. Decided.",
    written="written today",
)


class Statistics(HTMLParser):
    """Every element of a document, with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def cells(text: str) -> list[list[str]]:
    """Return the text of every cell of the table, row by row."""
    body = text[text.index("<tbody>") : text.index("</tbody>")]
    return [
        [re.sub("<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)]
        for row in body.split("<tr")[1:]
    ]


def test_a_worked_page() -> None:
    text = html_page(PAGE)
    assert cells(text) == [
        ["✔ pass proven", "far", "", "0.900", "0.800 to 0.950", "10", "1.0\u00a0%"],
        ["● leaning fail", "near", "", "0.490", "0.300 to 0.700", "10", "1.0\u00a0%"],
        ["● not measured", "blank", "", "–", "–", "0", "1.0\u00a0%"],
    ]
    assert '<p class="summary">1 pass, 0 fail, 2 undecided. 40 of 100 measurements spent.</p>' in text
    assert "40 of 100 measurements spent.</p>" in text
    assert "<p><b>Next:</b> Do it again.</p>" in text
    header = text[text.index("<header>") : text.index("</header>")]
    assert "Open; written today." in header
    assert '<p class="note">The outcomes drift.</p>' in text
    order = ["<b>Next:</b>", "An arm passes if its mean is above 0.5.", "</table>", "<figure>", "<h2>Method</h2>"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert text.index("<h2>Method</h2>") < text.index("<p>Measured. Decided.</p>") < text.index("slightly biased")
    assert "slightly biased" not in html_page(replace(PAGE, rows=[row for row in PAGE.rows if row.mean is None]))


def test_arms_with_bars_of_their_own_have_a_column_for_them() -> None:
    text = html_page(replace(PAGE, rows=[Row("a"), Row("b", threshold=7.5)]))
    assert "An arm passes if its mean is above its own bar (0.5–7.5)." in text
    assert [row[5] for row in cells(text)] == ["0.5", "7.5"]


def test_a_long_table_begins_with_links_to_its_groups() -> None:
    rows = [Row(f"p{i}") for i in range(30)] + [Row(f"o{i}", "below", "open", mean=0.4) for i in range(30)]
    text = html_page(replace(PAGE, rows=rows))
    links = [attributes["href"] for name, attributes in Statistics(text).elements if name == "a"]
    assert links == ["#pass", "#open"]
    assert [text.count(f'id="{kind}"') for kind in ("pass", "fail", "open")] == [1, 0, 1]
    assert "30 undecided</a>" in text
    assert "<nav" not in html_page(PAGE)


def test_every_column_explains_itself() -> None:
    heads = [attributes for name, attributes in Statistics(html_page(PAGE)).elements if name == "th"]
    columns = [attributes for attributes in heads if attributes["scope"] == "col"]
    assert len(columns) == 7
    assert all(attributes["title"] for attributes in columns)


def test_it_needs_nothing_from_outside_and_has_no_script() -> None:
    text = html_page(PAGE)
    seen = Statistics(text).elements
    assert not {"script", "link", "img", "iframe"} & {name for name, _ in seen}
    assert not [value for _, attributes in seen for key, value in attributes.items() if key in ("src", "href")]
    assert "url(" not in text
    assert "@import" not in text
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in text
    assert text.count('class="picture"') == 2
    assert text.count('class="strip"') == 4  # one for each arm, and the ruler


def test_no_name_becomes_markup() -> None:
    plain = replace(PAGE, rows=[Row(f"arm {i}") for i in range(len(MARKUP))], name="x", warnings=["w"])
    hostile = replace(plain, rows=[Row(name) for name in MARKUP], name=MARKUP[0], warnings=[MARKUP[8]])
    # A long name may be broken at its separators, which is all that differs.
    elements = [
        [name for name, _ in Statistics(html_page(page)).elements if name != "wbr"] for page in (plain, hostile)
    ]
    assert elements[0] == elements[1]


def test_a_campaign_without_an_outcome_has_a_page() -> None:
    text = html_page(
        replace(PAGE, rows=[Row("a", "undecided", "open", mean=None, pulls=0)], points=[], end=None, warnings=[])
    )
    assert text.count("no outcome yet") == 2
    assert 'class="note"' not in text
