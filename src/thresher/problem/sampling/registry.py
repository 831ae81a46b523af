"""The sampling of a question."""

from __future__ import annotations

from thresher.problem.sampling.independent import IndependentSampling
from thresher.problem.sampling.items import ItemSampling
from thresher.problem.sampling.pool import PoolSampling
from thresher.problem.sampling.population import PopulationSampling
from thresher.problem.sampling.repeated import RepeatedSampling
from thresher.problem.sampling.sampling import Sampling
from thresher.problem.structure import POPULATION, Structure

INDEPENDENT = IndependentSampling()


def sampling_of(structure: Structure | None) -> Sampling:
    """Return how outcomes are drawn, given the structure of a question."""
    if structure is None:
        return INDEPENDENT
    if structure.repeats > 1:
        return RepeatedSampling(structure)
    if structure.target == POPULATION:
        return PopulationSampling(structure)
    return (PoolSampling if structure.items is None else ItemSampling)(structure)
