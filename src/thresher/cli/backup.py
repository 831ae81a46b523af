"""``thresher backup``, ``thresher restore`` and ``thresher copy``: a whole database, as one file or in another one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json
from thresher.cli.output_file import Force, check_new_file

Out = Annotated[Path, typer.Option("--out", "-o", help="The file of the backup, an SQLite database.")]
Source = Annotated[Path, typer.Argument(metavar="FILE", help="A file that 'thresher backup' wrote.")]
Target = Annotated[str, typer.Option("--db", envvar="THRESHER_DB", help="A database without campaigns.")]
Origin = Annotated[str, typer.Option("--from", help="The database to copy: sqlite:///FILE or postgresql://…")]
Destination = Annotated[str, typer.Option("--to", help="A database without campaigns; an SQLite file is created.")]


def backup(out: Out, db: Database = DEFAULT, force: Force = False, json: Json = False) -> None:
    """Copy a database in use into one file, and verify it.

    The file has all campaigns and tokens of one moment, from SQLite or PostgreSQL. Keep it as private as the database.

    Example: thresher backup --db postgresql://localhost/thresher --out evals.backup
    """
    from thresher.campaign.storage import back_up

    check_new_file(out, force=force)
    _show("backed up", back_up(db, out), str(out), json=json)


def restore(file: Source, db: Target = DEFAULT, json: Json = False) -> None:
    """Write a backup into an empty database, and verify it.

    Tickets that were issued after the backup are unknown to the restored campaigns.

    Example: thresher restore evals.backup --db sqlite:///evals.db
    """
    from thresher.campaign.storage import hide_password
    from thresher.campaign.storage import restore as write

    _show("restored", write(file, db), hide_password(db), json=json)


def copy(source: Origin, target: Destination, json: Json = False) -> None:
    """Copy a database into an empty one, and verify it.

    The copy has all campaigns and tokens of one moment. Stop the service first if it is to use the copy.

    Example: thresher copy --from sqlite:///evals.db --to postgresql://localhost/thresher
    """
    from thresher.campaign.storage import copy as write
    from thresher.campaign.storage import hide_password

    _show("copied", write(source, target), hide_password(target), json=json)


def _show(what: str, campaigns: list[str], place: str, *, json: bool) -> None:
    from json import dumps

    from thresher.cli.show import answer
    from thresher.report import counted

    if json:
        answer(dumps({"campaigns": campaigns, "place": place}))
    else:
        answer(f"{counted(len(campaigns), 'campaign')} {what} and verified: {place}")
