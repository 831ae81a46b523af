"""The kinds of sampling, one file each. To add one, write its file and add it to :func:`sampling_of`."""

from thresher.problem.sampling.certain import certain_side
from thresher.problem.sampling.independent import IndependentSampling
from thresher.problem.sampling.items import ItemSampling
from thresher.problem.sampling.pool import PoolSampling
from thresher.problem.sampling.population import PopulationSampling
from thresher.problem.sampling.repeated import RepeatedSampling
from thresher.problem.sampling.sampling import Sampling, ToldItems
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


__all__ = ["INDEPENDENT", "Sampling", "ToldItems", "certain_side", "sampling_of"]
