"""The page about HTTP: every route once, every line of curl does what it says, every answer is as it is shown."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from tests.support.checkout import CHECKOUT
from tests.support.service_place import served
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.campaign.wire import type_of
from thresher.service import Settings, create_app
from thresher.service.problem_details import STATUS, TITLES

PAGE = (CHECKOUT / "docs" / "reference" / "http.md").read_text()
TIMED_OUT = 28  # curl's exit code for a stream that --max-time ends


class Section(NamedTuple):
    """A route on the page: the line of curl and the answer that is shown."""

    route: str
    curl: str
    answer: Any


def sections() -> list[Section]:
    """Return the routes of the page, in its order."""
    found = []
    for part in re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]:
        [curl] = re.findall(r"^```sh\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
        answers = re.findall(r"^```json\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
        found.append(Section(part.splitlines()[0], curl, json.loads(answers[0]) if answers else None))
    return found


SECTIONS = sections()
[SET_UP] = re.findall(r"^```sh\n(.*?)^```$", PAGE.partition("\n### ")[0], re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return create_app(MemoryStorage(), Settings(pause=0.05))


def test_the_page_has_every_route_once(app: FastAPI) -> None:
    there = [
        f"{method} {context.path_format}"
        for context in iter_route_contexts(app.routes)
        for method in context.methods or ()
    ]
    assert sorted(section.route for section in SECTIONS) == sorted(there)


def test_the_page_has_every_status_and_the_types_of_conflicts() -> None:
    rows = dict(re.findall(r"^\| (\d{3}) \|[^|]+\| ([^|]+) \|$", PAGE, re.MULTILINE))
    assert {int(status) for status in rows} == {401, 403, 404, 408, 409, 413, 421, 422, 429, 503} <= TITLES.keys()
    for error, status in STATUS:
        if status in (403, 404, 409):
            assert type_of(error.__name__) in rows[str(status)]


class Shell:
    """What a reader has who types the examples: an address, a token, a ticket."""

    def __init__(self, app: FastAPI, address: str, folder: Path) -> None:
        self._storage, self.folder = app.state.registry.storage, folder
        self._keyring = app.state.keyring
        self._values = {"URL": address, "TOKEN": app.state.keyring.new_token("admin")}
        self._type(SET_UP)

    def ticket(self, *, told: bool) -> str:
        """Return a ticket that is out, or one whose outcome was told."""
        [ticket] = (campaign := Campaign.open(self._storage, "prompts")).ask(1)
        if told:
            campaign.tell(ticket, True)
        return ticket.id

    def run(self, section: Section) -> str:
        """Type an example; return what it prints."""
        values = dict(self._values)
        if "$TICKET" in section.curl:
            values["TICKET"] = self.ticket(told=section.route.endswith(("/void", "/amend")))
        if "$TOKEN_ID" in section.curl:
            values["TOKEN_ID"] = self._keyring.new_token("read").split("_")[1]
        allowed = (0, TIMED_OUT if section.route.endswith("/events") else 0)
        return self._type(section.curl.replace("curl ", "curl --fail-with-body --noproxy '*' "), values, allowed)

    def _type(self, lines: str, values: dict[str, str] | None = None, allowed: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run(
            ["sh", "-c", f"set -e\n{lines}"],
            cwd=self.folder,
            env=os.environ | (values or self._values),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode in allowed, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def shell(app: FastAPI, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with served(app) as address:
        yield Shell(app, address, tmp_path_factory.mktemp("curl"))


def is_alike(one: Any, other: Any) -> bool:
    """Return whether two documents have the same keys and kinds; null and `details` may stand for anything."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(key == "details" or is_alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return all(is_alike(one[0], part) for part in other) if one and other else True
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return (
        one is None or other is None or type(one) is type(other) or (numbers and bool not in (type(one), type(other)))
    )


def test_documents_that_differ_are_told_apart() -> None:
    assert is_alike({"a": [{"b": 1}], "c": None}, {"a": [{"b": 2.5}], "c": 1})
    assert not is_alike({"a": [{"b": 1}]}, {"a": [{"x": 1}]})
    assert not is_alike({"a": 1}, {"a": 1, "b": 1})
    assert not is_alike({"a": True}, {"a": 1})


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_every_line_of_curl_does_what_the_page_says(shell: Shell) -> None:
    for section in SECTIONS:  # in the order of the page: a campaign must be there before it is asked
        printed = shell.run(section)
        if section.answer is not None:
            assert is_alike(section.answer, json.loads(printed)), section.route
        elif section.route.endswith("/events"):
            assert "event: standing\nid: " in printed
        elif section.route.endswith("/{what}"):
            assert (shell.folder / "verdicts.csv").read_text().startswith("arm,verdict,")
        else:
            assert printed
