"""The import of a file by ``thresher tell --from``: what was understood, and what was stored."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from thresher.campaign import Imported, ImportOptions
from thresher.cli.campaigns import only_campaign, reduced_note
from thresher.cli.decisions import place_of
from thresher.cli.show import answer, progress, say, say_note, table
from thresher.errors import InvalidInputError, LikelyCopyError
from thresher.number_text import exact
from thresher.report import amount, counted, figure, rate
from thresher.run.importers import (
    Columns,
    Creation,
    LogImport,
    MappedLog,
    Preview,
    earlier_note,
    known_endings,
    map_log,
)

MOST_ARMS = 10  # arms that a preview lists


def files_in(paths: Sequence[Path]) -> list[Path]:
    """Return files and the files in folders, each once, in order.

    Raises
    ------
    InvalidInputError
        If a folder has no file that can be imported.
    """
    found, endings = list[Path](), known_endings()
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.iterdir() if each.suffix.lower() in endings and each.is_file())
            if not inside:
                rule = f"must be a folder with files that end in {', '.join(sorted(endings))}"
                raise InvalidInputError("--from", str(path), rule=rule)
            found += inside
        else:
            found.append(path)
    return list({path.resolve(): path for path in found}.values())


def tell_file(
    db: str,
    campaign: str | None,
    log: tuple[Sequence[Path], Columns, str],
    creation: Creation | None,
    version: tuple[str, ImportOptions],
    *,
    dry_run: bool,
    json: bool,
) -> dict[str, Any]:
    """Read files and tell their outcomes, or only show what was understood; return the same for JSON.

    Parameters
    ----------
    db : str
    campaign : str, optional
        The name; by default that of the only one.
    log : tuple of sequence of Path, Columns, str
        The files, what their columns mean, and their format.
    creation : Creation, optional
        What may be created.
    version : tuple of str, ImportOptions
        The source of which the files are a version, and how they are compared with earlier ones.
    dry_run : bool
    json : bool
        Print nothing: the caller prints what is returned.
    """
    paths, columns, chosen = log
    with progress("reading") as update:
        mapped = [map_log(path, columns, format=chosen, progress=update) for path in paths]
    name = only_campaign(db) if campaign is None else campaign
    planned = _planned(db, name, mapped, creation, version)
    try:
        preview = planned.preview
        if dry_run:
            if not json:
                _show_preview(preview)
            return preview.to_dict()
        with progress("telling") as update:
            done = planned.store(update)
        if creation is not None and not json:
            say(f"created {preview.created}")
        if creation is not None and creation.budget is not None and planned.campaign is not None:
            _say_budget(
                planned.campaign.budget, creation.budget, planned.campaign.terms.repeats, is_new=preview.new_campaign
            )
        if not json:
            _show_import(preview, done, db)
        return _stored(preview, done, is_created=creation is not None)
    finally:
        planned.close()


def _planned(
    db: str, name: str, logs: Sequence[MappedLog], creation: Creation | None, version: tuple[str, ImportOptions]
) -> LogImport:
    """Return the import; on a terminal a likely copy is asked about."""
    source, options = version
    try:
        with progress("checking"):  # the first campaign with a control compiles for some seconds
            return LogImport(db, name, logs, creation, source=source, options=options)
    except LikelyCopyError as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        say(f"{str(error).partition('; ')[0]}.")
        if error.source and typer.confirm(f"Is it another version of {error.source!r}?", err=True):
            return LogImport(db, name, logs, creation, source=error.source, options=options)
        if not typer.confirm("Was it measured anew, so that all of its lines count?", err=True):
            raise
        return LogImport(db, name, logs, creation, source=source, options=replace(options, new_source=True))


def _show_preview(preview: Preview) -> None:
    counts = f" in {counted(preview.lines, 'count')}" if "count" in preview.columns else ""
    answer(f"{preview.file}, read as {preview.format}: {counted(preview.measurements, 'measurement')}{counts}")
    for line in _understood(preview):
        answer(f"  {line}")
    show = rate if preview.has_rates else figure
    rows = [[row.arm, f"{row.measurements:,}", show(row.mean), "yes" if row.new else ""] for row in preview.arms]
    if rows:
        table(["arm", "measurements", "mean", "new"], rows[:MOST_ARMS])
    if len(rows) > MOST_ARMS:
        answer(f"… and {counted(len(rows) - MOST_ARMS, 'more arm')}")
    say("Nothing was stored: this was a dry run.")


def _understood(preview: Preview) -> list[str]:
    """Return how a log was understood, a line for each use of a column and for each omission."""
    uses = [f"{use}: {', '.join(names)}" for use, names in preview.columns.items() if use != "outcome"]
    seen = ", ".join(
        f"{_short(value.text)} as {exact(value.outcome)} ({value.measurements:,})" for value in preview.values
    )
    more = (
        f", and {counted(preview.n_values - len(preview.values), 'more value')}"
        if preview.n_values > len(preview.values)
        else ""
    )
    sources = ", ".join(map(_short, preview.sources[:MOST_ARMS])) + (", …" if len(preview.sources) > MOST_ARMS else "")
    notes = [
        (preview.sources not in ([], [preview.file]), f"source: {sources}"),
        (preview.before, f"told before and not counted again: {preview.before:,}"),
        (preview.earlier_note, preview.earlier_note + ("" if preview.voided else "; --replace voids what is missing")),
        (preview.left_out, f"left out, without {preview.lacking}: {preview.left_out:,}"),
        (preview.excluded, f"left out by --leave-out: {preview.excluded:,}"),
        (preview.renamed, f"names shortened, put on one line or freed of outer blanks: {len(preview.renamed):,}"),
        (preview.alike_note, preview.alike_note),
        (preview.error, f"the run of the tool ended with an error: {_short(preview.error, 300)}"),
        (preview.meaning, preview.meaning),
    ]
    cells = "the sum of a count" if "count" in preview.columns else seen + more
    lines = [*uses, f"outcome: {preview.columns['outcome'][0]}, {cells}"]
    lines += [note for is_shown, note in notes if is_shown]
    if preview.recurring:
        lines.append(_recurring(preview.recurring))
    return [*lines, f"creates {preview.created}"]


def _short(text: str, longest: int = 40) -> str:
    """Return the beginning of a text without control characters."""
    return " ".join(text.split())[:longest] if text.isprintable() else repr(text)[:longest]


def _say_budget(budget: float, given: float, repeats: int, *, is_new: bool) -> None:
    """Say that the campaign has another budget than the one that was given."""
    if not math.isclose(budget, given):
        has = f"the campaign has a budget of {amount(budget)}; an import does not change it to {amount(given)}"
        say_note(reduced_note(budget, repeats) if is_new else has)


def _stored(preview: Preview, done: Imported, *, is_created: bool) -> dict[str, Any]:
    new = {"new_arms": len(preview.new_arms), "new_items": len(preview.new_items)} if is_created else {}
    told = {"told": done.told, "before": done.before, "arms": done.arms, "batch": done.batch}
    return told | {"missing": done.missing, "voided": done.voided, "left_out": preview.left_out} | new


def _show_import(preview: Preview, done: Imported, db: str) -> None:
    arms, unit = counted(done.arms, "arm"), "count" if "count" in preview.columns else "outcome"
    if done.before and not done.told:
        every = f"all {counted(done.before, unit)}" if done.before > 1 else f"the only {unit}"
        answer(f"{preview.file}: nothing new, {every} of {arms} had been told before")
    else:
        again = f"{counted(done.told, f'new {unit}')} told, {done.before:,} had been told before"
        answer(f"{preview.file}: {again if done.before else f'{counted(done.told, unit)} of {arms} told'}")
    if done.told:
        name, place = shlex.quote(preview.campaign), place_of(db)
        say(f"To see what it decides: thresher verdicts {name}{place}")
        say(f"To undo it: thresher void {name} --import {done.batch}{place}")
    for note in _notes(preview, done):
        say_note(note)


def _recurring(column: str) -> str:
    """Return what to do about arms that have the same values in a column."""
    return (
        f"all arms have the same values of {column!r}: if these are questions that all of them answered, decisions "
        "that take the outcomes as independent are too often wrong; in a new campaign, use --item-column "
        f"{shlex.quote(column)}"
    )


def _notes(preview: Preview, done: Imported) -> Iterator[str]:
    """Yield notes on an import, without the last full stop."""
    if preview.recurring and done.told:
        yield _recurring(preview.recurring)
    if note := earlier_note(done.missing, done.voided):
        them = "it" if done.missing == 1 else "them"
        yield note if done.voided else f"{note}. To void {them}, import the file with --replace"
    if preview.left_out:
        yield f"left out {counted(preview.left_out, 'measurement')} without {preview.lacking}"
    if preview.alike_note:
        yield f"{preview.alike_note}. If they are one, void the import and correct the file"
    if preview.error:
        yield f"the run of the tool ended with an error: {_short(preview.error, 300)}"
    if preview.excluded:
        yield f"left out {counted(preview.excluded, 'measurement')}, as you asked"
