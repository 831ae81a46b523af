"""The import of a file by ``thresher tell --from``: what was understood, and what was stored."""

from __future__ import annotations

import math
import shlex
from json import dumps
from pathlib import Path

from thresher.cli.campaigns import only_campaign, reduced_note
from thresher.cli.show import answer, number, progress, say, table
from thresher.report.words import counted
from thresher.runner.adapters import Columns, Creation, Imported, LogImport, MappedLog, Preview, map_log

MOST_ARMS = 10  # arms that a preview lists


def tell_file(
    db: str,
    campaign: str | None,
    log: tuple[Path, Columns, str],
    creation: Creation | None,
    *,
    dry_run: bool,
    json: bool,
) -> None:
    """Read a file and tell its outcomes, or only show what was understood.

    Parameters
    ----------
    db : str
    campaign : str, optional
        The name; by default that of the only one.
    log : tuple of Path, Columns, str
        The file, what its columns mean, and its format.
    creation : Creation, optional
        What may be created.
    dry_run, json : bool
    """
    path, columns, chosen = log
    mapped = map_log(path, columns, format=chosen)
    planned = LogImport(db, only_campaign(db) if campaign is None else campaign, mapped, creation)
    try:
        preview = planned.preview
        if dry_run:
            _show_preview(preview, json=json)
            return
        with progress("telling") as update:
            done = planned.store(update)
        if creation is not None and not json:
            say(f"created {_new(preview)}")
        if creation is not None and creation.budget is not None and planned.campaign is not None:
            _say_budget(planned.campaign.budget, creation.budget, is_new=preview.new_campaign)
        _show_import(mapped, preview, done, is_created=creation is not None, json=json)
    finally:
        planned.close()


def _show_preview(preview: Preview, *, json: bool) -> None:
    if json:
        answer(dumps(preview.to_dict()))
        return
    answer(f"{preview.file}, read as {preview.format}: {counted(preview.measurements, 'measurement')}")
    for line in _understood(preview):
        answer(f"  {line}")
    rows = [[row.arm, f"{row.measurements:,}", number(row.mean), "yes" if row.new else ""] for row in preview.arms]
    if rows:
        table(["Arm", "Measurements", "Mean", "New"], rows[:MOST_ARMS])
    if len(rows) > MOST_ARMS:
        answer(f"… and {counted(len(rows) - MOST_ARMS, 'more arm')}")
    say("Nothing was stored: this was a dry run.")


def _understood(preview: Preview) -> list[str]:
    """Return what was understood of a log, a line for each use of a column and for what is left out."""
    uses = [f"{use}: {', '.join(names)}" for use, names in preview.columns.items() if use != "outcome"]
    seen = ", ".join(f"{_short(value.text)} as {value.outcome:g} ({value.measurements:,})" for value in preview.values)
    more = (
        f", and {counted(preview.n_values - len(preview.values), 'more value')}"
        if preview.n_values > len(preview.values)
        else ""
    )
    notes = [
        (preview.before, f"{preview.before:,} told before, and not told again"),
        (preview.left_out, f"{preview.left_out:,} without an outcome, and left out"),
        (preview.excluded, f"{preview.excluded:,} left out by --leave-out"),
        (preview.renamed, f"{counted(len(preview.renamed), 'name')} put on one line or shortened"),
    ]
    lines = [*uses, f"outcome: {preview.columns['outcome'][0]}, {seen}{more}"]
    lines += [note for is_shown, note in notes if is_shown]
    if preview.unused_items:
        lines.append("items are not used: the campaign has none")
    return [*lines, f"creates {_new(preview)}"]


def _short(text: str) -> str:
    """Return the beginning of a text without control characters."""
    return " ".join(text.split())[:40] if text.isprintable() else repr(text)[:40]


def _say_budget(budget: float, given: float, *, is_new: bool) -> None:
    """Say that the campaign has another budget than the one that was given."""
    if not math.isclose(budget, given):
        has = f"Note: the campaign has a budget of {budget:g}, which an import does not change to {given:g}."
        say(reduced_note(budget) if is_new else has)


def _new(preview: Preview) -> str:
    """Return what the import creates."""
    counts = [(len(preview.new_arms), "arm"), (len(preview.new_items), "item")]
    new = [f"the campaign {preview.campaign!r}"] * preview.new_campaign + [counted(n, what) for n, what in counts if n]
    return ", ".join(new) or "nothing"


def _show_import(mapped: MappedLog, preview: Preview, done: Imported, *, is_created: bool, json: bool) -> None:
    if json:
        new = {"new_arms": len(preview.new_arms), "new_items": len(preview.new_items)} if is_created else {}
        told = {"told": done.told, "before": done.before, "arms": done.arms, "batch": done.batch}
        answer(dumps(told | {"left_out": preview.left_out} | new))
        return
    arms = counted(done.arms, "arm")
    if done.before and not done.told:
        every = f"all {counted(done.before, 'outcome')}" if done.before > 1 else "the only outcome"
        answer(f"{preview.file}: nothing new, {every} of {arms} had been told before")
    else:
        before = f", {done.before:,} had been told before" if done.before else ""
        answer(f"{preview.file}: {counted(done.told, 'outcome')} of {arms} told{before}")
        say(f"To undo it: thresher void {shlex.quote(preview.campaign)} --import {done.batch}")
    if done.before and any(one.chained for one in mapped.outcomes):
        say("Note: lines as in an earlier file count once. If they were measured anew, add a column that says when.")
    if preview.left_out:
        say(f"Note: left out {counted(preview.left_out, 'measurement')} without an outcome.")
    if preview.excluded:
        say(f"Note: left out {counted(preview.excluded, 'measurement')}, as you asked.")
