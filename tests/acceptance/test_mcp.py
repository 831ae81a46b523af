"""``thresher mcp`` with the client of the official SDK, over standard input and output."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.support.service_place import served
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.service import create_app


def server(address: str, **environment: str) -> StdioServerParameters:
    inherited = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment}
    return StdioServerParameters(command=sys.executable, args=["-m", "thresher", "mcp", "--db", address], env=inherited)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the answer of a tool."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    assert isinstance(answer.structured_content, dict)
    return answer.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """Return the text of an answer that is an error."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer.content
    return "".join(getattr(part, "text", "") for part in answer.content)


async def decide(client: Client) -> dict[str, Any]:
    """Measure as an agent does, until nothing is left; return the decisions."""
    while True:
        asked = await call(client, "ask", campaign="coins", n=7)
        outcomes = [{"ticket": one["id"], "outcome": one["arm"] == "fair"} for one in asked["tickets"]]
        if outcomes:
            await call(client, "tell", campaign="coins", outcomes=outcomes)
        if not asked["is_open"]:
            return await call(client, "decisions", campaign="coins")


def test_an_agent_decides_in_a_database(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/c.db"

    async def work() -> None:
        async with Client(server(address)) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools.keys() == {"list_campaigns", "create_campaign", "ask", "tell", "decisions"}
            question = {"name": "coins", "arms": ["fair", "bent"], "bar": 0.4, "budget": 20}
            assert "threshold" in await refusal(client, "create_campaign", **question, threshold=0.4)
            assert "must not be in terms" in await refusal(client, "create_campaign", **question, terms={"arms": []})
            for other in ("token", "history", "address"):  # keywords of Campaign.create that are not terms
                said = await refusal(client, "create_campaign", **question, terms={other: "x"})
                assert f"unknown term '{other}'" in said
            assert "risk is 7" in await refusal(client, "create_campaign", **question, terms={"risk": 7})
            assert not (tmp_path / "c.db").exists()
            assert (await call(client, "create_campaign", **question, terms={"risk": 0.1}))["budget"] == 20
            assert "a campaign 'coins' already" in await refusal(client, "create_campaign", **question)
            assert "no campaign 'x'" in await refusal(client, "ask", campaign="x")
            wrong = [{"ticket": "1-0", "outcome": "yes"}]
            assert "outcome" in await refusal(client, "tell", campaign="coins", outcomes=wrong)
            found = await decide(client)
            assert [row["decision"] for row in found["verdicts"]] == ["pass", "fail"]
            assert found["campaign"]["told"] == 20
            [listed] = (await call(client, "list_campaigns"))["campaigns"]
            assert (listed["name"], listed["status"]) == ("coins", "ended")

    asyncio.run(work())
    campaign = Campaign.open(address, "coins")
    assert campaign.terms.risk == 0.1
    campaign.verify()
    campaign.disconnect()


@pytest.mark.nightly
def test_behind_a_service_an_agent_has_the_rights_of_its_token() -> None:
    app = create_app(MemoryStorage())
    Campaign.create(app.state.registry.storage, "coins", arms=["fair", "bent"], threshold=0.4, budget=20)

    async def work(address: str, scope: str, **given: str) -> None:
        token = app.state.keyring.new_token(scope, **given)
        async with Client(server(address, THRESHER_TOKEN=token)) as client:
            question = {"name": "other", "arms": ["a"], "bar": 0.5, "budget": 5}
            assert "needs 'admin'" in await refusal(client, "create_campaign", **question)
            if scope == "read":
                assert "needs 'work'" in await refusal(client, "ask", campaign="coins")
            else:
                found = await decide(client)
                assert [row["decision"] for row in found["verdicts"]] == ["pass", "fail"]

    with served(app) as address:
        asyncio.run(work(address, "read"))
        asyncio.run(work(address, "work", campaign="coins"))
