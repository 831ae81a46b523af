"""The fingerprint of a measurement: hashes of its parts, by which a changed measurement is recognised."""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

from thresher.runner.spec import RunSpec


def fingerprint(spec: RunSpec) -> list[tuple[str, str]]:
    """Return (part, hash) of everything that decides what is measured; hashes, because a command may hold a secret."""
    parts = {spec.kind: getattr(spec, spec.kind), "outcome": spec.outcome, "timeout outcome": spec.timeout_outcome}
    hashes = [(name, _digest(repr(value))) for name, value in parts.items() if value not in ("", None)]
    if spec.kind == "function" and (source := _source(spec)) is not None:
        hashes.append(("source of the function", _digest(source)))
    return hashes


def _source(spec: RunSpec) -> str | None:
    """Return the module of a function without comments and layout; None if its file is not in the folder of the run."""
    module = spec.function.partition(":")[0].replace(".", "/")
    paths = (spec.folder / f"{module}.py", spec.folder / module / "__init__.py")
    path = next(filter(Path.is_file, paths), None)
    if path is None:
        return None
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError):
        return text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
