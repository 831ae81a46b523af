"""The bar that the arms of a question are compared with, and their sides of it."""

from __future__ import annotations

import numpy as np

from thresher import registries
from thresher.inference.bars.bar import QuestionBar
from thresher.problem import Question, Statistics
from thresher.types import Floats, Ints


def bar_of(question: Question) -> QuestionBar:
    """Return the bar that the arms of a question are compared with."""
    found: QuestionBar = registries.class_of(registries.BARS[question.bar.name].inference)(question)
    return found


def sides_of(bar: QuestionBar, seen: Statistics, means: Floats) -> Ints:
    """Return the verdict on each arm: the certain side, else that of the mean; 0 where nothing was told."""
    certain = bar.certain(seen)
    return np.where(certain != 0, certain, bar.sides(means))
