"""The claims page of the documentation, generated from the same rows that the tests check.

``python -m reproduction.claims.page > docs/explanation/claims.md`` writes it; a test compares.
"""

from __future__ import annotations

from reproduction.claims import CLAIMS
from thresher.research.papers.claims import Claim, ClaimVerdict

INTRODUCTION = """# The paper, claim by claim

This page lists every checkable claim of :cite:p:`ouhamma2021`, paraphrased, with the verdict of its check. At the end
of each section are numerical claims of related papers. The page is generated from the rows that the tests check.
[`thresher reproduce`](../howto/reproduce-a-figure.md) runs the checks of the claims about figures and shows the
numbers; on a checkout `python -m reproduction` runs all of them.
"""
TITLES = {
    ClaimVerdict.FAILS: "What does not hold",
    ClaimVerdict.CONDITION: "What holds with a condition",
    ClaimVerdict.HOLDS: "What holds",
}


def claims_page() -> str:
    """Return the page as Markdown: what does not hold first, each part in the order of the paper."""
    parts = [INTRODUCTION, _counts()]
    for verdict, title in TITLES.items():
        rows = [claim for claim in CLAIMS.values() if claim.verdict == verdict]
        parts += [f"## {title}\n", "\n".join(_entry(claim) for claim in rows)]
    return "\n".join(parts)


def _counts() -> str:
    counts = {verdict: sum(claim.verdict == verdict for claim in CLAIMS.values()) for verdict in TITLES}
    rows = "".join(f"| {verdict} | {count} |\n" for verdict, count in counts.items())
    return f"| verdict | claims |\n|---|---:|\n{rows}"


def _entry(claim: Claim) -> str:
    return f"**{claim.says}** ({claim.place})\n{claim.why} `{claim.evidence}`\n"


if __name__ == "__main__":
    print(claims_page(), end="")  # noqa: T201
