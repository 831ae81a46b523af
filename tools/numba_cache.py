"""Print the directory that Numba's compiled code belongs in: `.cache/numba/` and a hash of the sources.

Numba reuses a compiled function as long as the one file that defines it is unchanged; an edit in another file, or in
data that was compiled in, goes unnoticed. A directory named by all of `src/thresher` cannot hold stale code. Tests,
benchmarks, figures and `make run` all ask here.
"""

import hashlib
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
_NOT_SOURCES = {"__pycache__"}


def cache_directory(checkout: Path = CHECKOUT) -> Path:
    """Return `.cache/numba/<hash>` of a checkout; the hash covers name and content of every file of the package."""
    package = checkout / "src" / "thresher"
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.is_file() and not _NOT_SOURCES.intersection(path.parts):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return checkout / ".cache" / "numba" / digest.hexdigest()[:16]


if __name__ == "__main__":
    print(cache_directory())
