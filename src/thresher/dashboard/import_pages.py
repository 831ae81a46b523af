"""The page that imports the log of another tool: what was understood of it first, then the import."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from thresher.dashboard.rendering import campaign_url, page
from thresher.dashboard.term_fields import (
    ASKED,
    BLANK,
    HIDDEN,
    NUMBERS,
    Number,
    Word,
    accept_term_fields,
    number_in,
    parts,
    terms_in,
)
from thresher.errors import InvalidInputError, ThresherError
from thresher.runner.adapters import FORMATS, Columns, Creation, Log, LogImport, Preview
from thresher.runner.adapters.formats import open_log
from thresher.runner.adapters.mapping import map_columns
from thresher.service.campaign_registry import CampaignRegistry
from thresher.service.context import RegistryOf, needs

router = APIRouter(include_in_schema=False)

Packed = Annotated[str, Form(max_length=1_000_000)]
Named = Annotated[str, Query(max_length=500)]
# What the form asks about the file, beside the numbers and the terms of a new campaign.
ASKED_OF_FILE = (
    "campaign",
    "format",
    "arm",
    "arm_name",
    "item",
    "outcome",
    "success",
    "failure",
    "leave_out",
    "create",
)
EMPTY = dict.fromkeys(ASKED_OF_FILE, "") | {key: BLANK[key] for key in (*NUMBERS, *(term.name for term in ASKED))}
LARGEST_FILE = 100_000_000  # bytes that a packed file may have when it is unpacked
SHOWN_COLUMNS = 40
LONGEST_FILE_NAME = 120


@dataclass(frozen=True)
class UploadedFile:
    """A file between the preview and the import, which the page carries: no server has to keep it.

    Parameters
    ----------
    name : str
    packed : str
        Its bytes, compressed and in Base64.
    """

    name: str
    packed: str

    @classmethod
    def of(cls, name: str, content: bytes, *, limit: int) -> UploadedFile:
        """Return an uploaded file; raise InvalidInputError if the page cannot carry it."""
        packed = urlsafe_b64encode(zlib.compress(content)).decode("ascii")
        if len(packed) > limit:
            raise InvalidInputError(
                "size of the file",
                len(content),
                rule=f"must be at most {limit:,} bytes when it is compressed",
                fix="import it with thresher tell --from",
            )
        return cls(name, packed)

    def open(self, chosen: str) -> Log:
        """Return the log in the file."""
        machine = zlib.decompressobj()
        try:
            content = machine.decompress(urlsafe_b64decode(self.packed), LARGEST_FILE + 1)
        except (ValueError, zlib.error) as error:
            raise InvalidInputError("file", self.name, rule="did not arrive whole", fix="choose it again") from error
        if len(content) > LARGEST_FILE:
            raise InvalidInputError("file", self.name, rule=f"must have at most {LARGEST_FILE:,} bytes")
        if not machine.eof:
            raise InvalidInputError("file", self.name, rule="did not arrive whole", fix="choose it again")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / self._plain_name
            path.write_bytes(content)
            try:
                return open_log(path, chosen, most_unpacked=LARGEST_FILE)
            except ThresherError as error:
                error.args = (str(error).replace(f"{folder}{os.sep}", ""),)  # the page names the file alone
                raise

    @property
    def _plain_name(self) -> str:
        """The name without folders and without characters that a file system may refuse."""
        last = re.split(r"[/\\]", self.name)[-1]
        return re.sub(r"[^\w. ()+-]", "_", last)[-LONGEST_FILE_NAME:].lstrip(".") or "log"


@router.get("/import", dependencies=[needs("admin")])
def blank(request: Request, campaign: Named = "") -> Response:
    """Show the form for a log."""
    return _form(request, EMPTY | {"campaign": campaign})


async def upload(
    request: Request,
    registry: RegistryOf,
    campaign: Word = "",
    format: Word = "",  # noqa: A002 - the name of the field
    arm: Word = "",
    arm_name: Word = "",
    item: Word = "",
    outcome: Word = "",
    success: Word = "",
    failure: Word = "",
    leave_out: Word = "",
    create: Word = "",
    threshold: Number = "",
    budget: Number = "",
    sigma: Number = "",
    file: UploadFile | None = None,
    file_name: Word = "",
    packed: Packed = "",
    action: Word = "preview",
    **terms: str,
) -> Response:
    """Show what was understood of a log; import it if that is confirmed."""
    given = {
        "campaign": campaign, "format": format, "arm": arm, "arm_name": arm_name, "item": item, "outcome": outcome,
        "success": success, "failure": failure, "leave_out": leave_out, "create": create, "threshold": threshold,
        "budget": budget, "sigma": sigma,
    } | {term.name: terms[term.name] for term in ASKED}  # fmt: skip
    chosen: tuple[str, bytes] | UploadedFile | None = UploadedFile(file_name, packed) if packed else None
    if file is not None and file.filename:
        chosen = file.filename, await file.read()
    return await run_in_threadpool(_import, request, registry, given, chosen, is_confirmed=action == "import")


accept_term_fields(upload)
router.post("/import", dependencies=[needs("admin")])(upload)


def _import(
    request: Request,
    registry: CampaignRegistry,
    given: dict[str, str],
    chosen: tuple[str, bytes] | UploadedFile | None,
    *,
    is_confirmed: bool,
) -> Response:
    log: Log | None = None
    carried: UploadedFile | None = None
    try:
        carried = _carried(request, chosen)
        log = carried.open(given["format"])
        if not given["campaign"].strip():
            raise InvalidInputError("campaign", rule="name the one that gets the outcomes")
        planned = LogImport(registry.storage, given["campaign"], map_columns(log, _columns(given)), _creation(given))
        if is_confirmed:
            planned.store()
            return RedirectResponse(campaign_url(given["campaign"]), status_code=303)
        return _form(request, given, file=carried, log=log, preview=planned.preview)
    except ThresherError as error:
        return _form(request, given, file=carried, log=log, complaint=str(error), status=422)


def _carried(request: Request, chosen: tuple[str, bytes] | UploadedFile | None) -> UploadedFile:
    if chosen is None:
        raise InvalidInputError("file", rule="choose the log of another tool")
    if isinstance(chosen, UploadedFile):
        return chosen
    limit = request.app.state.settings.body_limit * 9 // 10  # the other fields of the form need room, too
    return UploadedFile.of(*chosen, limit=limit)


def _columns(given: dict[str, str]) -> Columns:
    """Return what the columns mean; several columns or words are separated by commas."""
    pairs = [word.partition("=") for word in _words(given["leave_out"])]
    for column, sign, value in pairs:
        if not sign:
            raise InvalidInputError("leave out", column + value, rule="must be a column and a value: annotator=7")
    return Columns(
        arm=tuple(_words(given["arm"])),
        item=tuple(_words(given["item"])),
        success=tuple(_words(given["success"])),
        failure=tuple(_words(given["failure"])),
        outcome=given["outcome"].strip(),
        arm_name=given["arm_name"].strip(),
        leave_out=tuple((column, value) for column, _, value in pairs),
    )


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _creation(given: dict[str, str]) -> Creation | None:
    """Return what may be created; None if nothing may."""
    if not given["create"]:
        return None
    numbers = {key: number_in(key, given[key]) for key in NUMBERS if given[key].strip()}
    defaults = {term.name: term.default for term in ASKED}
    return Creation(**numbers, terms={key: value for key, value in terms_in(given).items() if value != defaults[key]})


def _form(
    request: Request,
    given: dict[str, str],
    *,
    file: UploadedFile | None = None,
    log: Log | None = None,
    preview: Preview | None = None,
    complaint: str = "",
    status: int = 200,
) -> Response:
    names: list[str] = [heading.name for heading in request.app.state.registry.storage.headings()]
    return page(
        request,
        "import.html",
        status=status,
        given=given,
        parts=parts(),
        hidden=HIDDEN,
        formats=FORMATS,
        campaigns=names,
        file=file,
        cells=_first_cells(log),
        preview=preview,
        undo="" if preview is None else f"thresher void {shlex.quote(preview.campaign)} --import {preview.batch}",
        complaint=complaint,
    )


def _first_cells(log: Log | None) -> list[tuple[str, Any]]:
    """Return the columns of a log, each with its first value."""
    if log is None:
        return []
    first: dict[str, Any] = {}
    for record in log.records:
        for column, cell in record.cells.items():
            first.setdefault(column, cell)
    return [(column, str(cell)[:120]) for column, cell in list(first.items())[:SHOWN_COLUMNS]]
