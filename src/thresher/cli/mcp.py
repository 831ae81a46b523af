"""``thresher mcp``: campaigns as tools of an agent."""

from __future__ import annotations

from thresher.cli.campaigns import DEFAULT, Database
from thresher.errors import MissingExtraError


def mcp(db: Database = DEFAULT) -> None:
    """Offer campaigns to an agent as tools (MCP).

    A server of the Model Context Protocol on standard input and output. The agent creates campaigns, asks, tells and
    reads decisions. With the address of a service it may do what the token in THRESHER_TOKEN allows.

    Example: thresher mcp --db sqlite:///evals.db
    """
    try:
        from thresher.cli.mcp_tools import mcp_server
    except ImportError as error:
        raise MissingExtraError("thresher mcp", "mcp") from error
    mcp_server(db).run()
