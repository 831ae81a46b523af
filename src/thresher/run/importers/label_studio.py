"""Exports of Label Studio in its JSON format. One record is one annotation of one task."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.run.importers.log import Log, Record, are_objects


def recognises(document: Any) -> bool:
    """Return whether a JSON document is an export of Label Studio."""
    return document == [] or are_objects(document, "annotations")


def read(path: Path, document: Any) -> Log:
    """Return the annotations of an export without skipped ones and drafts; an arm is a task."""
    found = [(task, one) for task in document for one in task["annotations"]]
    kept = [(task, one) for task, one in found if one.get("result") and not one.get("was_cancelled")]
    values = {column for _, one in kept for column in _values(one)}
    records = [_record(path.name, task, one) for task, one in kept]
    return Log(path.name, records, ("task",), values.pop() if len(values) == 1 else "", len(found) - len(kept))


def _record(name: str, task: Mapping[str, Any], one: Mapping[str, Any]) -> Record:
    person = one.get("completed_by")
    annotator = person.get("id") if isinstance(person, Mapping) else person  # in some exports it is an object
    cells: dict[str, Any] = {"task": task["id"], "annotator": annotator}
    cells |= {f"data.{key}": value for key, value in task["data"].items()}
    own = one.get("unique_id") or f"{task.get('project')} {one['id']}"
    place = f"{name} task {task['id']} annotation {one['id']}"
    return Record(place, f"label-studio {own}", cells | _values(one))


def _values(annotation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer for each control: choices joined to one text, a rating, a number, a text."""
    values: dict[str, Any] = {}
    for part in annotation["result"]:
        kind, value = part.get("type"), part.get("value") or {}
        answer = value.get(kind)
        if "from_name" in part and answer is not None:
            values[part["from_name"]] = ", ".join(map(str, answer)) if isinstance(answer, list) else answer
    return values
