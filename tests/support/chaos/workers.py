"""What runs in the processes that a test kills: workers and servers."""

from __future__ import annotations

import os
import random
import resource
import threading
import time
from typing import Any
from uuid import uuid4

from tests.support.chaos.nursery import Say
from thresher.campaign import Campaign
from thresher.campaign.storage import Storage
from thresher.errors import StorageError, ThresherError

PAUSE = 0.01  # seconds before another try
NO_USER = 65534


def warm_up() -> None:
    """Load and compile what children need, without a thread or a file."""
    import thresher.campaign.storage.postgres
    import thresher.campaign.storage.sqlite
    import thresher.cli.serve
    import thresher.dashboard
    import thresher.service.server

    campaign = begin("memory://warm", arms=2, budget=4)
    for ticket in campaign.tickets():
        campaign.tell(ticket, 0.5)
    campaign.verify()
    asked = begin("memory://warm", "items", arms=2, items=6)
    for ticket in asked.tickets():
        asked.tell(ticket, 0.5)
    asked.verify()
    thresher.dashboard.create_app("memory://warm")


def begin(
    address: str | Storage,
    name: str = "c",
    *,
    arms: int = 20,
    budget: int = 10**6,
    lease: float = 600.0,
    items: int = 0,
    repeats: int = 1,
) -> Campaign:
    """Return a new campaign, by default with a budget that is not spent before it is closed."""
    names = [f"arm {k}" for k in range(arms)]
    terms: dict[str, Any] = {"family": "gaussian", "sigma": 1.0, "policy": "lsa"}
    if items:
        budget, terms = min(budget, arms * items * repeats), {**terms, "items": items, "repeats": repeats}
    return Campaign.create(address, name, arms=names, threshold=0.1, budget=budget, lease=lease, **terms)


def outcome_of(ticket: str) -> float:
    """Return the outcome of a ticket: a worker that takes over from a dead one measures the same."""
    return random.Random(ticket).gauss(0.2, 1.0)


def toil(say: Say, campaign: Campaign, key: str, *, pairs: int | None = None) -> None:
    """Ask and tell until the budget is spent, or this many times; print the key before each ask, then the result.

    A successor that begins with the last key that was said gets the same ticket and tells the same outcome.
    """
    done = 0
    while done != pairs:
        say(key=key)
        tickets = campaign.ask(1, key=key)
        for ticket in tickets:
            say(asked=ticket.id)
            campaign.tell(ticket, outcome_of(ticket.id))
            say(told=ticket.id)
            done += 1
        if not tickets:
            if not campaign.is_open:
                return
            time.sleep(PAUSE)
        key = uuid4().hex


def work(say: Say, address: str, name: str, key: str, *, token: str | None = None) -> None:
    """Work for a campaign by itself, in the database or behind a service."""
    campaign = Campaign.open(address, name, token=token)
    say(ready=True)
    toil(say, campaign, key)
    say(end=True)


def work_as_crowd(say: Say, address: str, name: str, *, threads: int, token: str | None = None) -> None:
    """Work for a campaign with this many threads, without idempotency keys, as most workers do."""
    campaign = Campaign.open(address, name, token=token)
    told, lock = list[str](), threading.Lock()

    def one() -> None:
        for ticket in campaign.tickets():
            campaign.tell(ticket, outcome_of(ticket.id))
            with lock:
                told.append(ticket.id)

    crowd = [threading.Thread(target=one) for _ in range(threads)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    for ticket in told:
        say(told=ticket)
    say(end=True)


def write_meanwhile(say: Say, address: str, name: str, *, rest: float) -> None:
    """Ask and tell in the database itself for ever, with a rest after each pair; add an arm after every ten."""
    campaign, pairs = Campaign.open(address, name), 0
    say(ready=True)
    while True:
        for ticket in campaign.ask(1):
            campaign.tell(ticket, outcome_of(ticket.id))
        pairs += 1
        if pairs % 10 == 0:
            campaign.add_arms([f"{os.getpid()} {pairs}"], threshold=0.1, sigma=1.0)
        time.sleep(rest)


def work_through_failures(say: Say, campaign: Campaign, *, pairs: int | None = None, gives_up: bool = False) -> None:
    """Work as :func:`toil` does; a call that fails is reported, and repeated unless the worker gives up."""
    key, told = uuid4().hex, 0

    def note(**report: Any) -> None:
        nonlocal key, told
        key = report.get("key", key)
        told += "told" in report
        say(**report)

    while True:
        try:
            toil(note, campaign, key, pairs=None if pairs is None else pairs - told)
            break
        except StorageError as error:
            say(failed=str(error), kind=type(error).__name__)
            if gives_up:
                return
            time.sleep(PAUSE)
    say(end=True)


def serve(say: Say, address: str, *, port: int) -> None:
    """Serve as ``thresher serve`` does, in the same code."""
    from thresher.cli.serve import serve as command

    command(address, port=port, log_level="warning")


def work_on_full_disk(say: Say, address: str, *, pairs: int, largest_file: int | None = None) -> None:
    """Work until there is no room, and on when there is some again.

    Parameters
    ----------
    say : callable
    address : str
    pairs : int
    largest_file : int, optional
        Bytes that a file may have, until a call has failed because of it.
    """
    campaign = Campaign.open(address, "c")
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)

    def note(**report: Any) -> None:
        if "failed" in report:
            resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        say(**report)

    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, unlimited[1]))
    work_through_failures(note, campaign, pairs=pairs, gives_up=False)


def work_without_rights(say: Say, address: str) -> None:
    """Work as an unprivileged user."""
    if os.geteuid() == 0:
        os.seteuid(NO_USER)
    try:
        toil(say, Campaign.open(address, "c"), uuid4().hex, pairs=1)
    except ThresherError as error:
        say(failed=str(error), kind=type(error).__name__)
