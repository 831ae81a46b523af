"""The kinds of sampling, one file each. To add one, write its file and add it to :mod:`thresher.registries`."""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.problem.sampling.certain import certain_side
    from thresher.problem.sampling.registry import INDEPENDENT, sampling_of
    from thresher.problem.sampling.repeats import LEAST, early_repeats, place_of, repeated_before, turn_at
    from thresher.problem.sampling.sampling import Sampling, ToldItems

import_lazily(__name__)

__all__ = [
    "INDEPENDENT",
    "LEAST",
    "Sampling",
    "ToldItems",
    "certain_side",
    "early_repeats",
    "place_of",
    "repeated_before",
    "sampling_of",
    "turn_at",
]
