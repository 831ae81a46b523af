"""From a TOML file and flags to a :class:`~thresher.run.spec.RunSpec`, with the line of whatever is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError, ThresherError, UnknownNameError
from thresher.run.attempts import rate_of
from thresher.run.run import judge_of, measurement_of
from thresher.run.spec import ARMS, KEYS, RunSpec, key_of


def load_spec(path: Path | None = None, flags: Mapping[str, Any] | None = None) -> RunSpec:
    """Return the spec of a file, of flags, or of both; a flag goes before a line of the file.

    Parameters
    ----------
    path : Path, optional
        A TOML file. Unless it or a flag gives a name, the campaign is named after it.
    flags : mapping, optional
        By key; None leaves a key to the file, or to its default.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or a key is unknown, missing, of the wrong type, out of range, or names what cannot
        be; its `where` has the line of the file, or the flag. Nothing was measured.
    """
    text = "" if path is None else _text(path)
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    table = _table(path, text) | given
    table.setdefault("name", path.stem if path is not None else "promptfoo" if "promptfoo" in table else "run")
    if "budget" not in table:
        raise InvalidInputError("budget", rule="give --budget, or budget = … in a spec file")
    try:
        values = {KEYS[key]: value for key, value in table.items()}
        spec = RunSpec(**values, folder=Path() if path is None else path.parent)
        _try_out(spec)
    except InvalidInputError as error:
        key, colon, rest = error.where.partition(": ")
        raise error.at(_place(path, text, key_of(key), given) + colon + rest) from error
    except UnknownNameError as error:
        where = _place(path, text, key_of(error.kind), given)
        raise InvalidInputError(where, error.name, rule=f"must be one of {', '.join(error.known)}") from error
    return spec


def _try_out(spec: RunSpec) -> None:
    """Read the parts of a spec that other modules read; an error names their key."""
    arms = next(key for key in ARMS if getattr(spec, key))
    parts: tuple[tuple[str, Callable[[], object]], ...] = (
        ("outcome", lambda: spec.reading),
        ("rate", lambda: spec.rate and rate_of(spec.rate)),
        (arms, spec.planned_arms),
        ("items", spec.planned_items),
        (spec.kind, lambda: measurement_of(spec, spec.planned_arms())),
        *(((spec.judge, lambda: judge_of(spec, spec.planned_arms())),) if spec.judge else ()),
    )
    for key, part in parts:
        try:
            part()
        except InvalidInputError as error:
            is_key = error.where == key  # or a line of a file, a cell, an arm
            raise error.at(key if is_key else f"{key}: {error.where}") from error
        except ThresherError as error:
            raise InvalidInputError(key, getattr(spec, key), rule=str(error)) from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or "unknown reason") if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidInputError("spec", str(path), rule=f"cannot be read: {reason}", fix="name a TOML file") from error


def _table(path: Path | None, text: str) -> dict[str, Any]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError("spec", str(path), rule=f"must be TOML: {error}", fix="correct that line") from error
    for key in table:
        if key not in KEYS:
            near = get_close_matches(key, KEYS, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(KEYS)}"
            raise InvalidInputError(
                f"{path} line {line_of(text, key)}: key", key, rule="must be a key of a spec", fix=hint
            )
    return table


def line_of(text: str, key: str) -> int:
    """Return the line on which a key of a TOML file stands, 0 if it stands on none."""
    start = re.compile(rf"""\s*(?:\[+\s*)?["']?{re.escape(key)}["']?\s*(?:[=.\]])""")
    return next((i for i, line in enumerate(text.splitlines(), start=1) if start.match(line)), 0)


def _place(path: Path | None, text: str, key: str, flags: Mapping[str, Any]) -> str:
    if key in flags or path is None:
        return "--arm" if key == "arms" else f"--{key.replace('_', '-')}"
    line = line_of(text, key)
    return f"{path} line {line}: {key}" if line else f"{path}: {key}"
