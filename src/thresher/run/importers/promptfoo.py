"""Results of promptfoo: what ``promptfoo eval -o FILE`` writes as JSON or JSON lines; a record is one test result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.run.importers.log import Log, Record, are_objects

ERROR = 2  # failureReason of an error of the provider: there is no answer to grade


def recognises(document: Any) -> bool:
    """Return whether a document has results of promptfoo: as a whole, or one on each line."""
    if isinstance(document, list):
        return are_objects(document, "promptIdx", "testIdx")
    results = document.get("results") if isinstance(document, Mapping) else None
    return isinstance(results, Mapping) and "evalId" in document and isinstance(results.get("results"), list)


def read(path: Path, document: Any) -> Log:
    """Return the results of a document; an arm is a prompt with a provider."""
    is_lines = isinstance(document, list)
    found = document if is_lines else document["results"]["results"]
    run = "promptfoo" if is_lines else f"promptfoo {document['evalId']}"
    kept = [(i, one) for i, one in enumerate(found, start=1) if one.get("failureReason") != ERROR]
    records = [_record(f"{path.name} result {i}", f"{run} {one.get('id', i)}", one) for i, one in kept]
    failed = (one for one in found if one.get("failureReason") == ERROR)
    error = next((" ".join(str(one["error"]).split()) for one in failed if one.get("error")), "")
    return Log(path.name, records, ("prompt", "provider"), "success", len(found) - len(kept), error)


def _record(place: str, own: str, one: Mapping[str, Any]) -> Record:
    provider, prompt = one["provider"], one["prompt"]
    cells: dict[str, Any] = {
        "prompt": prompt.get("label") or prompt["raw"],
        "provider": provider.get("label") or provider["id"],
        "test": one.get("testIdx"),
        "success": one["success"],
        "score": one["score"],
        "latency_ms": one.get("latencyMs"),
        "cost": one.get("cost"),
    }
    cells |= {f"vars.{key}": value for key, value in (one.get("vars") or {}).items()}
    cells |= {f"scores.{key}": value for key, value in (one.get("namedScores") or {}).items()}
    return Record(place, own, cells)
