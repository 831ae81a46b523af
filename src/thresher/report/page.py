"""A campaign as one self-contained HTML file: pictures and verdicts, no scripts, no external resources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import Protocol

from thresher.report.allocation import allocation_picture
from thresher.report.decisions import (
    SIGNS,
    HasDecision,
    Measure,
    Said,
    in_order,
    interval_of,
    standing_of,
    summary,
)
from thresher.report.progress import HasMistakes, progress_picture
from thresher.report.svg import number, tag
from thresher.report.verdict_rows import Strips, look_of
from thresher.report.words import sentence_of, share

# Content Security Policy: a hostile arm name can neither fetch nor run anything.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
BIAS = "Means are a little biased: an arm is measured on because of what it showed before."


class HasRow(HasDecision, Protocol):
    """What is known of an arm, and whether it is measured on."""

    @property
    def retired(self) -> bool:
        """Whether it is measured no more."""


@dataclass(frozen=True)
class CampaignPage:
    """What a report says of a campaign.

    Parameters
    ----------
    name, state : str
        ``open``, ``paused``, ``closed``, ``ended``.
    budget, spent, outstanding : float
    rows : sequence of HasRow
        All arms.
    said : Said
        The terms under which arms are decided.
    spent_words, next_step : str
        What was spent and what to do next, in sentences.
    expected_mistakes : float
    points, end : sequence of HasMistakes, HasMistakes or None
        Expected mistakes as the budget was spent; projected at its end.
    warnings : sequence of str
        What the reader must know of these verdicts.
    terms : dict of str to str
        What was fixed when it was created, in words.
    written : str
        When this was written, in words.
    """

    name: str
    state: str
    budget: float
    spent: float
    outstanding: float
    rows: Sequence[HasRow]
    said: Said
    spent_words: str
    next_step: str
    expected_mistakes: float
    points: Sequence[HasMistakes]
    end: HasMistakes | None
    warnings: Sequence[str]
    terms: dict[str, str]
    written: str


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
    yield f"<h1><bdi>{escape(page.name)}</bdi></h1>"
    yield tag("p", escape(f"{page.state}; {page.written}"), class_="soft")
    words = f"{summary(page.rows, page.said, page.expected_mistakes)} {page.spent_words} {page.next_step}"
    yield tag("p", escape(words), class_="summary")
    yield tag("dl", "".join(_tiles(page)), class_="tiles")
    for warning in page.warnings:
        yield tag("p", escape(sentence_of(warning)), class_="note")
    yield tag("section", "".join(_pictures(page)), class_="pictures", aria_label="Pictures")
    yield "<h2>Arms</h2>"
    yield tag(
        "div",
        "\n".join(_table(page.rows, page.said)),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label="Table of arms",
    )
    yield tag("p", BIAS, class_="soft")
    yield "<h2>Terms</h2>"
    yield tag("dl", "".join(_pair(key, escape(value)) for key, value in page.terms.items()), class_="tiles terms")


def _pair(title: str, value: str) -> str:
    return f"<div><dt>{escape(title)}</dt><dd>{value}</dd></div>"


def _tiles(page: CampaignPage) -> Iterator[str]:
    def small(text: str) -> str:
        return f" <small>{escape(text)}</small>"

    found = [row.decision for row in page.rows]
    outstanding = f", {number(page.outstanding)} outstanding" if page.outstanding else ""
    yield _pair("Budget", number(page.spent) + small(f"of {number(page.budget)} spent{outstanding}"))
    for decision in SIGNS:
        yield _pair(decision.capitalize(), number(found.count(decision)) + small(f"of {number(len(found))} arms"))
    yield _pair("Proven", number(sum(row.proven for row in page.rows)) + small(f"of {number(len(found))} arms"))
    later = "" if page.end is None else small(f"now, about {number(page.end.mistakes, 2)} when the budget is spent")
    yield _pair("Mistakes expected", number(page.expected_mistakes, 3) + later)


def _pictures(page: CampaignPage) -> Iterator[str]:
    drawn = {
        "Mistakes expected, as the budget is spent": progress_picture(page.points, budget=page.budget, end=page.end),
        "Where the measurements went": allocation_picture(page.rows),
    }
    for caption, picture in drawn.items():
        yield f"<figure><figcaption>{caption}</figcaption>{picture}</figure>"


def _table(rows: Sequence[HasRow], said: Said) -> Iterator[str]:
    strips, measure = Strips(rows), Measure.of(rows, said.unit)
    heads = [*map(measure.head, ("Mean", "Interval", "Bar")), "Measurements", "Chance of error"]
    yield (
        '<table><thead><tr><th scope="col">Decision</th><th scope="col">Arm</th>'
        f'<th scope="col" class="wide"><span class="hidden">Interval</span>{strips.ruler()}</th>'
        + "".join(f'<th scope="col" class="n">{escape(head)}</th>' for head in heads)
        + "</tr></thead><tbody>"
    )
    for row in in_order(rows, said.passes):
        yield _row(row, strips, measure, said)
    yield "</tbody></table>"


def _row(row: HasRow, strips: Strips, measure: Measure, said: Said) -> str:
    retired = ' <span class="soft">retired</span>' if row.retired else ""
    numbers = [
        measure.figure(row.mean),
        interval_of(row, measure),
        measure.figure(row.threshold),
        number(row.pulls),
        share(row.p_wrong),
    ]
    cells = [
        tag("td", badge_of(row, said.passes)),
        tag("th", f"<bdi>{escape(row.arm)}</bdi>{retired}", scope="row", class_="name"),
        tag("td", strips.strip(row), class_="wide"),
        *(tag("td", escape(cell), class_="n") for cell in numbers),
    ]
    return tag("tr", "".join(cells), **({"class_": "retired"} if row.retired else {}))


def badge_of(row: HasDecision, passes: str) -> str:
    """Return the decision on an arm as markup: its sign, its words, and whether it is proven."""
    sign = tag("span", SIGNS[row.decision], aria_hidden="true")
    words = tag("span", standing_of(row, passes), class_="words")
    notes = [note for note, is_so in (("proven", row.proven), ("within the tolerance", row.within)) if is_so]
    extra = f" {tag('span', ', '.join(notes), class_='badge-proven')}" if notes else ""
    return tag("span", f"{sign} {words}{extra}", class_=f"verdict {look_of(row)}")
