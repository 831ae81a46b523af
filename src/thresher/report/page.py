"""A campaign as one self-contained HTML file: pictures and verdicts, no scripts, no external resources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources

from thresher.report.allocation import allocation_picture
from thresher.report.cells import cells_of
from thresher.report.columns import ARM, DECISION, REPORT, STRIP, Column, View, numbers_of
from thresher.report.decision_rows import HasDecision, HasStoredRow
from thresher.report.decisions import SIGNS, WORDS, in_order, notes_of, passing_rule, standing_of
from thresher.report.progress import HasMistakes, progress_picture
from thresher.report.svg import tag
from thresher.report.text_terms import TextTerms
from thresher.report.timeline import HasMoment, timeline_picture
from thresher.report.verdict_rows import Strips, look_of
from thresher.report.words import sentence_case, sentence_of

# Content Security Policy: a hostile arm name can neither fetch nor run anything.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
ALWAYS = ("Mean", "Share ≤ bar", "Interval")  # columns of numbers that a phone shows too
MANY = 40  # arms above which the table begins with links to its groups
SHORT = 20  # characters of a name that need not be broken
SEPARATORS = re.compile(r"(?<=\w)(?:::|[/_.\[])(?=\w)")
BIAS = "Means are slightly biased, because earlier outcomes decide which arm is measured next."


@dataclass(frozen=True)
class CampaignPage:
    """The content of a report of a campaign.

    Parameters
    ----------
    name, state : str
        ``open``, ``paused``, ``closed``, ``archived``, ``ended``.
    budget : float
    rows : sequence of HasStoredRow
        All arms.
    said : TextTerms
        The terms under which arms are decided.
    summary : sequence of str
        What was decided, in paragraphs.
    next_step : str
        What to do next, in a sentence.
    points, end : sequence of HasMistakes, HasMistakes or None
        Expected mistakes as the budget was spent; projected at its end.
    warnings : sequence of str
        Warnings about these verdicts.
    method : str
        How arms were measured and decided, in two sentences.
    written : str
        The time of the report, as text.
    scaled : sequence of HasStoredRow, optional
        The rows on the scale of the pictures, where it differs: with a control, differences or lifts.
    items : str
        The items, as markup; empty without items.
    judge : str
        The judge that scores answers, as markup; empty without scores.
    settled : sequence of HasMoment
        The decisions in the order in which they were made.
    """

    name: str
    state: str
    budget: float
    rows: Sequence[HasStoredRow]
    said: TextTerms
    summary: Sequence[str]
    next_step: str
    points: Sequence[HasMistakes]
    end: HasMistakes | None
    warnings: Sequence[str]
    method: str
    written: str
    items: str = ""
    judge: str = ""
    settled: Sequence[HasMoment] = ()
    scaled: Sequence[HasStoredRow] | None = None

    @property
    def drawn(self) -> Sequence[HasStoredRow]:
        """The rows as pictures show them."""
        return self.rows if self.scaled is None else self.scaled


def html_page(page: CampaignPage) -> str:
    """Return the whole document."""
    return "\n".join(
        ["<!doctype html>", '<html lang="en">', _head(page), "<body><main>", *_body(page), "</main></body></html>", ""]
    )


def _head(page: CampaignPage) -> str:
    package = resources.files("thresher.report")
    styles = "".join(package.joinpath(name).read_text(encoding="utf-8") for name in ("pictures.css", "page.css"))
    return "".join([
        '<head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(page.name)} · thresher</title><style>{styles}</style></head>",
    ])  # fmt: skip


def _body(page: CampaignPage) -> Iterator[str]:
    heading = f"<h1><bdi>{escape(page.name)}</bdi></h1>"
    yield tag("header", heading + tag("p", escape(f"{page.state.capitalize()}; {page.written}."), class_="soft"))
    for i, words in enumerate(page.summary):
        yield tag("p", escape(words), **({} if i else {"class_": "summary"}))
    yield tag("p", f"<b>Next:</b> {escape(page.next_step)}")
    for warning in page.warnings:
        yield tag("p", escape(sentence_of(warning)), class_="note")
    yield f"<h2>Arms</h2>{tag('p', escape(passing_rule(page.rows, page.said)), class_='soft')}"
    if len(page.rows) > MANY:
        yield tag("nav", "".join(_groups(page)), class_="groups", aria_label="Groups of arms")
    yield tag(
        "div",
        "\n".join(_table(page)),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label="Table of arms",
    )
    yield tag("section", "".join(_pictures(page)), class_="pictures", aria_label="Pictures")
    yield "<h2>Method</h2>"
    yield tag("p", escape(page.method))
    if any(row.mean is not None for row in page.rows):
        yield tag("p", BIAS, class_="soft")
    if page.judge:
        yield "<h2>Judge</h2>"
        yield tag("section", page.judge, aria_label="Judge")
    if page.items:
        yield "<h2>Items</h2>"
        yield tag("section", page.items, aria_label="Items")


def _groups(page: CampaignPage) -> Iterator[str]:
    """Yield a link to the first arm of each decision, with the number of its arms."""
    for decision, word in WORDS.items():
        count = sum(row.decision == decision for row in page.rows)
        if count:
            yield tag("a", f"{count:,} {word}", href=f"#{decision}", class_=f"verdict {decision}")


def _pictures(page: CampaignPage) -> Iterator[str]:
    drawn = {
        "Mistakes expected": progress_picture(page.points, budget=page.budget, end=page.end),
        "Where the measurements went": allocation_picture(page.drawn, what=page.said.drawn_name),
    }
    if page.settled:
        drawn["When arms were decided"] = timeline_picture(page.settled, budget=page.budget, n_arms=len(page.rows))
    for caption, picture in drawn.items():
        yield f"<figure><figcaption>{caption}</figcaption>{picture}</figure>"


def _table(page: CampaignPage) -> Iterator[str]:
    view, strips = View(page.rows, page.said), Strips(page.drawn)
    ordered, columns = in_order(page.rows, page.said.passes), numbers_of(view, REPORT)
    ruler = f'<span class="hidden">Interval</span>{strips.ruler()}'
    heads = [_head_cell(DECISION, view), _head_cell(ARM, view), _head_cell(STRIP, view, ruler)]
    heads += [_head_cell(column, view) for column in columns]
    yield f"<table><thead><tr>{''.join(heads)}</tr></thead><tbody>"
    drawn = {row.arm: strips.strip(row) for row in page.drawn}
    named = set[str]()  # the first arm of each decision is where the links above a long table lead
    for row, cells in zip(ordered, cells_of(columns, ordered, view), strict=True):
        anchor = {"id": row.decision} if row.decision not in named else {}
        named.add(row.decision)
        numbers = [_number(column, escape(cell)) for column, cell in zip(columns, cells, strict=True)]
        yield _row(row, drawn[row.arm], numbers, page.said, anchor)
    yield "</tbody></table>"


def _head_cell(column: Column, view: View, content: str = "") -> str:
    shown = content or escape(sentence_case(column.heading(view)))
    return tag("th", shown, scope="col", title=column.help, **_classes(column))


def _cell(column: Column, content: str) -> str:
    return tag("td", content, **_classes(column))


def _number(column: Column, content: str) -> str:
    """Return a cell; one that a phone shows has a label, because a phone shows no headings."""
    label = {} if column.narrow else {"data_label": column.label or column.key}
    return tag("td", content, **_classes(column), **label)


def _classes(column: Column) -> dict[str, str]:
    return {"class_": column.classes} if column.classes else {}


def _row(row: HasStoredRow, strip: str, numbers: Sequence[str], said: TextTerms, anchor: Mapping[str, str]) -> str:
    retired = ' <span class="soft">retired</span>' if row.retired else ""
    parts = [
        tag("td", badge_of(row, said.passes), class_="decision"),
        tag("th", f"<bdi>{breakable(row.arm)}</bdi>{retired}", scope="row", class_="name"),
        _cell(STRIP, strip),
        *numbers,
    ]
    return tag("tr", "".join(parts), **anchor, **({"class_": "retired"} if row.retired else {}))


def breakable(name: str) -> str:
    """Return a name as markup that a browser breaks after a separator rather than within a word."""
    return SEPARATORS.sub(r"\g<0><wbr>", escape(name)) if len(name) > SHORT else escape(name)


def badge_of(row: HasDecision, passes: str) -> str:
    """Return the decision on an arm as markup: its sign, its words, and whether it is proven."""
    sign = tag("span", SIGNS[row.decision], aria_hidden="true")
    words = tag("span", standing_of(row, passes), class_="words")
    notes = ", ".join(notes_of(row))
    extra = f" {tag('span', notes, class_='badge-proven')}" if notes else ""
    return tag("span", f"{sign} {words}{extra}", class_=f"verdict {look_of(row)}")
