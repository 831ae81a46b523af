"""``thresher work``: a worker for a campaign."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.errors import InvalidInputError

if TYPE_CHECKING:
    from thresher.campaign import Campaign
    from thresher.run import CommandMeasurement, Worker

MOST_CHECKED = 10_000  # arms, one page of a service; the rest are checked when their tickets are issued

Address = Annotated[str, typer.Argument(metavar="URL", help="https://host of a service, or the address of a database.")]
CampaignName = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="Name of the campaign.")]
Command = Annotated[
    str, typer.Option("--command", "-c", help="A shell command that measures {arm}, on {item} if there are items.")
]
Outcome = Annotated[
    str, typer.Option("--outcome", help="Where to read it: exit, last-line, regex:PATTERN, json:FIELD or duration.")
]
Cost = Annotated[str, typer.Option("--cost", help="Actual cost: duration, last-line, regex:PATTERN or json:FIELD.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, max=1000, help="Measurements at a time.")]
Timeout = Annotated[float | None, typer.Option("--timeout", help="Seconds after which a measurement is ended.")]
Retries = Annotated[int, typer.Option("--retries", min=0, help="Retries of an attempt without an outcome.")]
Rate = Annotated[str, typer.Option("--rate", help="Maximum rate of measurements, such as 30/minute.")]
TokenFile = Annotated[
    Path | None, typer.Option("--token-file", help="A file with the token. [default: the variable THRESHER_TOKEN]")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not stop if the command fails on every arm.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document at the end.")]


def work(
    address: Address,
    campaign: CampaignName,
    command: Command,
    outcome: Outcome = "exit",
    cost: Cost = "",
    jobs: Jobs = 1,
    timeout: Timeout = None,
    retries: Retries = 2,
    rate: Rate = "",
    token_file: TokenFile = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Measure for a campaign on a server until it needs no more.

    The worker retries while the service is unavailable. A failed pull is returned to the campaign. Ten in a row
    stop the worker, and so does a command that fails on every arm at first. Leases are renewed while the command
    runs. Any number of workers can run at a time. Example:

        thresher work https://thresher.example.org prompts --command './grade {arm}' --outcome last-line -j 4
    """
    from thresher.campaign import Campaign
    from thresher.cli.show import say
    from thresher.run import CommandMeasurement, Reading, Worker

    reading, price = Reading.parse(outcome), Reading.parse(cost, "cost") if cost else None
    if token_file is not None and not address.startswith(("http://", "https://")):
        raise InvalidInputError("--token-file", str(token_file), rule="must come with the address of a service")
    opened = Campaign.open(address, campaign, token=_token(token_file))
    try:
        has: dict[str, Any] = {"has_items": opened.standing.items > 0, "has_repeats": opened.terms.repeats > 1}
        measurement = partial(CommandMeasurement, command, reading, cost=price, timeout=timeout, **has)
        _check_arms(measurement(), opened)

        def make(*, may_fail: bool) -> Worker:
            return Worker(opened, measurement(), jobs=jobs, retries=retries, rate=rate, may_fail=may_fail, say=say)

        _work(make, campaign, may_fail=yes, json=json)
    finally:
        opened.disconnect()


def _work(make: Callable[..., Worker], campaign: str, *, may_fail: bool, json: bool) -> None:
    from thresher.cli.show import confirm
    from thresher.run import FailingCommandError

    workers = [make(may_fail=may_fail)]
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C
    try:
        try:
            workers[0].work()
        except FailingCommandError as error:
            confirm(str(error))
            workers.append(make(may_fail=True))
            workers[1].work()
    finally:
        signal.signal(signal.SIGTERM, before)
        _show(campaign, workers, json=json)


def _check_arms(measurement: CommandMeasurement, campaign: Campaign) -> None:
    """Refuse arms that the command would read as options, before the first measurement."""
    if campaign.standing.arms <= MOST_CHECKED:
        for row in campaign.verdicts():
            if not row.retired:
                measurement.check(row.arm, {})


def _show(campaign: str, workers: Sequence[Worker], *, json: bool) -> None:
    from json import dumps

    from thresher.cli.show import answer, say
    from thresher.report import counted

    measured, failed = (sum(getattr(each, key) for each in workers) for key in ("measured", "failed"))
    if json:
        answer(dumps({"campaign": campaign, "measured": measured, "failed": failed}))
    else:
        say(f"{counted(measured, 'outcome')} told, {counted(failed, 'pull')} returned.")


def _token(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        token = ""
    if not token:
        raise InvalidInputError("--token-file", str(path), rule="must be a readable file with a token")
    return token
