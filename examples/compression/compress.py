"""The job: compress the same 128 KiB of text with one codec at one level."""

import bz2
import functools
import lzma
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


def measure(_arm: str, codec: str, level: str, memory: str) -> int:
    """Compress the text once and return the compressed size; `thresher run` measures the duration."""
    if codec == "zlib":
        squeeze = zlib.compressobj(int(level), memLevel=int(memory))
        return len(squeeze.compress(text()) + squeeze.flush())
    if codec == "bz2":
        return len(bz2.compress(text(), int(level)))
    return len(lzma.compress(text(), preset=int(level)))
