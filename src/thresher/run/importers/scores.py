"""Scores of answers in the files of other tools: a column of them, by arm and item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from thresher.campaign.ledger import Score
from thresher.errors import InvalidInputError
from thresher.run.importers.formats import map_log
from thresher.run.importers.log import Columns


def scores_in_files(paths: Sequence[Path], columns: Columns, proxy: str, *, format: str = "") -> list[Score]:  # noqa: A002
    """Return the scores in a column of some files; a blank one is missing.

    Parameters
    ----------
    paths : sequence of Path
    columns : Columns
        Which columns name the arm and the item.
    proxy : str
        The column of the scores.
    format : str
        Of the files, if it cannot be seen.

    Raises
    ------
    InvalidInputError, InvalidOutcomeError
        If a file cannot be read, or a score has no item or is not a number.
    """
    wanted = replace(columns, outcome=proxy, gold="", success=(), failure=(), key=(), count="", squares="", ticket="")
    wanted = replace(wanted, outcome_option="--proxy-column")
    found = []
    for path in paths:
        for one in map_log(path, wanted, format=format).outcomes:
            if not one.item:
                rule = "must name its item: scores are those of answers"
                raise InvalidInputError(f"{one.place}: item", rule=rule, fix="name its column by --item-column")
            found.append(Score(one.arm, one.item, one.value))
    return found
