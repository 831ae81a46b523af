"""Random streams: known words, the right distributions, a separate stream for every arm of every run."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from scipy import stats

from tests.support.contracts.strategies import seeds
from thresher import streams
from thresher.jit import plain
from thresher.streams import (
    arm_key,
    beta,
    gamma,
    mix,
    normal,
    open_uniform,
    run_key,
    shuffle_on,
    shuffled,
    uniform,
    word_at,
)
from thresher.types import Floats

FALSE_ALARM = 1e-6  # of each of the tests below that look at random numbers; the seeds are fixed
KEY = np.uint64(2024)


@njit
def normals(key: np.uint64, n: int) -> Floats:
    return np.array([normal(word_at(key, i)) for i in range(n)])


@njit
def uniforms(key: np.uint64, n: int) -> Floats:
    return np.array([uniform(word_at(key, i)) for i in range(n)])


@njit
def betas(key: np.uint64, n: int, a: float, b: float) -> Floats:
    return np.array([beta(word_at(key, i), a, b) for i in range(n)])


@njit
def gammas(key: np.uint64, n: int, shape: float) -> Floats:
    return np.array([gamma(word_at(key, i), shape) for i in range(n)])


def assert_drawn_from(sample: Floats, cdf: Callable[[Floats], Floats]) -> None:
    """Hold a sample against a distribution, in the middle (Kolmogorov-Smirnov) and in 50 cells (chi squared)."""
    assert stats.kstest(sample, cdf).pvalue > FALSE_ALARM / 2
    cells = np.bincount(np.minimum((cdf(sample) * 50).astype(int), 49), minlength=50)
    assert stats.chisquare(cells).pvalue > FALSE_ALARM / 2


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]),
        (1234567, [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]),
    ],
)
def test_the_words_are_those_of_splitmix64(key: int, words: list[int]) -> None:
    assert [int(word_at(np.uint64(key), place)) for place in range(4)] == words


@pytest.mark.parametrize(("a", "b"), [(2.0, 3.0), (0.5, 0.5)])
def test_interpreted_numbers_have_the_same_bits(a: float, b: float) -> None:
    words = [np.uint64(word_at(KEY, i)) for i in range(300)]
    with np.errstate(over="ignore"):  # words wrap around
        interpreted = [plain(beta)(word, a, b) for word in words]
    assert interpreted == [beta(word, a, b) for word in words]


def test_uniform_numbers_use_the_upper_bits() -> None:
    assert uniform(np.uint64(0)) == 0.0
    assert uniform(np.uint64(2**63)) == 0.5
    assert uniform(np.uint64(2**64 - 1)) == 1.0 - 2.0**-53
    assert open_uniform(np.uint64(0)) == 2.0**-53
    assert 0.0 < open_uniform(np.uint64(2**64 - 1)) < 1.0


def test_the_layers_of_the_ziggurat_have_one_area() -> None:
    edges, densities = streams.EDGES, streams.DENSITIES
    areas = edges[1:-1] * np.diff(densities)[1:]
    base = edges[1] * densities[1] + math.sqrt(math.pi / 2) * math.erfc(edges[1] / math.sqrt(2))
    np.testing.assert_allclose(areas[:-1], base, rtol=1e-10)
    assert areas[-1] == pytest.approx(base, rel=1e-6)  # the top closes where the published edge says so
    assert edges[0] * densities[1] == pytest.approx(base)


def test_normal_numbers_are_normal() -> None:
    sample = normals(KEY, 400_000)
    assert_drawn_from(sample, stats.norm.cdf)
    # The tail has a method of its own: 0.0258 % lie beyond 3.654, on either side.
    for side in (sample, -sample):
        beyond = side[side > streams.TAIL]
        assert stats.binomtest(beyond.size, sample.size, stats.norm.sf(streams.TAIL)).pvalue > FALSE_ALARM
        assert stats.kstest(stats.norm.sf(beyond) / stats.norm.sf(streams.TAIL), "uniform").pvalue > FALSE_ALARM


def test_a_wedge_is_filled_as_the_density_says() -> None:
    # Between the edges of a layer its neighbours' wedges meet; a wrong comparison there leaves steps of a per cent.
    sample = np.abs(normals(np.uint64(7), 2_000_000))
    edges = np.concatenate([streams.EDGES[1:][::-16], [streams.TAIL]])
    counts, _ = np.histogram(sample, np.unique(edges))
    expected = np.diff(2 * stats.norm.cdf(np.unique(edges)))
    inside = counts.sum()
    assert stats.chisquare(counts, expected / expected.sum() * inside).pvalue > FALSE_ALARM


def test_uniform_numbers_are_uniform() -> None:
    assert_drawn_from(uniforms(KEY, 400_000), stats.uniform.cdf)


@pytest.mark.parametrize("shape", [0.05, 0.7, 1.0, 3.0, 40.0])
def test_gamma_numbers_have_their_shape(shape: float) -> None:
    assert_drawn_from(gammas(KEY, 40_000, shape), stats.gamma(shape).cdf)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (1.0, 1.0), (0.7, 1.3), (2.0, 8.0), (0.05, 3.0)])
def test_beta_numbers_have_their_shapes(a: float, b: float) -> None:
    assert_drawn_from(betas(KEY, 40_000, a, b), stats.beta(a, b).cdf)


def test_tiny_shapes_put_all_mass_on_the_ends() -> None:
    ends = betas(KEY, 2000, 1e-320, 3e-320)
    assert set(ends.tolist()) == {0.0, 1.0}
    # 3 in 4 at 0: off by more than 5 standard deviations once in 1.7 million.
    assert abs(ends.mean() - 0.25) < 5 * math.sqrt(0.25 * 0.75 / 2000)


@given(seed=seeds)
def test_every_arm_of_every_run_has_a_stream_of_its_own(seed: int) -> None:
    keys = {int(arm_key(np.uint64(run_key(seed, run)), arm)) for run in range(8) for arm in range(50)}
    assert len(keys) == 8 * 50


@pytest.mark.parametrize("other", [(5, 0, 1), (5, 1, 0), (6, 0, 0)], ids=["next arm", "next run", "next seed"])
def test_neighbouring_streams_know_nothing_of_each_other(other: tuple[int, int, int]) -> None:
    def stream(seed: int, run: int, arm: int) -> Floats:
        return normals(np.uint64(arm_key(np.uint64(run_key(seed, run)), arm)), 100_000)

    first, second = stream(5, 0, 0), stream(*other)
    for lag in (0, 1):
        product = first[: first.size - lag] * second[lag:]
        # Products of independent normal numbers have variance 1: five standard deviations, once in 1.7 million.
        assert abs(product.mean()) < 5 / math.sqrt(product.size)


def test_the_words_of_a_stream_know_nothing_of_each_other() -> None:
    sample = normals(KEY, 400_000)
    for lag in (1, 2, 7, 256):
        product = sample[:-lag] * sample[lag:]
        assert abs(product.mean()) < 5 / math.sqrt(product.size)  # as above


def test_mixing_is_one_to_one_on_neighbours() -> None:
    assert len({int(mix(np.uint64(word))) for word in range(1000)}) == 1000


@given(key=st.integers(0, 2**64 - 1), size=st.integers(1, 60))
def test_a_shuffle_is_a_permutation(key: int, size: int) -> None:
    assert sorted(shuffled(np.uint64(key), place, size) for place in range(size)) == list(range(size))


def test_all_orders_of_four_are_equally_likely() -> None:
    orders = [tuple(shuffled(np.uint64(mix(np.uint64(key))), place, 4) for place in range(4)) for key in range(9600)]
    _, counts = np.unique([hash(order) for order in orders], return_counts=True)
    assert counts.size == 24
    assert stats.chisquare(counts).pvalue > FALSE_ALARM


def test_the_start_of_a_shuffle_is_a_sample_without_replacement() -> None:
    # 12 ones among 30, the first 10 of the shuffle: hypergeometric.
    sums = [sum(shuffled(np.uint64(mix(np.uint64(key))), place, 30) < 12 for place in range(10)) for key in range(4000)]
    expected = stats.hypergeom(30, 12, 10).pmf(np.arange(11)) * 4000
    counts = np.bincount(sums, minlength=11)
    middle = slice(1, 8)  # cells with at least five expected
    both = [np.append(x[middle], x.sum() - x[middle].sum()) for x in (counts, expected)]
    assert stats.chisquare(both[0], both[1]).pvalue > FALSE_ALARM


@given(key=st.integers(0, 2**64 - 1), size=st.integers(1, 200), first=st.integers(0, 199), many=st.integers(0, 40))
def test_things_shuffled_together_go_where_each_goes_alone(key: int, size: int, first: int, many: int) -> None:
    places = np.empty(min(many, max(size - first, 0)), np.uint64)
    shuffle_on(np.uint64(key), first, size, places)
    assert places.tolist() == [shuffled(np.uint64(key), first + j, size) for j in range(places.size)]
