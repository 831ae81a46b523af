"""The import of scores by ``thresher tell --from FILE --proxy-column COLUMN``."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from pathlib import Path

from thresher.campaign import Campaign, ImportOptions
from thresher.campaign.ledger import Score
from thresher.cli.campaigns import campaign_at, only_campaign
from thresher.cli.log_import import tell_file
from thresher.cli.show import answer, progress, say
from thresher.errors import InvalidInputError
from thresher.report import counted
from thresher.run.importers import Columns, Creation, scores_in_files


def tell_scores(
    db: str,
    campaign: str | None,
    log: tuple[Sequence[Path], Columns, str],
    proxy_column: str,
    *,
    also: tuple[Creation | None, tuple[str, ImportOptions]],
    dry_run: bool,
    json: bool,
) -> None:
    """Read files and tell their scores; with an outcome column their outcomes first.

    Parameters
    ----------
    db, campaign, log
        As of :func:`thresher.cli.log_import.tell_file`.
    proxy_column : str
        Which column is the score.
    also : tuple
        What may be created and the version of the source, for the outcomes.
    dry_run, json : bool
    """
    paths, columns, chosen = log
    with progress("reading"):
        scores = scores_in_files(paths, columns, proxy_column, format=chosen)
    name = only_campaign(db) if campaign is None else campaign
    if columns.outcome:
        tell_file(db, name, log, *also, dry_run=dry_run, json=json)
    arms = len({score.arm for score in scores})
    if not dry_run:
        with campaign_at(db, name) as found:
            _add_items(found, scores, may_create=also[0] is not None)
            found.tell_scores(scores)
    if json:
        answer(dumps({"scores": len(scores), "arms": arms, "stored": not dry_run}))
        return
    found_in = f"{counted(len(scores), 'score')} of {counted(arms, 'arm')}"
    answer(f"{name}: understood {found_in}" if dry_run else f"{name}: {found_in} stored, now or before")


def _add_items(campaign: Campaign, scores: Sequence[Score], *, may_create: bool) -> None:
    """Add the items that only the scores name.

    Raises
    ------
    InvalidInputError
        If there are such items and nothing may be created.
    """
    there = campaign.items()
    known = set(there.names)
    missing = [item for item in dict.fromkeys(score.item for score in scores) if item not in known]
    if not missing or not known or not {score.arm for score in scores} <= set(there.arms):
        return  # an unknown arm, or a campaign without items, is an error of the scores
    if not may_create:
        rule = f"must be an item of {campaign.name!r} (the file has {counted(len(missing), 'new item')})"
        raise InvalidInputError("item", missing[0], rule=rule, fix="add --create to add new items; no score was stored")
    campaign.add_items(missing)
    say(f"created {counted(len(missing), 'item')}")
