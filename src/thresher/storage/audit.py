"""The audit of a campaign: its log replayed, and every stored row compared with it."""

from __future__ import annotations

from thresher.campaign import CampaignState, differences, replay
from thresher.errors import ThresherError
from thresher.storage.protocol import Contents, Heading


def audit(heading: Heading, contents: Contents) -> list[str]:
    """Return a sentence for everything that differs from the log; an empty list if nothing does."""
    stored = CampaignState(contents.ledger)
    stored.add_arms(contents.arms)
    stored.add_pulls(contents.pulls)
    stored.requests.update((request.key, request) for request in contents.requests)
    try:
        told = replay(heading.name, contents.log)
        found = list(differences(told.state, stored))
    except ThresherError as error:
        return getattr(error, "findings", [str(error)])
    if told.created is None or (told.created.name, told.created.terms) != (heading.name, heading.terms):
        return [*found, "the log was begun under another name or other terms"]
    return found
