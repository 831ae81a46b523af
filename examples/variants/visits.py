"""Show variants of a page to visitors, and compare them with the page of today, whose rate is not known either."""

import argparse
import random

import thresher as th

RATES = {  # unknown to the campaign, which sees visitors only
    "today": 0.30,
    "red button": 0.31,
    "no banner": 0.36,
    "short form": 0.30,
    "pop-up": 0.22,
    "autoplay": 0.15,
    "dark": 0.27,
}


def bought(variant: str) -> bool:
    """Return whether a simulated visitor buys; replace this by the data of your site."""
    return random.random() < RATES[variant]


def main() -> None:
    """Show variants to visitors until the budget is spent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=20_000)
    parser.add_argument("--margin", default="-0.01", help="How much worse a variant may be: a number, or '-2%%'.")
    parser.add_argument("--tolerance", type=float, default=0.0, help="Distance from the bar that does not matter.")
    parser.add_argument("--db", default="sqlite:///thresher.db")
    given = parser.parse_args()
    campaign = th.Campaign.create(
        given.db,
        "variants",
        arms=list(RATES),
        control="today",
        margin=given.margin,
        tolerance=given.tolerance,
        budget=given.visitors,
        false_pass=3.0,
        lease=1800,
    )
    # A page view must not wait for a database: ask and tell in batches of a hundred.
    while visitors := campaign.ask(100):
        campaign.tell_many((visitor, bought(visitor.arm)) for visitor in visitors)
    verdicts = campaign.verdicts()
    print(verdicts.summary)
    for row in verdicts:
        print(
            f"{row.arm:<10} {verdicts.standing(row):<17} {row.mean:.3f} over {row.pulls:>5} visitors, "
            f"difference {row.low:+.3f} to {row.high:+.3f}"
        )


if __name__ == "__main__":
    main()
