"""The page of the documentation on the paper, generated from the same rows that the tests check.

``python -m reproduction.claims.page > docs/explanation/claims.md`` writes it; a test compares.
"""

from __future__ import annotations

from itertools import chain

from reproduction.claims import CLAIMS
from reproduction.claims.paper_map import FIGURES, ITEMS, Item
from thresher.research.papers.claims import Claim, ClaimVerdict

INTRODUCTION = """# The paper, item by item

thresher implements :cite:p:`ouhamma2021` completely. This page maps every theorem, corollary, lemma, assumption,
algorithm, remark, figure and numbered equation of the paper to our function, test and figure. Then it lists every
checkable claim, paraphrased, with the verdict of its check. The errors of the paper are on the
[errata page](errata.md), and what is proved beyond it on [another](statements.md). The page is generated from the rows
that the tests check.

## The map

Names that begin with `reproduction` need a checkout; `thresher reproduce NAME` draws
[a figure](../howto/reproduce-a-figure.md). The last column links the claims below, by their verdict, and the errata, by
their number.
"""
CLAIMS_INTRODUCTION = """## Claims

[`thresher reproduce`](../howto/reproduce-a-figure.md) runs the checks of the claims about figures and shows the
numbers; on a checkout `python -m reproduction` runs all of them. At the end of each section are numerical claims of
related papers.
"""
TITLES = {
    ClaimVerdict.FAILS: "What does not hold",
    ClaimVerdict.CONDITION: "What holds with a condition",
    ClaimVerdict.HOLDS: "What holds",
}
SHORT = {ClaimVerdict.FAILS: "does not hold", ClaimVerdict.CONDITION: "with a condition", ClaimVerdict.HOLDS: "holds"}
# The anchors of the errata page, in the order of its numbers; a test compares.
ERRATA = (
    *("gaps", "means", "t-max", "toy", "idle", "condition", "pulls", "gamma", "apt", "split"),
    *("square", "whole", "scale", "oracle", "two-versions", "figure-2", "smaller", "capped", "remark", "late"),
)


def claims_page() -> str:
    """Return the page as Markdown: the map, then the claims, what does not hold first."""
    parts = [INTRODUCTION, *(_table(title, items) for title, items in ITEMS.items()), CLAIMS_INTRODUCTION, _counts()]
    for verdict, title in TITLES.items():
        rows = [claim for claim in CLAIMS.values() if claim.verdict == verdict]
        entries = "\n".join(_entry(claim) for claim in rows)
        parts += [f"### {title}\n", _folded(rows, entries) if verdict is ClaimVerdict.HOLDS else entries]
    return "\n".join(parts)


def _table(title: str, items: tuple[Item, ...]) -> str:
    code = "`thresher reproduce`" if items is FIGURES else "function"
    head = f"### {title}\n\n| in the paper | states | {code} | test | claims, errata |\n|:---|:---|:---|:---|:---|\n"
    return head + "".join(_row(item) for item in items)


def _row(item: Item) -> str:
    files = dict.fromkeys(f"tests/{test.partition('::')[0]}" for test in item.tests)
    checks = [f"[{SHORT[CLAIMS[name].verdict]}](#{name})" for name in item.claims]
    errata = [f"[{1 + ERRATA.index(anchor)}](errata.md#{anchor})" for anchor in item.errata]
    marks = ", ".join(chain(checks, [f"erratum {', '.join(errata)}"] if errata else []))
    place = "" if item.place.casefold() == item.name.casefold() else f", {item.place}"
    return f"| **{item.name}**{place} | {item.states} | {_names(item.code)} | {_names(files)} | {marks or '–'} |\n"


def _names(names: tuple[str, ...] | dict[str, None]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _counts() -> str:
    counts = {verdict: sum(claim.verdict == verdict for claim in CLAIMS.values()) for verdict in TITLES}
    rows = "".join(f"| {verdict} | {count} |\n" for verdict, count in counts.items())
    return f"| verdict | claims |\n|---|---:|\n{rows}"


def _folded(rows: list[Claim], entries: str) -> str:
    return f"<details markdown>\n<summary>{len(rows)} claims</summary>\n\n{entries}\n</details>\n"


def _entry(claim: Claim) -> str:
    return f"**{claim.says}** ({claim.place})\n{claim.why} `{claim.evidence}`\n{{ #{claim.name} }}\n"


if __name__ == "__main__":
    print(claims_page(), end="")  # noqa: T201
