"""The audit of a campaign: its log replayed, and every stored row compared with it."""

from __future__ import annotations

from thresher.campaign import State, Terms, differences, replay
from thresher.errors import ThresherError
from thresher.storage.protocol import Contents, Heading


def audit(heading: Heading, contents: Contents) -> list[str]:
    """Return a sentence for everything that is not as it was written; none if all is well."""
    stored = State(contents.ledger)
    stored.arms.update((arm.position, arm) for arm in contents.arms)
    for pull in contents.pulls:
        stored.add_pull(pull)
    stored.requests.update((request.key, request) for request in contents.requests)
    try:
        told = replay(heading.name, contents.events)
        found = list(differences(told.state, stored))
    except ThresherError as error:
        return getattr(error, "findings", [str(error)])
    if told.created is None or (told.created.name, told.created.terms) != (heading.name, heading.terms):
        return [*found, "the log was begun under another name or other terms"]
    lease = Terms.from_json(heading.terms).lease_micros
    ends = {pull.number: told.times[pull.since] + lease for pull in told.state.pulls.values()}
    wrong = [number for number, end in ends.items() if contents.expires.get(number) != end]
    return found + [f"the lease of pull {number} is not what the log says" for number in wrong]
