"""``python -m thresher.pytest_plugin merge HISTORY FILE…``: add the sessions in other history files, each once."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from thresher.pytest_plugin.history import History, HistoryError
from thresher.pytest_plugin.session_campaign import SessionCampaign
from thresher.report import counted
from thresher.terms import DeclaredTerms


def main(words: list[str] | None = None) -> int:
    """Merge histories, as after the shards of a suite; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m thresher.pytest_plugin", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="merge")
    merge = commands.add_parser("merge", help="Add the sessions in other history files, each once.")
    merge.add_argument("history", type=Path, help="The history that grows; created if it does not exist.")
    merge.add_argument("files", type=Path, nargs="+", metavar="FILE", help="Histories of shards.")
    merge.add_argument("--guarantee", default=DeclaredTerms.guarantee, help="What a decision promises.")
    merge.add_argument("--window", type=float, default=90.0, metavar="DAYS", help="Runs count for this many days.")
    given = parser.parse_args(words)
    try:
        new = _merge(History(given.history, days=given.window), given.files, given.guarantee)
    except HistoryError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    print(f"{given.history}: {counted(new, 'new run')} from {counted(len(given.files), 'file')}")  # noqa: T201
    return 0


def _merge(history: History, files: list[Path], guarantee: str) -> int:
    new = history.merge(files)
    campaign = SessionCampaign(guarantee)
    campaign.admit_records(history.load(), oldest=history.oldest)
    if not campaign.is_empty:
        campaign.close()
        history.keep({}, campaign.storage)
    return new


if __name__ == "__main__":
    sys.exit(main())
