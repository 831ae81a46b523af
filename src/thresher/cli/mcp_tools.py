"""The tools of ``thresher mcp``: each makes one call of the Python API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt

import thresher
from thresher.campaign import Campaign
from thresher.cli.campaigns import campaign_at
from thresher.errors import ThresherError, UnknownNameError
from thresher.terms import OFFERED

INSTRUCTIONS = """Decide for each arm (a prompt, a model, a variant) whether it passes a bar, with few measurements.
Create a campaign, then repeat: ask for tickets, measure the arm of each ticket once, tell the outcomes. Stop when
is_open is false. Never measure an arm without a ticket, and never tell an outcome that was not measured. Decisions may
be read at any time; an arm is decided if its decision is pass or fail."""

SIGMA = "sigma"  # of arms, and not a term; agents need it for the family gaussian
READS = ToolAnnotations(read_only_hint=True)
CampaignName = Annotated[str, Field(description="Name of the campaign.")]
Terms = Annotated[
    dict[str, Any] | None,
    Field(description="Further terms by name, such as family, risk, guarantee, goal, passes, sigma, lease."),
]


class ToldOutcome(BaseModel):
    """The outcome of one ticket."""

    model_config = ConfigDict(extra="forbid")

    ticket: Annotated[str, Field(description="The id of the ticket.")]
    outcome: StrictBool | StrictInt | StrictFloat
    cost: Annotated[float | None, Field(description="What it has cost, if that is known only now.")] = None


@contextmanager
def _explained() -> Iterator[None]:
    """Turn an error of thresher into one that the agent can read."""
    try:
        yield
    except ThresherError as error:
        raise ToolError(str(error)) from error


class CampaignTools:
    """The tools, for the campaigns at one address."""

    def __init__(self, address: str) -> None:
        self._address = address

    @contextmanager
    def _opened(self, name: str) -> Iterator[Campaign]:
        with _explained(), campaign_at(self._address, name) as campaign:
            yield campaign

    def list_campaigns(self, archived: bool = False) -> dict[str, Any]:
        """List the campaigns and their state: status, budget, spent, arms."""
        with _explained():
            return {"campaigns": [one.to_dict() for one in Campaign.list(self._address, archived=archived)]}

    def create_campaign(
        self,
        name: CampaignName,
        arms: list[str],
        bar: Annotated[float, Field(description="An arm passes if its mean is above this.")],
        budget: Annotated[float, Field(description="Measurements in all, at least one for each arm.")],
        items: Annotated[list[str] | None, Field(description="Items that every arm can answer once.")] = None,
        terms: Terms = None,
    ) -> dict[str, Any]:
        """Create a campaign; return its state. Outcomes are 0 or 1 unless terms has another family."""
        with _explained():
            given: dict[str, Any] = {"arms": arms, "threshold": bar, "budget": budget, "items": items}
            if both := sorted(given.keys() & (terms or {}).keys()):
                raise ToolError(f"{both[0]} must not be in terms: it is an argument of its own")
            known = [SIGMA, *(term.name for term in OFFERED)]
            if unknown := sorted((terms or {}).keys() - known):
                raise UnknownNameError("term", unknown[0], known)
            campaign = Campaign.create(self._address, name, **given, **(terms or {}))
            try:
                return campaign.standing.to_dict()
            finally:
                campaign.disconnect()

    def ask(
        self,
        campaign: CampaignName,
        n: Annotated[int, Field(ge=1, le=1000, description="How many tickets at most.")] = 1,
        key: Annotated[str | None, Field(description="Idempotency key: the same one returns the same tickets.")] = None,
    ) -> dict[str, Any]:
        """Take tickets: which arms to measure next, each once. is_open is false when nothing is left to measure."""
        with self._opened(campaign) as found:
            tickets = [asdict(ticket) | {"expires": ticket.expires.isoformat()} for ticket in found.ask(n, key=key)]
            return {"tickets": tickets, "is_open": bool(tickets) or found.is_open}

    def tell(self, campaign: CampaignName, outcomes: list[ToldOutcome]) -> dict[str, Any]:
        """Tell the outcomes of tickets, all or none; telling the same outcome again changes nothing."""
        told = [(one.ticket, one.outcome, one.cost) for one in outcomes]
        with self._opened(campaign) as found:
            return {"receipts": [asdict(receipt) for receipt in found.tell_many(told)]}

    def decisions(
        self,
        campaign: CampaignName,
        bar: Annotated[float | None, Field(description="What the decisions would be with another bar.")] = None,
    ) -> dict[str, Any]:
        """Read the decision on each arm (pass, fail or open), its mean, interval and chance of error, and a summary."""
        with self._opened(campaign) as found:
            return found.verdicts(bar=bar).to_document(slice(None)) | {"campaign": found.standing.to_dict()}


class StrictServer(MCPServer[Any]):
    """A server that refuses arguments which its tools do not have; the SDK would ignore them."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool."""
        schemas = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        if unknown := sorted(arguments.keys() - schemas.get(name, arguments).keys()):
            raise ToolError(f"unknown argument {unknown[0]!r} of {name}; known: {', '.join(schemas[name])}")
        return await super().call_tool(name, arguments, context)


def mcp_server(address: str) -> MCPServer[Any]:
    """Return a server with the tools of a database or a service."""
    server = StrictServer("thresher", instructions=INSTRUCTIONS, version=thresher.__version__, log_level="WARNING")
    tools = CampaignTools(address)
    for read in (tools.list_campaigns, tools.decisions):
        server.add_tool(read, annotations=READS)
    for change in (tools.create_campaign, tools.ask, tools.tell):
        server.add_tool(change)
    return server
