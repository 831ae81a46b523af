"""The gallery: a self-contained page with every figure, what the paper says about it and what was found."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from thresher.report import Panel, legend_svg, shares_legend, svg_of
from thresher.research.papers.claims import ClaimVerdict
from thresher.research.papers.figure import FigureTable
from thresher.research.papers.inline_svg import inline, shades_css

if TYPE_CHECKING:
    from thresher.research.papers.reproduction import CheckedClaim, MadeFigure, Reproduction

MARKS = {
    ClaimVerdict.HOLDS: ("✓", "holds"),
    ClaimVerdict.CONDITION: ("≈", "condition"),
    ClaimVerdict.FAILS: ("✗", "fails"),
}


def gallery(whole: Reproduction, about: dict[str, Any]) -> str:
    """Return the page of a reproduction.

    Parameters
    ----------
    whole : Reproduction
    about : dict
        Versions and the command, for the foot of the page.
    """
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>thresher: {_text(whole.collection.title)}</title>",
        f"<style>{_style()}</style></head><body>",
        _sidebar(whole),
        '<div class="page">',
        _header(whole),
        "<main>",
        *(_section(made, whole.claims) for made in whole.figures),
        _other_claims(whole),
        "</main>",
        _footer(whole, about),
        "</div></body></html>",
    ]
    return "\n".join(parts)


def _style() -> str:
    light, dark = shades_css()
    sheet = (files("thresher.research.papers") / "gallery.css").read_text(encoding="utf-8")
    return sheet + f":root{{{light}}}@media (prefers-color-scheme: dark){{:root{{{dark}}}}}"


def _sidebar(whole: Reproduction) -> str:
    """Return the list of figures, with the title of each; it stays visible next to the page where there is room."""
    links = "".join(
        f'<li><a href="#{made.figure.name}"><b>{made.figure.name}</b> {_text(made.figure.title)}</a></li>'
        for made in whole.figures
    )
    links += '<li><a href="#claims"><b>claims</b> All other claims</a></li>' if _others(whole) else ""
    return f'<nav aria-label="Figures"><ul>{links}</ul></nav>'


def _header(whole: Reproduction) -> str:
    counts = "".join(
        f"<span>{_mark(verdict)}: {sum(checked.claim.verdict == verdict for checked in whole.claims)}</span>"
        for verdict in ClaimVerdict
    )
    odd = [checked.claim.name for checked in whole.claims if not checked.agrees]
    warning = (
        f"<p><strong>In these {whole.runs:,} runs another verdict was found for: {_text(', '.join(odd))}.</strong></p>"
        if odd
        else ""
    )
    return (
        f"<header><h1>{_text(whole.collection.title)}</h1><p>{_text(whole.collection.introduction)}</p>"
        f'<div class="counts">{counts}</div>{warning}</header>'
    )


def _section(made: MadeFigure, claims: Sequence[CheckedClaim]) -> str:
    figure, name = made.figure, made.figure.name
    pictures = _pictures(made)
    own = [checked for checked in claims if checked.claim.figure == name]
    table = _table(made.table) if made.table is not None else ""
    return (
        f'<section id="{name}"><h2>{_text(figure.title)}</h2>'
        f'<p class="soft small">{_text(figure.place)} · <code>{name}</code></p>'
        f"<h3>Set-up</h3><p>{_text(figure.setup)}</p>{pictures}"
        f"<h3>To be seen</h3><p>{_text(made.found)}</p>{table}"
        + ("<h3>What the paper says, and what was found</h3>" + "".join(_claim(each) for each in own) if own else "")
        + _numbers(made)
        + "</section>"
    )


def _pictures(made: MadeFigure) -> str:
    """Return the panels, and above them their legend if one stands for all."""
    name, title, is_shared = made.figure.name, made.figure.title, shares_legend(made.panels)
    legend = ""
    if is_shared:
        svg = legend_svg(made.panels, salt=f"{name}-legend")
        legend = inline(svg, prefix=f"{name}-legend", description=_text(f"{title}: legend"))
    pictures = "".join(
        inline(
            svg_of(panel, salt=f"{name}-{i}", has_names=not is_shared),
            prefix=f"{name}-{i}",
            description=_text(f"{title}: {panel.title}"),
        )
        for i, panel in enumerate(made.panels)
    )
    return f'<div class="legend">{legend}</div><div class="panels">{pictures}</div>'


def _claim(checked: CheckedClaim) -> str:
    row, kind = checked.claim, MARKS[checked.claim.verdict][1]
    doubt = "" if checked.agrees else f" <strong>(these runs: {checked.finding.verdict})</strong>"
    return (
        f'<div class="claim {kind}"><p>{_text(row.says)} <span class="soft small">{_text(row.place)}</span></p>'
        f"<p>{_mark(row.verdict)}{doubt}. {_text(row.why)}</p>"
        f'<p class="small soft">{_text(checked.finding.numbers)}. <code>{_text(row.evidence)}</code></p></div>'
    )


def _mark(verdict: ClaimVerdict) -> str:
    sign, kind = MARKS[verdict]
    return f'<span class="mark {kind}">{sign} {verdict}</span>'


def _others(whole: Reproduction) -> list[CheckedClaim]:
    shown = {made.figure.name for made in whole.figures}
    return [checked for checked in whole.claims if checked.claim.figure not in shown]


def _other_claims(whole: Reproduction) -> str:
    if not (others := _others(whole)):
        return ""
    return '<section id="claims"><h2>All other claims</h2>' + "".join(_claim(each) for each in others) + "</section>"


def _numbers(made: MadeFigure) -> str:
    name = made.figure.name
    tables = "".join(f"<p>{_text(panel.title)}</p>" + _table(_pivot(panel)) for panel in made.panels)
    links = " · ".join(f'<a href="{name}.{kind}">{name}.{kind}</a>' for kind in ("csv", "png", "svg"))
    return f'<details><summary>The numbers</summary>{tables}</details><p class="small">{links}</p>'


def _pivot(panel: Panel) -> FigureTable:
    """Return the curves of a panel as columns, its places as rows."""
    places = sorted({x for line in panel.lines for x in line.x})
    values = {line.name: dict(zip(line.x, line.y, strict=True)) for line in panel.lines}
    rows = tuple(
        (f"{x:.6g}", *(f"{values[line.name][x]:.4g}" if x in values[line.name] else "" for line in panel.lines))
        for x in places
    )
    return FigureTable((panel.xlabel, *(line.name for line in panel.lines)), rows)


def _table(table: FigureTable) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in table.header)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _footer(whole: Reproduction, about: dict[str, Any]) -> str:
    versions = ", ".join(f"{key} {about[key]}" for key in ("thresher", "numpy", "numba", "python"))
    return (
        f'<footer class="small soft"><p>{whole.runs:,} runs of each simulation, '
        f"{whole.runs * 10:,} in those of locatelli2016, seed {whole.seed}; bands are two standard errors unless a "
        f"panel says quartiles. Made by <code>{_text(about['command'])}</code> with {_text(versions)}.</p></footer>"
    )


def _text(text: str) -> str:
    return html.escape(text, quote=True)
