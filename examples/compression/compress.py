"""The job: compress the same 128 KiB of text with one codec at one level, and compare its time with zlib's default."""

import bz2
import functools
import lzma
import time
import zlib

import numpy as np

SIZE = 1 << 17


@functools.cache
def text() -> bytes:
    """Return random words that compress about as well as prose; the same in every process."""
    draw = np.random.default_rng(1)
    words = ["".join(draw.choice(list("etaoinshrdlucmfwyp"), size)) for size in draw.integers(2, 10, 2000)]
    weights = 1.0 / np.arange(1, len(words) + 1)
    return " ".join(draw.choice(words, SIZE // 4, p=weights / weights.sum())).encode()[:SIZE]


text()  # create the text on import, outside the measured time


def compress(codec: str, level: str, memory: str) -> bytes:
    """Return the compressed text."""
    if codec == "zlib":
        squeeze = zlib.compressobj(int(level), memLevel=int(memory))
        return squeeze.compress(text()) + squeeze.flush()
    if codec == "bz2":
        return bz2.compress(text(), int(level))
    return lzma.compress(text(), preset=int(level))


def seconds(codec: str = "zlib", level: str = "6", memory: str = "8") -> float:
    """Return the processor time of one compression; of zlib at its default level unless told."""
    started = time.process_time()
    compress(codec, level, memory)
    return time.process_time() - started


def measure(_arm: str, codec: str, level: str, memory: str) -> float:
    """Return how many times as long as zlib's default level a setting takes.

    The default is measured just before and just after: a machine that becomes slower or faster meanwhile changes both.
    """
    before = seconds()
    own = seconds(codec, level, memory)
    return own / (0.5 * (before + seconds()))
