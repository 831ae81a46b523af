"""Send visitors to variants of a page, each where one more changes a verdict most."""

import argparse
import random

import thresher as th

CONTROL = 0.30  # the rate of the page as it is, known from months
RATES = {"red button": 0.31, "no banner": 0.36, "short form": 0.30, "pop-up": 0.22, "autoplay": 0.15, "dark": 0.27}


def bought(variant: str) -> bool:
    """Return whether one visitor buys; replace this by what your site sees."""
    return random.random() < RATES[variant]


def main() -> None:
    """Show variants to visitors until the budget is spent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=4000)
    parser.add_argument("--db", default="sqlite:///thresher.db")
    given = parser.parse_args()
    campaign = th.Campaign.create(
        given.db,
        "variants",
        arms=list(RATES),
        threshold=CONTROL - 0.01,
        budget=given.visitors,
        false_pass=3.0,
        lease=1800,
    )
    # A page view must not wait for a database: tickets are taken a hundred at a time, and told together.
    while visitors := campaign.ask(100):
        campaign.tell_many((visitor, bought(visitor.arm)) for visitor in visitors)
    for row in campaign.verdicts():
        sure = "sure" if row.sure else "not sure"
        print(f"{row.arm:<10} {row.verdict:<5} {sure:<8} {row.mean:.3f} over {row.pulls:>4} visitors")


if __name__ == "__main__":
    main()
