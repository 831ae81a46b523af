"""Import of scores of answers from the logs of other tools: a column of them, by arm and item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from thresher.campaign import Campaign
from thresher.campaign.ledger import Score, signal_decisions
from thresher.errors import InvalidInputError
from thresher.report import counted
from thresher.run.importers.log import Columns, Log
from thresher.run.importers.mapping import map_columns


class ScoreImport:
    """Scores in logs and the campaign into which they go: `check` looks whether they fit, `store` tells them.

    Parameters
    ----------
    logs : sequence of Log
    columns : Columns
        Which columns name the arm and the item.
    column : str
        The one of the scores; a blank cell is a missing score.
    may_create : bool
        Whether items that only the scores name are added; without it they are an error.

    Raises
    ------
    InvalidInputError, InvalidOutcomeError
        If a score has no item or is not a number.
    """

    def __init__(self, logs: Sequence[Log], columns: Columns, column: str, *, may_create: bool) -> None:
        wanted = replace(columns, outcome=column, gold="", success=(), failure=(), key=(), count="", squares="")
        wanted = replace(wanted, ticket="", outcome_option="--proxy-column")
        self.column, self.scores = column, [score for log in logs for score in _scores_in(log, wanted)]
        self._may_create = may_create

    @property
    def n_arms(self) -> int:
        """How many arms have a score."""
        return len({score.arm for score in self.scores})

    @property
    def summary(self) -> str:
        """How many scores there are, in words."""
        return f"{counted(len(self.scores), 'score')} of {counted(self.n_arms, 'arm')}"

    def check(self, campaign: str, arms: Iterable[str], items: Iterable[str]) -> list[str]:
        """Return the items that are added to a campaign with these arms and items.

        Raises
        ------
        UnknownNameError, InvalidInputError
            If an arm or an item is missing, or an answer has two different scores.
        """
        known, there = dict.fromkeys(arms), dict.fromkeys(items)
        new = [item for item in dict.fromkeys(score.item for score in self.scores) if item not in there]
        new = new if there else []  # a campaign without items gets none
        if new and not self._may_create and {score.arm for score in self.scores} <= known.keys():
            rule = f"must be an item of {campaign!r} (the file has {counted(len(new), 'new item')})"
            raise InvalidInputError("item", new[0], rule=rule, fix="add --create to add new items; no score was stored")
        signal_decisions.scores(campaign, _places(known), _places([*there, *new]), self.scores)
        return new

    def store(self, campaign: Campaign) -> list[str]:
        """Tell the scores; return the items that were added first."""
        there = campaign.items()
        new = self.check(campaign.name, there.arms, there.names)
        if new:
            campaign.add_items(new)
        campaign.tell_scores(self.scores)
        return new


def _places(names: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _scores_in(log: Log, columns: Columns) -> Iterable[Score]:
    for one in map_columns(log, columns).outcomes:
        if not one.item:
            rule = "must name its item: scores are those of answers"
            raise InvalidInputError(f"{one.place}: item", rule=rule, fix="name its column by --item-column")
        yield Score(one.arm, one.item, one.value)
