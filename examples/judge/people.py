"""Recorded grades of people: replace `grade` by a call to your labelling tool."""

import csv
from functools import cache
from pathlib import Path


@cache
def recorded() -> dict[tuple[str, str], int]:
    """Return what a person said of each answer."""
    with Path("people.csv").open(encoding="utf-8", newline="") as file:
        return {(row["model"], row["item"]): int(row["human"]) for row in csv.DictReader(file)}


def grade(arm: str, item: str) -> int:
    """Return whether a person finds the answer of a model to a question right."""
    return recorded()[arm, item]
