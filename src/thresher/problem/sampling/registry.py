"""The sampling of a question."""

from __future__ import annotations

from functools import cache

from thresher import registries
from thresher.problem.sampling.independent import IndependentSampling
from thresher.problem.sampling.sampling import Sampling
from thresher.problem.structure import Structure

INDEPENDENT = IndependentSampling()


@cache
def _kinds() -> list[type[Sampling]]:
    return [registries.class_of(kind) for kind in registries.SAMPLINGS.values()]


def sampling_of(structure: Structure | None) -> Sampling:
    """Return how outcomes are drawn, given the structure of a question: in the first way that fits it."""
    return next(sampling for kind in _kinds() if (sampling := kind.of(structure)) is not None)
