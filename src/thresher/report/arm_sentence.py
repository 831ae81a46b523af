"""What is known of an arm, in one sentence."""

from __future__ import annotations

from thresher.report.columns import COLUMNS, View, bar_words
from thresher.report.decision_rows import HasDecision
from thresher.report.decisions import standing_of
from thresher.report.text_terms import TextTerms


def sentence_about(row: HasDecision, said: TextTerms) -> str:
    """Return the decision on an arm, what its columns say in words, and its bar."""
    view = View([row], said)
    bar = bar_words(row, view)
    if row.mean is None:
        return f"not measured, {bar}"
    words = standing_of(row, said.passes) + (", proven" if row.proven else "")
    phrases = [column.phrase(row, view) for column in COLUMNS if column.phrase is not None and column.applies(view)]
    return f"{words}: {', '.join(filter(None, phrases))}, {bar}"
