"""Make recorded-like answers: models that differ in ability, questions that differ in difficulty.

python answers.py [--models 12] [--questions 200] [--seed 1]

Writes models.txt and questions.txt, one name on each line, and answers.csv with the columns arm, item and value.
"""

import argparse
import csv
import math
import random
from pathlib import Path


def probability(ability: float, difficulty: float) -> float:
    """Return how likely a model is to answer a question correctly: the Rasch model of item response theory."""
    return 1.0 / (1.0 + math.exp(difficulty - ability))


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=12)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    difficulties = {f"q{i:03}": rng.gauss(0.0, 1.5) for i in range(1, given.questions + 1)}
    abilities = {f"model-{k:02}": rng.gauss(1.2, 0.9) for k in range(1, given.models + 1)}
    Path("models.txt").write_text("".join(f"{model}\n" for model in abilities), encoding="utf-8")
    Path("questions.txt").write_text("".join(f"{question}\n" for question in difficulties), encoding="utf-8")
    with Path("answers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["arm", "item", "value"])
        for model, ability in abilities.items():
            for question, difficulty in difficulties.items():
                writer.writerow([model, question, int(rng.random() < probability(ability, difficulty))])
    print(f"{given.models} models, {given.questions} questions: models.txt, questions.txt, answers.csv")


if __name__ == "__main__":
    main()
