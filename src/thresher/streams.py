r"""Random streams: the outcome of a pull depends on (seed, run, arm, number of the pull) alone.

The words are those of SplitMix64 :cite:p:`steele2014`: a counter, stepped by the golden ratio and mixed. No state is
carried from one pull to the next. So all policies, engines and machines use common random numbers, and a pull can be
computed without those before it. Where one word is not enough (a rejection of the ziggurat, a Beta variate), further
words come from a stream that starts at the word of the pull.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from thresher.jit import Whole, formula, kernel, likely
from thresher.types import Floats, Words

Word: TypeAlias = int | np.uint64

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
CHOICES = 1 << 41  # the "arm" whose stream makes the random choices of a policy; beyond the number of any real arm
RETURNS = CHOICES + 1  # the "arm" whose stream draws which outstanding pull returns next

LAYERS = 256
TAIL = 3.6541528853610088  # where the ziggurat's base layer ends and the tail begins


def _layers() -> tuple[Floats, Floats]:
    """Return the right edges of the ziggurat's layers and the density there :cite:p:`marsaglia2000`, shape (257,)."""
    density = math.exp(-0.5 * TAIL * TAIL)
    area = TAIL * density + math.sqrt(math.pi / 2) * math.erfc(TAIL / math.sqrt(2))
    edges = np.zeros(LAYERS + 1)
    edges[0], edges[1] = area / density, TAIL
    for i in range(2, LAYERS):
        edges[i] = math.sqrt(-2.0 * math.log(area / edges[i - 1] + math.exp(-0.5 * edges[i - 1] ** 2)))
    return edges, np.exp(-0.5 * edges**2)


EDGES, DENSITIES = _layers()
SCALES = np.ascontiguousarray(EDGES[:LAYERS] * 2.0**-52)  # from 53 random bits, the first the sign, to an abscissa


@formula
def mix(word: Word) -> Word:
    """Return a word with mixed bits (the finaliser of SplitMix64)."""
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    return word ^ (word >> np.uint64(31))


@kernel
def run_key(seed: int, run: int) -> Word:
    """Return the key of one run."""
    return mix(mix(np.uint64(seed) + GOLDEN) + np.uint64(run) * GOLDEN + GOLDEN)


@formula
def arm_key(key: Word, arm: int) -> Word:
    """Return the key of one arm's stream in the run of that key."""
    return mix(np.uint64(key) + (np.uint64(arm) + _ONE) * GOLDEN)


@formula
def word_at(key: Word, place: Whole) -> Word:
    """Return the word at a position (0, 1, 2, …) of a stream: 64 random bits."""
    return mix(np.uint64(key) + (np.uint64(place) + _ONE) * GOLDEN)


@formula
def uniform(word: Word) -> float:
    """Return a number in [0, 1) from 53 bits of a word."""
    return np.float64(word >> np.uint64(11)) * 2.0**-53


@formula
def open_uniform(word: Word) -> float:
    """Return a number in (0, 1) from 52 bits of a word."""
    return (np.float64(word >> np.uint64(12)) + 0.5) * 2.0**-52


@formula
def normal(word: Word) -> float:
    """Return a standard normal number, by the ziggurat of 256 layers :cite:p:`marsaglia2000`.

    The low eight bits choose the layer, the upper 53 the place in it and the sign: a layer reaches from minus to plus
    its edge.
    """
    layer = np.int64(word & np.uint64(255))
    place = np.float64(np.int64(word) >> np.int64(11)) * SCALES[layer]
    if likely(abs(place) < EDGES[layer + 1]):
        return float(place)
    return _outside_the_core(word, layer, place)


@kernel
def _outside_the_core(word: Word, layer: Whole, place: float) -> float:
    """Return a normal number whose first proposal is in a wedge or the tail (about one in a hundred)."""
    spare = np.int64(0)
    while True:
        if layer == 0:
            return math.copysign(_tail(word, spare), place)
        height = uniform(word_at(word, spare))
        if DENSITIES[layer] + height * (DENSITIES[layer + 1] - DENSITIES[layer]) < math.exp(-0.5 * place * place):
            return place
        again = word_at(word, spare + 1)
        spare += 2
        layer = np.int64(again & np.uint64(255))
        place = np.float64(np.int64(again) >> np.int64(11)) * SCALES[layer]
        if abs(place) < EDGES[layer + 1]:
            return place


@kernel
def _tail(word: Word, spare: Whole) -> float:
    """Return a normal number beyond the base layer (Marsaglia's method for the tail)."""
    while True:
        across = -math.log(open_uniform(word_at(word, spare))) / TAIL
        up = -math.log(open_uniform(word_at(word, spare + 1)))
        if up + up > across * across:
            return TAIL + across
        spare += 2


@kernel
def gamma(word: Word, shape: float) -> float:
    """Return a gamma number of the given shape and scale 1, from the stream that starts at a word.

    Marsaglia and Tsang's method without the squeeze step for shapes of at least 1. For smaller shapes, the number for
    shape + 1 is multiplied by a power of a uniform number.
    """
    boost = 1.0
    if shape < 1.0:
        boost = open_uniform(word_at(word, 0)) ** (1.0 / shape)
        shape += 1.0
    centre = shape - 1.0 / 3.0
    spare = 1
    while True:
        step = normal(word_at(word, spare))
        root = 1.0 + step / math.sqrt(9.0 * centre)
        cube = root * root * root  # not `** 3`, of which Python has other last bits than compiled code
        level = open_uniform(word_at(word, spare + 1))
        if cube > 0.0 and math.log(level) < 0.5 * step * step + centre - centre * cube + centre * math.log(cube):
            return boost * centre * cube
        spare += 2


@kernel
def beta(word: Word, a: float, b: float) -> float:
    """Return a Beta(a, b) number from the stream that starts at a word."""
    first = gamma(word_at(word, 0), a)
    second = gamma(word_at(word, 1), b)
    whole = first + second
    if whole > 0.0:
        return first / whole
    return 1.0 if uniform(word) < a / (a + b) else 0.0  # both underflowed: tiny shapes put all mass on the ends


@formula
def _rounds(size: Whole) -> int:
    """Return the number of rounds of a shuffle of this size."""
    rounds = 8
    while (size >> (rounds // 8)) > 0:
        rounds += 8
    return rounds


@formula
def _moved(here: Word, whole: Word, point: Word, coins: Word) -> Word:
    """Return where a round of the shuffle puts the thing at a place."""
    mirror = point - here if point >= here else point + whole - here
    coin = mix(coins + max(here, mirror) * GOLDEN)
    return mirror if coin & _ONE else here


@kernel
def shuffled(key: Word, place: int, size: int) -> int:
    """Return the image of ``place`` under a random permutation of 0 … ``size - 1``, without storing the permutation.

    The swap-or-not shuffle :cite:p:`hoang2012`: in each round a position and its mirror image about a random point are
    swapped if a random bit that both share is 1.
    """
    here: Word = np.uint64(place)
    whole = np.uint64(size)
    for i in range(_rounds(size)):
        here = _moved(here, whole, word_at(key, 2 * i) % whole, word_at(key, 2 * i + 1))
    return int(np.int64(here))


@kernel
def unshuffled(key: Word, thing: int, size: int) -> int:
    """Return the place whose image under the permutation of :func:`shuffled` is ``thing``."""
    here: Word = np.uint64(thing)
    whole = np.uint64(size)
    for i in range(_rounds(size) - 1, -1, -1):
        here = _moved(here, whole, word_at(key, 2 * i) % whole, word_at(key, 2 * i + 1))
    return int(np.int64(here))


@kernel
def shuffle_on(key: Word, first: Whole, size: Whole, places: Words) -> None:
    """Fill in where the permutation of :func:`shuffled` puts the things from ``first`` on.

    A thing in a block of 32 takes a twentieth of the time of one alone: the processor moves several at once.
    """
    whole = np.uint64(size)
    for j in range(places.size):
        places[j] = np.uint64(first + j)
    for i in range(_rounds(size)):
        point, coins = word_at(key, 2 * i) % whole, word_at(key, 2 * i + 1)
        for j in range(places.size):
            places[j] = _moved(places[j], whole, point, coins)


@kernel
def uniform_table(seed: int, rows: int, columns: int) -> Floats:
    """Return numbers from [0, 1) that depend on the seed alone, shape (rows, columns)."""
    table = np.empty((rows, columns))
    for row in range(rows):
        key = arm_key(run_key(seed, 0), row)
        for column in range(columns):
            table[row, column] = uniform(word_at(key, column))
    return table
