"""Label pictures with a crowd, in batches, spending labels where they change the most."""

import argparse
import random

import thresher as th

PICTURES = 60


def label(picture: str) -> bool:
    """Return the label of a simulated worker; replace this by a call to your platform."""
    return random.random() < share_of_yes(picture)


def share_of_yes(picture: str) -> float:
    """Return the true mean: the share of all workers who would say yes."""
    return random.Random(picture).betavariate(0.8, 0.8)


def main() -> None:
    """Spend the budget in batches; print the verdicts and compare them with the truth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=int, default=600)
    parser.add_argument("--db", default="sqlite:///thresher.db")
    given = parser.parse_args()
    pictures = [f"picture-{i:02}.png" for i in range(PICTURES)]
    campaign = th.Campaign.create(given.db, "birds", arms=pictures, threshold=0.5, budget=given.budget, lease=3600)
    while batch := campaign.ask(20):
        campaign.tell_many((ticket, label(ticket.arm)) for ticket in batch)
    verdicts = campaign.verdicts()
    wrong = [row.arm for row in verdicts if (row.verdict == "above") != (share_of_yes(row.arm) > 0.5)]
    least, most = min(row.pulls for row in verdicts), max(row.pulls for row in verdicts)
    print(f"{sum(row.verdict == 'above' for row in verdicts)} of {PICTURES} pictures show a bird.")
    print(f"{least} to {most} labels per picture; {verdicts.expected_mistakes:.1f} expected mistakes.")
    print(f"{len(wrong)} are wrong: {', '.join(wrong) or 'none'}.")


if __name__ == "__main__":
    main()
