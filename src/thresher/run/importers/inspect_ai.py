"""Logs of inspect_ai: ``.eval`` files, and its JSON logs. One record is one sample in one epoch."""

from __future__ import annotations

import io
import json
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from thresher.errors import InvalidOutcomeError
from thresher.run.importers.log import MOST_UNPACKED, Log, Record, too_large

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
ZSTANDARD = 93  # compression type in newer versions; zipfile supports it from Python 3.14
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTANDARD)  # LZMA allocates whatever its header asks for
JOURNAL = "_journal/summaries/"
MOST_PARTS = 100_000  # of the journal
# What damaged archives raise: RuntimeError includes an unknown compression, a password and too deeply nested JSON.
DAMAGE = (OSError, EOFError, KeyError, ValueError, RuntimeError, struct.error, zipfile.BadZipFile, zlib.error)


def read_eval(path: Path, most_bytes: int = MOST_UNPACKED) -> Log:
    """Return the samples of an ``.eval`` log, complete or interrupted, of which at most this many bytes are unpacked.

    Raise InvalidOutcomeError if it is not such a log or has more.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            header = "header.json" if "header.json" in names else "_journal/start.json"
            parts = ["summaries.json"] if "summaries.json" in names else [n for n in names if n.startswith(JOURNAL)]
            texts = list(_unpacked(archive, path, [header, *parts], most_bytes))
            heading = json.loads(texts[0])
            samples = [sample for text in texts[1:] for sample in json.loads(text)]
    except DAMAGE as error:
        raise InvalidOutcomeError(
            f"{path} is not a log of inspect_ai: {error!r}", instead="give an .eval file"
        ) from error
    return _log(path.name, heading, samples)


def recognises(document: Any) -> bool:
    """Return whether a JSON document is a log of inspect_ai."""
    heading = document.get("eval") if isinstance(document, Mapping) else None
    return isinstance(heading, Mapping) and "eval_id" in heading and "samples" in document


def read(path: Path, document: Any) -> Log:
    """Return the samples of a JSON log."""
    return _log(path.name, document, document["samples"] or [])


def _log(name: str, document: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> Log:
    heading: Mapping[str, Any] = document["eval"]
    scored = [sample for sample in samples if sample.get("scores") and not sample.get("error")]
    values = {column for sample in scored for column in values_of(_raw(sample))}
    records = [_record(name, heading, sample) for sample in scored]
    outcome, without = values.pop() if len(values) == 1 else "", len(samples) - len(scored)
    return Log(name, records, ("model",), outcome, without, _error(document, samples), repeat="epoch")


def _error(document: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> str:
    """Return the error that ended the run, or that of the first sample that failed; empty if there is none."""
    found = [document.get("error"), *(sample.get("error") for sample in samples)]
    first = next(filter(None, found), "")
    text = first.get("message", "") if isinstance(first, Mapping) else first
    return " ".join(str(text).split())


def _record(name: str, heading: Mapping[str, Any], sample: Mapping[str, Any]) -> Record:
    identity, epoch = sample["id"], sample["epoch"]
    cells: dict[str, Any] = {"task": heading["task"], "model": heading["model"], "sample": identity, "epoch": epoch}
    cells |= {f"task_args.{key}": value for key, value in (heading.get("task_args") or {}).items()}
    cells |= {f"metadata.{key}": value for key, value in (sample.get("metadata") or {}).items()}
    place, own = f"{name} sample {identity!r} epoch {epoch}", f"inspect_ai {heading['eval_id']} {identity} {epoch}"
    return Record(place, own, cells | values_of(_raw(sample)))


def _raw(sample: Mapping[str, Any]) -> dict[str, Any]:
    return {scorer: score["value"] for scorer, score in sample["scores"].items()}


def values_of(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every scorer, grades as numbers; a mapping has one for each key: ``judge.style``."""
    values: dict[str, Any] = {}
    for scorer, value in scores.items():
        parts = {f"{scorer}.{key}": part for key, part in value.items()} if isinstance(value, dict) else {scorer: value}
        values |= {column: GRADES.get(part, part) if isinstance(part, str) else part for column, part in parts.items()}
    return values


def _unpacked(archive: zipfile.ZipFile, path: Path, names: Sequence[str], most_bytes: int) -> Iterator[bytes]:
    """Yield members of the archive, as long as there are neither too many of them nor too many bytes."""
    if len(names) - 1 > MOST_PARTS:
        raise InvalidOutcomeError(
            f"{path} has {len(names) - 1:,} parts under {JOURNAL}; must be at most {MOST_PARTS:,}",
            instead="write a complete log with inspect_ai",
        )
    left = most_bytes
    for name in names:
        found = _member(archive, path, name, left + 1)
        left -= len(found)
        if left < 0:
            raise too_large(path, most_bytes)
        yield found


def _member(archive: zipfile.ZipFile, path: Path, name: str, most: int) -> bytes:
    """Return the first bytes of a member of the archive, compressed with Deflate or Zstandard."""
    info = archive.getinfo(name)
    if info.compress_type not in COMPRESSIONS:
        raise zipfile.BadZipFile(f"{name} has compression type {info.compress_type}, not Deflate or Zstandard")
    if info.compress_type != ZSTANDARD or sys.version_info >= (3, 14):
        with archive.open(info) as member:
            return member.read(most)
    import zstandard

    with path.open("rb") as file:
        file.seek(info.header_offset + 26)
        file.seek(sum(struct.unpack("<HH", file.read(4))), io.SEEK_CUR)  # skip the name and the extra field
        packed = file.read(info.compress_size)
    try:
        return zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True).read(most)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(f"{name} cannot be unpacked: {error}") from error
