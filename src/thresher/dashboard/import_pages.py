"""The page that imports the log of another tool: first the file, then what its columns mean, then the import."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
import tempfile
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, File, Form, Query, UploadFile
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from thresher.campaign import Campaign, ImportOptions
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
from thresher.errors import InvalidInputError, LikelyCopyError, ThresherError
from thresher.report import Measure, counted
from thresher.run.importers import (
    FORMATS,
    Columns,
    Creation,
    Log,
    LogImport,
    Preview,
    ScoreImport,
    map_columns,
    open_log,
)
from thresher.service import CampaignRegistry, RegistryOf, needs

router = APIRouter(include_in_schema=False)

Names = Annotated[list[Annotated[str, Field(max_length=500)]], Form()]
Packed = Annotated[list[Annotated[str, Field(max_length=1_000_000)]], Form()]
Named = Annotated[str, Query(max_length=500)]
# What the form asks about the file, in addition to the numbers and the terms of a new campaign.
ASKED_OF_FILE = (
    "campaign",
    "format",
    "arm",
    "arm_name",
    "item",
    "repeat",
    "outcome",
    "proxy",
    "gold",
    "blank",
    "success",
    "failure",
    "leave_out",
    "key",
    "count",
    "squares",
    "cumulative",
    "source",
    "new_source",
    "replace",
    "create",
)
# The fields of the form by the options of ``thresher tell`` that errors name.
FIELDS = {
    "--arm": "the field 'One arm for the whole file'",
    "--arm-column": "the field 'Arm'",
    "--item-column": "the field 'Item'",
    "--repeat-column": "the field 'Repeat'",
    "--outcome-column": "the field 'Outcome'",
    "--proxy-column": "the field 'Score'",
    "--gold-column": "the field 'Right answer'",
    "--key-column": "the field 'Key'",
    "--count-column": "the field 'Number of measurements'",
    "--squares-column": "the field 'Sum of squares'",
    "--success": "the field 'Words that count as 1'",
    "--failure": "the field 'Words that count as 0'",
    "--blank": "the field 'A blank outcome'",
    "--leave-out": "the field 'Leave out'",
    "--format": "the field 'Format'",
    "--source": "the field 'Source'",
    "--create": "the field 'Create what is missing'",
    "--replace": "the field 'Replace earlier versions'",
    "--cumulative": "the field 'Counts grow from file to file'",
    "--new-source": "the field 'Measured anew'",
    "--bar": "the field 'Bar'",
    "--budget": "the field 'Budget'",
}
EMPTY = dict.fromkeys(ASKED_OF_FILE, "") | {key: BLANK[key] for key in (*NUMBERS, *(term.name for term in ASKED))}
LARGEST_FILE = 100_000_000  # bytes that all packed files together may have when they are unpacked
# Those that are folded unless one of them is given.
ABOUT_FILE = tuple(key for key in ASKED_OF_FILE if key not in ("campaign", "arm", "item", "outcome", "create"))
SHOWN_COLUMNS = 40
SHOWN_VALUES = 3  # of each column
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
    def of(cls, name: str, content: bytes) -> UploadedFile:
        """Return an uploaded file."""
        return cls(name, urlsafe_b64encode(zlib.compress(content)).decode("ascii"))

    def content(self, most: int) -> bytes:
        """Return its bytes; raise InvalidInputError if there are more than that, or some are missing."""
        machine = zlib.decompressobj()
        try:
            content = machine.decompress(urlsafe_b64decode(self.packed), most + 1)
        except (ValueError, zlib.error) as error:
            raise InvalidInputError("file", self.name, rule="did not arrive whole", fix="choose it again") from error
        if len(content) > most:
            rule = f"must have at most {LARGEST_FILE:,} bytes, together with the others"
            raise InvalidInputError("file", self.name, rule=rule, fix="import it with thresher tell --from")
        if not machine.eof:
            raise InvalidInputError("file", self.name, rule="did not arrive whole", fix="choose it again")
        return content

    def open(self, content: bytes, chosen: str) -> Log:
        """Return the log in the bytes of the file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / self._plain_name
            path.write_bytes(content)
            try:
                log = open_log(path, chosen, most_unpacked=LARGEST_FILE)
                return dataclasses.replace(log, records=list(log.records))  # before the file is deleted
            except ThresherError as error:
                error.args = (str(error).replace(f"{folder}{os.sep}", ""),)  # the page names the file alone
                raise

    @property
    def _plain_name(self) -> str:
        """The name without folders and without characters that a file system may refuse."""
        last = re.split(r"[/\\]", self.name)[-1]
        return re.sub(r"[^\w. ()+-]", "_", last)[-LONGEST_FILE_NAME:].lstrip(".") or "log"


@router.get("/import", dependencies=[needs("admin")])
def empty_form(request: Request, campaign: Named = "") -> Response:
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
    repeat: Word = "",
    outcome: Word = "",
    proxy: Word = "",
    gold: Word = "",
    blank: Word = "",
    success: Word = "",
    failure: Word = "",
    leave_out: Word = "",
    key: Word = "",
    count: Word = "",
    squares: Word = "",
    cumulative: Word = "",
    source: Word = "",
    new_source: Word = "",
    replace: Word = "",
    create: Word = "",
    threshold: Number = "",
    budget: Number = "",
    sigma: Number = "",
    file: Annotated[list[UploadFile], File()] = [],  # noqa: B006 - FastAPI copies it
    file_name: Names = [],  # noqa: B006
    packed: Packed = [],  # noqa: B006
    action: Word = "preview",
    **terms: str,
) -> Response:
    """Show what was understood of some files; import them if that is confirmed."""
    given = {
        "campaign": campaign, "format": format, "arm": arm, "arm_name": arm_name, "item": item, "repeat": repeat,
        "outcome": outcome, "proxy": proxy, "gold": gold, "blank": blank, "success": success, "failure": failure,
        "leave_out": leave_out, "key": key, "count": count, "squares": squares, "cumulative": cumulative,
        "source": source, "new_source": new_source, "replace": replace, "create": create, "threshold": threshold,
        "budget": budget, "sigma": sigma,
    } | {term.name: terms[term.name] for term in ASKED}  # fmt: skip
    chosen = [UploadedFile.of(each.filename, await each.read()) for each in file if each.filename]
    carried = [UploadedFile(*pair) for pair in zip(file_name, packed, strict=False)]
    return await run_in_threadpool(_import, request, registry, given, chosen or carried, action=action)


accept_term_fields(upload)
router.post("/import", dependencies=[needs("admin")])(upload)


def _import(
    request: Request,
    registry: CampaignRegistry,
    given: dict[str, str],
    files: list[UploadedFile],
    *,
    action: str,
) -> Response:
    logs, carried = list[Log](), list[UploadedFile]()
    try:
        _check_size(request, files)
        carried = files
        logs = _open(files, given["format"])
        if action == "look":  # the file first, then the questions about it
            return _form(request, _suggested(given, files), files=carried, logs=logs)
        if not given["campaign"].strip():
            raise InvalidInputError("campaign", rule="name the one that gets the outcomes")
        scores, planned = _scores(logs, given), _outcomes(registry, logs, given)
        preview, new_items = None if planned is None else planned.preview, list[str]()
        if scores is not None:
            campaign = Campaign.open(registry.storage, given["campaign"]) if planned is None else planned.campaign
            new_items = _items_of(scores, given["campaign"], campaign, preview)
        if action == "import":
            if planned is not None:
                planned.store()
            if scores is not None:
                scores.store(Campaign.open(registry.storage, given["campaign"]))
            return RedirectResponse(campaign_url(given["campaign"]), status_code=303)
        return _form(request, given, files=carried, logs=logs, preview=preview, scores=scores, new_items=new_items)
    except LikelyCopyError as error:
        return _form(request, given, files=carried, logs=logs, copy=error, status=422)
    except ThresherError as error:
        return _form(request, given, files=carried, logs=logs, complaint=_by_fields(str(error)), status=422)


def _scores(logs: Sequence[Log], given: dict[str, str]) -> ScoreImport | None:
    """Return the scores in logs; None if no column is named for them."""
    column = given["proxy"].strip()
    return ScoreImport(logs, _columns(given), column, may_create=bool(given["create"])) if column else None


def _outcomes(registry: CampaignRegistry, logs: Sequence[Log], given: dict[str, str]) -> LogImport | None:
    """Return the import of the outcomes in logs; None if a column of scores is named, and none of outcomes."""
    if given["proxy"].strip() and not given["outcome"].strip():
        return None
    options = ImportOptions(**{name: bool(given[name]) for name in ("replace", "cumulative", "new_source")})
    mapped, source = [map_columns(log, _columns(given)) for log in logs], given["source"].strip()
    return LogImport(registry.storage, given["campaign"], mapped, _creation(given), source=source, options=options)


def _items_of(scores: ScoreImport, name: str, campaign: Campaign | None, preview: Preview | None) -> list[str]:
    """Return the items that only scores name; raise unless they fit the campaign and what the outcomes add to it."""
    there = None if campaign is None else campaign.items()
    arms, items = ((), ()) if there is None else (there.arms, there.names)
    new_arms, new_items = ((), ()) if preview is None else (preview.new_arms, preview.new_items)
    return scores.check(name, [*arms, *new_arms], [*items, *new_items])


def _suggested(given: dict[str, str], files: Sequence[UploadedFile]) -> dict[str, str]:
    """Return the fields with a name for the campaign: that of the first file, and then it may be created."""
    if given["campaign"].strip():
        return given
    return given | {"campaign": Path(re.split(r"[/\\]", files[0].name)[-1]).stem, "create": "on"}


def _check_size(request: Request, files: Sequence[UploadedFile]) -> None:
    """Raise InvalidInputError unless there are files, and the page can carry them."""
    if not files:
        raise InvalidInputError("file", rule="choose the log of another tool")
    limit = request.app.state.settings.body_limit * 9 // 10  # the other fields of the form need room, too
    if (size := sum(len(file.packed) for file in files)) > limit:
        rule = f"must be at most {limit:,} bytes when they are compressed"
        raise InvalidInputError("size of the files", size, rule=rule, fix="import them with thresher tell --from")


def _open(files: Sequence[UploadedFile], chosen: str) -> list[Log]:
    """Return the logs in files, which together are not too large."""
    logs, left = list[Log](), LARGEST_FILE
    for file in files:
        content = file.content(left)
        left -= len(content)
        logs.append(file.open(content, chosen))
    return logs


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
        repeat=given["repeat"].strip(),
        outcome=given["outcome"].strip(),
        gold=given["gold"].strip(),
        blank=given["blank"].strip() or "skip",
        arm_name=given["arm_name"].strip(),
        key=tuple(_words(given["key"])),
        count=given["count"].strip(),
        squares=given["squares"].strip(),
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
    files: Sequence[UploadedFile] = (),
    logs: Sequence[Log] = (),
    preview: Preview | None = None,
    scores: ScoreImport | None = None,
    new_items: Sequence[str] = (),
    complaint: str = "",
    copy: LikelyCopyError | None = None,
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
        is_unfolded=any(given[key] != EMPTY[key] for key in ABOUT_FILE),
        formats=FORMATS,
        tools=[known.words for known in FORMATS.values()],
        campaigns=names,
        files=files,
        cells=_first_cells(logs),
        n_records=sum(len(list(log.records)) for log in logs),
        preview=preview,
        scores=scores,
        scored_items=counted(len(new_items), "item") if new_items else "",
        read_as=logs[0].format if logs else "",
        undo="" if preview is None else f"thresher void {shlex.quote(preview.campaign)} --import {preview.batch}",
        complaint=complaint,
        copy=copy,
        measure=Measure(is_rate=preview is not None and preview.has_rates),
        copied="" if copy is None else str(copy).partition("; ")[0],
    )


def _by_fields(complaint: str) -> str:
    """Return an error with the fields of the form in place of the options of a command."""
    return re.sub(r"--[a-z-]+", lambda found: FIELDS.get(found[0], found[0]), complaint)


def _first_cells(logs: Sequence[Log]) -> list[tuple[str, list[str]]]:
    """Return the columns of logs, each with its first values."""
    first: dict[str, list[str]] = {}
    for record in (record for log in logs for record in log.records):
        for column, cell in record.cells.items():
            if len(values := first.setdefault(column, [])) < SHOWN_VALUES:
                values.append(str(cell)[:120])
    return list(first.items())[:SHOWN_COLUMNS]
