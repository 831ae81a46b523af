"""Compare a new index with policies of the literature, using common random numbers."""

import argparse
import math

import thresher as th
from thresher.policy.index import register_index

BUDGETS = (200, 500)


@register_index("mine")
def mine(count: float, evidence: float, cost: float, weight: float = 0.5) -> float:
    """Return an index between LSA and FWT: evidence minus a part of its logarithm."""
    return evidence - weight * math.log(max(evidence, 1.0)) + math.log(count / cost)


def main() -> None:
    """Simulate, and print the paired ratio of mistakes for each rival."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    problem = th.Problem.named("linear:K=20")
    rivals = ["apt", "lsa", "fwt-sqrt", "stopping", "uniform"]
    result = th.simulate(problem, ["mine", *rivals], budgets=list(BUDGETS), runs=runs, seed=1)
    for rival in rivals:
        for budget, gap in zip(BUDGETS, result.compare("mine", rival), strict=True):
            interval = f"{gap.ratio_low:.2f} to {gap.ratio_high:.2f}"
            print(f"mine / {rival:<8} at {budget}: {gap.ratio:.2f} ({interval})")


if __name__ == "__main__":
    main()
