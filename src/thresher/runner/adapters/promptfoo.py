"""Results of promptfoo, as ``promptfoo eval -o results.json`` writes them. One record is one test of one prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thresher.runner.adapters.log import Log, Record

ERROR = 2  # failureReason of an error of the provider: there is no answer to grade


def recognises(document: Any) -> bool:
    """Return whether a JSON document has results of promptfoo."""
    results = document.get("results") if isinstance(document, Mapping) else None
    return isinstance(results, Mapping) and "evalId" in document and isinstance(results.get("results"), list)


def read(name: str, document: Any) -> Log:
    """Return the results of a document; an arm is a prompt with a provider."""
    found = document["results"]["results"]
    kept = [(i, one) for i, one in enumerate(found, start=1) if one.get("failureReason") != ERROR]
    records = [_record(name, document["evalId"], i, one) for i, one in kept]
    return Log(name, records, ("prompt", "provider"), "success", len(found) - len(kept))


def _record(name: str, evaluation: str, number: int, one: Mapping[str, Any]) -> Record:
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
    return Record(f"{name} result {number}", f"promptfoo {evaluation} {one.get('id', number)}", cells)
