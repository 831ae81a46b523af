"""Stopping by price and the best fixed budget, problem by problem: the table of docs/explanation/stopping-index.md.

python -m benchmarks.stop_price [--runs 1000]
"""

import argparse

from thresher.research.simulation import stop_costs

PRICES = (0.1, 0.03, 0.01, 0.003, 0.001)
PROBLEMS = (
    "linear",
    "quadratic",
    "gaussian-population:tau=0.2",
    "gaussian-population:tau=0.5",
    "gaussian-population:tau=1.0",
    "constant",
    "constant:K=50,gap=0.3",
    "one-hard",
    "locatelli-1",
    "beta-population",
)


def main() -> None:
    """Print the ratios of total cost, with the half-width of their 95 % intervals."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print("| problem | " + " | ".join(f"price {price:g}" for price in PRICES) + " |")
    print("|:---|" + "---:|" * len(PRICES))
    for problem in PROBLEMS:
        costs = stop_costs(problem, prices=PRICES, runs=runs)[::-1]
        cells = (f"{cost.ratio:.3f} ± {(cost.high - cost.low) / 2:.3f}" for cost in costs)
        print(f"| `{problem}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
