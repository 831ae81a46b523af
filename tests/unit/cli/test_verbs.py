"""``thresher pause``, ``resume``, ``close``, ``archive`` and ``retire`` change the state of a campaign."""

import json
from collections.abc import Callable
from typing import Any

from thresher.campaign import Campaign

Cli = Callable[..., Any]


def kinds() -> list[str]:
    campaign = Campaign.open("sqlite:///thresher.db", "coins")
    try:
        return [entry.kind for entry in campaign.history()]
    finally:
        campaign.disconnect()


def test_each_command_changes_the_campaign_and_shows_its_state(coins: Cli) -> None:
    for words, shown in [
        (["pause", "coins"], "coins: paused\n"),
        (["resume"], "coins: open\n"),
        (["retire", "coins", "bent"], "bent: retired\n"),
        (["archive", "--reason", "superseded"], "coins: archived\n"),
        (["archive", "--undo"], "coins: open\n"),
        (["close", "coins", "--reason", "enough"], "coins: closed\n"),
    ]:
        said = coins(*words)
        assert (said.code, said.out) == (0, shown), words
    assert kinds()[-6:] == ["paused", "resumed", "retired", "archived", "unarchived", "closed"]
    assert json.loads(coins("archive", "--json").out)["status"] == "archived"


def test_an_archived_campaign_is_hidden_and_refuses_in_a_sentence(coins: Cli) -> None:
    coins("archive", "coins")
    assert "coins" not in coins("list").out
    assert "archived" in coins("list", "--all").out
    assert [row["name"] for row in json.loads(coins("list", "--all", "--json").out)["campaigns"]] == ["coins"]
    said = coins("ask", "coins")
    assert (said.code, said.out) == (3, "")
    assert "campaign 'coins' is archived and accepts no asks" in said.err
    assert coins("verify", "--all").code == 0


def test_mistakes_are_explained(coins: Cli) -> None:
    assert "unknown arm 'x'" in coins("retire", "coins", "x").err
    assert "leave it out with --undo" in coins("archive", "--undo", "--reason", "r").err
    coins("close")
    assert "is closed and cannot pause" in coins("pause").err
