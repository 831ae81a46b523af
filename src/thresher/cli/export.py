"""``thresher export``: a campaign as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at
from thresher.cli.output_file import Force, check_new_file, writing

if TYPE_CHECKING:
    from thresher.campaign import Campaign

Out = Annotated[Path, typer.Option("--out", "-o", help="A file .csv, .json or .parquet.")]
What = Annotated[str, typer.Option("--what", help="verdicts, log (every event), or items.")]
SUFFIXES = (".csv", ".json", ".parquet")


def export(
    out: Out,
    campaign: Name = None,
    what: What = "verdicts",
    force: Force = False,
    db: Database = DEFAULT,
    json: Json = False,
) -> None:
    """Write the verdicts, the log or the items to a file.

    Example: thresher export coins --out coins.csv
    """
    from json import dumps

    from thresher.cli.show import answer
    from thresher.report import counted

    if out.suffix.lower() not in SUFFIXES or what not in ("verdicts", "log", "items"):
        raise typer.BadParameter("give --out a file .csv, .json or .parquet, and --what verdicts, log or items")
    check_new_file(out, force=force)
    with campaign_at(db, campaign) as found:
        rows = _rows(found, what)
    _write(out, rows)
    done = {"campaign": found.name, "what": what, "rows": len(rows), "file": str(out)}
    answer(dumps(done) if json else f"{counted(len(rows), 'row')} {'is' if len(rows) == 1 else 'are'} in {out}")


def _rows(campaign: Campaign, what: str) -> list[dict[str, Any]]:
    from json import dumps

    if what == "verdicts":
        return campaign.verdicts().to_dicts()
    if what == "items":
        return _items(campaign)
    entries = [entry.to_dict() for entry in campaign.history()]
    return [entry | {"details": dumps(entry["details"])} for entry in entries]


def _items(campaign: Campaign) -> list[dict[str, Any]]:
    """Return one row for each item: its difficulty, and the outcome of every arm, with repeats all of them."""
    from thresher.errors import InvalidInputError

    items = campaign.items()
    if not items:
        raise InvalidInputError("--what", "items", rule="the campaign has no items", fix="export verdicts or log")
    return [
        {"item": row.item, "answers": row.answers, "mean": row.mean, "effect": row.effect}
        | {f"arm {arm}": value for arm, value in zip(items.arms, row.outcomes, strict=True)}
        | {
            f"arm {arm}, repeat {r}": value
            for arm, values in zip(items.arms, row.repeated, strict=bool(row.repeated))
            for r, value in enumerate(values, start=1)
        }
        for row in items
    ]


def _write(out: Path, rows: list[dict[str, Any]]) -> None:
    writers = {".csv": _csv, ".json": _json, ".parquet": _parquet}
    with writing(out):
        writers[out.suffix.lower()](out, rows)


def _csv(out: Path, rows: list[dict[str, Any]]) -> None:
    from thresher.report import csv_lines

    with out.open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(list(rows[0]), rows))


def _json(out: Path, rows: list[dict[str, Any]]) -> None:
    import json

    from thresher.problem import with_nulls

    out.write_text(json.dumps([with_nulls(row) for row in rows], indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _parquet(out: Path, rows: list[dict[str, Any]]) -> None:
    from thresher.errors import MissingExtraError

    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("a Parquet file", "parquet") from error
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), out)
