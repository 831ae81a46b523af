"""Print the directory that Numba's compiled code belongs in: `.cache/numba/` and a hash of the sources.

Numba reuses a compiled function as long as the one file that defines it is unchanged; an edit in another file, or in
data that was compiled in, goes unnoticed. A directory named by a hash of all that compiled code can come from, in
`src/thresher` and `reproduction/feasible`, cannot hold stale code. Tests, benchmarks, figures and `make run` all ask
here.
"""

import hashlib
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
# Packages that compile nothing, and that nothing which compiles may import: an edit there keeps the cache.
NEVER_COMPILED = {
    "storage", "report", "live", "runner", "service", "papers", "dashboard", "cli", "pytest_plugin", "inspect_ai",
    "testing",
}  # fmt: skip
_NOT_SOURCES = {"__pycache__"}


def cache_directory(checkout: Path = CHECKOUT) -> Path:
    """Return `.cache/numba/<hash>` of a checkout; the hash covers name and content of every file that counts."""
    digest = hashlib.sha256()
    for package in (checkout / "src" / "thresher", checkout / "reproduction" / "feasible"):
        for path in sorted(package.rglob("*")):
            name = path.relative_to(package)
            if path.is_file() and name.parts[0] not in NEVER_COMPILED and not _NOT_SOURCES.intersection(name.parts):
                digest.update(name.as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return checkout / ".cache" / "numba" / digest.hexdigest()[:16]


if __name__ == "__main__":
    print(cache_directory())
