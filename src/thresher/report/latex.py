"""Tables in LaTeX, with the rules of the package booktabs."""

from __future__ import annotations

from collections.abc import Sequence

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\u00a0": "~",
    "–": "--",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "<": r"$<$",
    ">": r"$>$",
}


def latex_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[int] = (0,)) -> str:
    """Return rows as a tabular environment; columns are right-aligned except those in `left`.

    Parameters
    ----------
    heads : sequence of str
    rows : sequence of sequence of str
        Each as long as the heads.
    left : sequence of int
        Numbers of the columns of text.
    """
    columns = "".join("l" if i in left else "r" for i in range(len(heads)))
    lines = [f"{' & '.join(map(_escaped, cells))} \\\\" for cells in (heads, *rows)]
    body = [r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"]
    return "\n".join([f"\\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}"]) + "\n"


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(character, character) for character in text)
