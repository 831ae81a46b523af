"""Samples of lm-evaluation-harness, as ``lm_eval --log_samples`` writes them. One record is one document of a task.

The file ``samples_TASK_TIME.jsonl`` does not name the model; ``results_TIME.json`` in the same folder does.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.run.importers.log import Log, Record, are_objects

NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+\d)")


def recognises(document: Any) -> bool:
    """Return whether JSON lines are samples of lm-evaluation-harness."""
    return are_objects(document, "doc_id", "doc", "resps", "filter")


def read(path: Path, document: Any) -> Log:
    """Return the samples of a task; an arm is a model, with the filter of its answers where there are several."""
    named = NAME.search(path.name)
    run = named.groupdict() if named else {"task": "", "time": ""}
    model = _model(path.with_name(f"results_{run['time']}.json")) if named else ""
    about = {key: value for key, value in (("model", model), ("task", run["task"])) if value}
    records = [_record(path.name, run["time"], about, one) for one in document]
    filters, metrics = {one["filter"] for one in document}, {name for one in document for name in _metrics(one)}
    arm = ("model", "filter") if len(filters) > 1 else ("model",)
    return Log(path.name, records, arm if model else (), metrics.pop() if len(metrics) == 1 else "")


def _model(results: Path) -> str:
    """Return the model in the results file of the samples' folder, empty if there is none."""
    try:
        found = json.loads(results.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return str(found.get("model_name") or "") if isinstance(found, Mapping) else ""


def _record(name: str, time: str, about: Mapping[str, str], one: Mapping[str, Any]) -> Record:
    cells: dict[str, Any] = {**about, "doc_id": one["doc_id"], "filter": one["filter"], "target": one.get("target")}
    cells |= {f"doc.{key}": value for key, value in one["doc"].items()} if isinstance(one["doc"], Mapping) else {}
    cells |= {metric: one[metric] for metric in _metrics(one)}
    content = hashlib.sha256(json.dumps(one, sort_keys=True).encode()).hexdigest()
    own = f"lm-eval {time} {about.get('model', '')} {about.get('task', '')} {content}"
    return Record(f"{name} document {one['doc_id']}", own, cells)


def _metrics(one: Mapping[str, Any]) -> list[str]:
    """Return the names of the metrics of a sample that have one number for each sample."""
    return [name for name in one.get("metrics", ()) if isinstance(one.get(name), (bool, int, float))]
