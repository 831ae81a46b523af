"""Outcomes that vary more than sigma allows are warned of, others are not."""

import random

from thresher.live import Campaign
from thresher.storage import MemoryStorage


def notes(sigma: float, spread: float, *, n: int = 10, seed: int = 1) -> tuple[str, ...]:
    """Return the notes on a campaign whose outcomes have a standard deviation of `spread`."""
    draw = random.Random(seed)
    campaign = Campaign.create(
        MemoryStorage(), "latency", arms=["a", "b"], threshold=200.0, budget=2 * n, family="gaussian", sigma=sigma
    )
    for ticket in campaign.tickets():
        campaign.tell(ticket, draw.gauss(196.0, spread))
    return tuple(note for note in campaign.verdicts().notes if "sigma" in note)


def test_latencies_far_outside_what_sigma_allows_are_warned_of() -> None:
    [note] = notes(1.0, 60.0)
    assert note.startswith("outcomes vary about ")
    assert note.endswith("use the family gaussian-unknown-variance")


def test_the_right_sigma_and_a_large_one_are_not() -> None:
    # Each would be warned of with a chance of 3e-7.
    assert all(notes(60.0, 60.0, seed=seed) == () for seed in range(20))
    assert notes(100.0, 60.0) == ()
