"""The audit of a campaign: its log replayed, and every stored row compared with it."""

from __future__ import annotations

from itertools import islice

from thresher.campaign.ledger import differences, replay
from thresher.campaign.storage.protocol import Contents, Heading
from thresher.errors import ThresherError

MOST_FINDINGS = 1000


def audit(heading: Heading, contents: Contents) -> list[str]:
    """Return a sentence for everything that differs from the log, for the first 1000; an empty list if nothing does.

    Rows are compared while they are read, with the one copy of them that the replay makes.
    """
    try:
        told = replay(heading.name, contents.log)
        found = list(islice(differences(told.state, *contents[:-1], earlier=told.earlier), MOST_FINDINGS))
    except ThresherError as error:
        return getattr(error, "findings", [str(error)])
    if told.created is None or (told.created.name, told.created.terms) != (heading.name, heading.terms):
        return [*found, "the log was begun under another name or other terms"]
    return found
