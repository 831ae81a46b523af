"""The import of scores by ``thresher tell --from FILE --proxy-column COLUMN``."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from pathlib import Path

from thresher.campaign import ImportOptions
from thresher.cli.campaigns import campaign_at, only_campaign
from thresher.cli.log_import import tell_file
from thresher.cli.show import answer, progress, say
from thresher.report import counted
from thresher.run.importers import Columns, Creation, ScoreImport, open_log


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
        logs = [open_log(path, chosen) for path in paths]
        scores = ScoreImport(logs, columns, proxy_column, may_create=also[0] is not None)
    name = only_campaign(db) if campaign is None else campaign
    outcomes = tell_file(db, name, log, *also, dry_run=dry_run, json=json) if columns.outcome else {}
    if not dry_run:
        with campaign_at(db, name) as found:
            new = scores.store(found)
        if new and not json:
            say(f"created {counted(len(new), 'item')}")
    if json:
        found_scores = {"scores": len(scores.scores), "arms": scores.n_arms, "stored": not dry_run}
        answer(dumps(found_scores | ({"outcomes": outcomes} if outcomes else {})))
        return
    answer(f"{name}: understood {scores.summary}" if dry_run else f"{name}: {scores.summary} stored, now or before")
