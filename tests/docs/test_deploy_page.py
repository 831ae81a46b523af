"""The page about deploying: every command line on it is one of thresher's, every metric and address is there."""

import re
from typing import Any

import pytest
from typer.main import get_group

from tests.support.checkout import CHECKOUT
from thresher.campaign.storage import MemoryStorage
from thresher.cli.main import app
from thresher.service import Settings, create_app
from thresher.service.openapi import openapi_document

PAGE = (CHECKOUT / "docs" / "howto" / "deploy.md").read_text()
LINES = re.findall(r"thresher ((?:serve|work|verify|token (?:new|list|revoke|code))\b[^`\n]*)", PAGE)


def options_of(line: str) -> tuple[set[str], set[str]]:
    """Return the options on a line, and those that its command has."""
    command: Any = get_group(app)
    words = line.split()
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    known = {option for parameter in command.params for option in parameter.opts}
    return set(re.findall(r"(?<=\s)--[a-z-]+", line)), known


@pytest.mark.parametrize("line", LINES)
def test_every_option_on_the_page_exists(line: str) -> None:
    used, known = options_of(line)
    assert used <= known


def test_the_page_shows_how_each_command_is_used() -> None:
    assert {line.split()[0] for line in LINES} == {"serve", "work", "verify", "token"}
    assert {"--public-url", "--db"} <= set().union(*(options_of(line)[0] for line in LINES))


def test_the_page_has_the_limits_of_connections_that_are_the_default() -> None:
    settings = Settings()
    limits = dict(re.findall(r"^\| (\d+) [^|]*\| `(--[a-z-]+)`", PAGE, re.MULTILINE))
    assert limits == {
        str(settings.max_connections): "--max-connections",
        f"{settings.request_timeout:g}": "--request-timeout",
        str(settings.token_rate): "--token-rate",
        str(settings.address_rate): "--address-rate",
    }
    [descriptors] = re.findall(r"^LimitNOFILE=(\d+)$", PAGE, re.MULTILINE)
    assert int(descriptors) >= 2 * settings.max_connections


def test_every_metric_and_every_address_on_the_page_is_there() -> None:
    metrics = set(re.findall(r"`(thresher_\w+)`", PAGE))
    found = list(create_app(MemoryStorage()).state.metrics.registry.collect())
    collected = {sample.name for metric in found for sample in metric.samples}
    names = {metric.name for metric in found}
    assert metrics
    assert {name for name in metrics if name not in collected | names | {f"{one}_total" for one in names}} == set()
    paths = openapi_document(create_app(MemoryStorage()))["paths"]
    assert set(re.findall(r"/api/v1/[a-z]+", PAGE)) <= paths.keys()
