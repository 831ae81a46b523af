"""A campaign as one self-contained HTML file: pictures and verdicts, no scripts, no external resources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import Protocol, cast

from thresher.report.allocation import allocation_picture
from thresher.report.bars import passing_rule
from thresher.report.cells import COLUMNS, Cells, cells_of, quantile_cells
from thresher.report.decision_rows import HasDecision, HasDifference, HasShare
from thresher.report.decision_table import lift_of
from thresher.report.decisions import SIGNS, in_order, notes_of, standing_of
from thresher.report.measure import Measure
from thresher.report.progress import HasMistakes, progress_picture
from thresher.report.quantile_words import quantile_name
from thresher.report.said import Said
from thresher.report.svg import tag
from thresher.report.verdict_rows import Strips, look_of
from thresher.report.words import sentence_case, sentence_of

# Content Security Policy: a hostile arm name can neither fetch nor run anything.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
BIAS = "Means are slightly biased, because earlier outcomes decide which arm is measured next."


class HasRow(HasDecision, Protocol):
    """The statistics of an arm, and whether it is retired."""

    @property
    def retired(self) -> bool:
        """Whether it is no longer measured."""


@dataclass(frozen=True)
class CampaignPage:
    """The content of a report of a campaign.

    Parameters
    ----------
    name, state : str
        ``open``, ``paused``, ``closed``, ``ended``.
    budget : float
    rows : sequence of HasRow
        All arms.
    said : Said
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
    scaled : sequence of HasRow, optional
        The rows on the scale of the pictures, where it differs: with a control, differences or lifts.
    items : str
        The items, as markup; empty without items.
    """

    name: str
    state: str
    budget: float
    rows: Sequence[HasRow]
    said: Said
    summary: Sequence[str]
    next_step: str
    points: Sequence[HasMistakes]
    end: HasMistakes | None
    warnings: Sequence[str]
    method: str
    written: str
    items: str = ""
    scaled: Sequence[HasRow] | None = None

    @property
    def drawn(self) -> Sequence[HasRow]:
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
    heading = (
        f"<h1><bdi>{escape(page.name)}</bdi></h1>{tag('p', escape(passing_rule(page.rows, page.said)), class_='rule')}"
    )
    yield tag("header", heading + tag("p", escape(f"{page.state.capitalize()}; {page.written}."), class_="soft"))
    for i, words in enumerate(page.summary):
        yield tag("p", escape(words), **({} if i else {"class_": "summary"}))
    yield tag("p", f"<b>Next:</b> {escape(page.next_step)}")
    for warning in page.warnings:
        yield tag("p", escape(sentence_of(warning)), class_="note")
    yield tag("section", "".join(_pictures(page)), class_="pictures", aria_label="Pictures")
    yield "<h2>Arms</h2>"
    yield tag(
        "div",
        "\n".join(_table(page)),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label="Table of arms",
    )
    yield "<h2>Method</h2>"
    yield tag("p", escape(page.method))
    if any(row.mean is not None for row in page.rows):
        yield tag("p", BIAS, class_="soft")
    if page.items:
        yield "<h2>Items</h2>"
        yield tag("section", page.items, aria_label="Items")


def _pictures(page: CampaignPage) -> Iterator[str]:
    drawn = {
        "Mistakes expected, as the budget is spent": progress_picture(page.points, budget=page.budget, end=page.end),
        "Where the measurements went": allocation_picture(page.drawn, what=page.said.drawn_name),
    }
    for caption, picture in drawn.items():
        yield f"<figure><figcaption>{caption}</figcaption>{picture}</figure>"


def _table(page: CampaignPage) -> Iterator[str]:
    said, measure, strips = page.said, page.said.measure(page.rows), Strips(page.drawn)
    ordered = in_order(page.rows, said.passes)
    has_bar = len({row.threshold for row in page.rows}) > 1 and not said.control
    ruler = f'<span class="hidden">Interval</span>{strips.ruler()}'
    columns = _columns(said, measure, len(page.rows), has_bar=has_bar)
    heads = [_head_cell("Decision"), _head_cell("Arm"), _head_cell("Interval", ruler, kind="wide")]
    for i, (name, title) in enumerate(columns.items()):
        heads += [_head_cell(name, escape(title), kind="n extra" if i else "n")]
    heads += [_head_cell("Measurements", kind="n extra"), _head_cell("Chance of error", kind="n")]
    yield f"<table><thead><tr>{''.join(heads)}</tr></thead><tbody>"
    drawn = {row.arm: strips.strip(row) for row in page.drawn}
    if said.quantile:
        every = quantile_cells(cast("Sequence[HasShare]", ordered), said, measure)
    else:
        every = cells_of(ordered, said, measure)
    for row, cells in zip(ordered, every, strict=True):
        yield _row(row, cells, drawn[row.arm], _numbers(row, cells, columns, measure), said)
    yield "</tbody></table>"


def _columns(said: Said, measure: Measure, n_arms: int, *, has_bar: bool) -> dict[str, str]:
    """Return the columns of numbers and their titles."""
    bar = {"Bar": measure.head("Bar")} if has_bar else {}
    mean, interval = {"Mean": measure.head("Mean")}, {"Interval": sentence_case(said.interval_head(measure, n_arms))}
    if said.quantile:
        quantile = measure.head(quantile_name(said.quantile).capitalize())
        return {"Share ≤ bar": "Share ≤ bar"} | interval | {"Quantile": quantile} | mean | bar
    if said.control:
        return mean | {"Difference": measure.head("Difference")} | interval | {"Lift": "Lift, %"}
    if said.pass_k > 1:
        mean = {"All succeed": measure.head(sentence_case(said.mean_head))}
    return mean | interval | bar


def _numbers(row: HasRow, cells: Cells, columns: Iterable[str], measure: Measure) -> list[str]:
    """Return the cells of these columns."""
    found = {
        "Mean": cells.mean,
        "All succeed": cells.mean,
        "Bar": cells.bar,
        "Share ≤ bar": cells.share,
        "Quantile": cells.quantile,
    }
    if "Difference" in columns:
        one = cast("HasDifference", row)
        found |= {"Difference": escape(measure.difference(one.difference)), "Lift": escape(lift_of(one))}
    return [found.get(name, cells.interval) for name in columns]


def _head_cell(name: str, content: str = "", *, kind: str = "") -> str:
    return tag("th", content or name, scope="col", title=COLUMNS[name], **({"class_": kind} if kind else {}))


def _row(row: HasRow, cells: Cells, strip: str, numbers: Sequence[str], said: Said) -> str:
    retired = ' <span class="soft">retired</span>' if row.retired else ""
    parts = [
        tag("td", badge_of(row, said.passes)),
        tag("th", f"<bdi>{escape(row.arm)}</bdi>{retired}", scope="row", class_="name"),
        tag("td", strip, class_="wide"),
        *(tag("td", cell, class_="n extra" if i else "n") for i, cell in enumerate(numbers)),
        tag("td", cells.pulls, class_="n extra"),
        tag("td", escape(cells.chance), class_="n"),
    ]
    return tag("tr", "".join(parts), **({"class_": "retired"} if row.retired else {}))


def badge_of(row: HasDecision, passes: str) -> str:
    """Return the decision on an arm as markup: its sign, its words, and whether it is proven."""
    sign = tag("span", SIGNS[row.decision], aria_hidden="true")
    words = tag("span", standing_of(row, passes), class_="words")
    notes = ", ".join(notes_of(row))
    extra = f" {tag('span', notes, class_='badge-proven')}" if notes else ""
    return tag("span", f"{sign} {words}{extra}", class_=f"verdict {look_of(row)}")
