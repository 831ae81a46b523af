"""How long `import thresher` and `thresher --help` take beside `import numpy`, in one run.

The figures to keep: `import thresher` at most 2 times, `thresher --help` at most 2.5 times `import numpy`.
"""

import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

ROUNDS = 15
COMMANDS = {
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import thresher": [sys.executable, "-c", "import thresher"],
    "thresher --help": [str(Path(sys.executable).parent / "thresher"), "--help"],
}
AT_MOST = {"import thresher": 2.0, "thresher --help": 2.5}


def seconds(command: list[str]) -> float:
    """Return how long one process takes."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def best() -> dict[str, float]:
    """Return the least time of each command; the rounds alternate, so that a busy machine slows all alike."""
    rounds = [{name: seconds(command) for name, command in COMMANDS.items()} for _ in range(ROUNDS + 1)]
    return {name: min(times[name] for times in rounds[1:]) for name in COMMANDS}


def main() -> None:
    """Print the table."""
    versions = f"Python {platform.python_version()}, numpy {version('numpy')}, {platform.machine()}"
    print(f"Start-up, best of {ROUNDS}: {versions}")
    times = best()
    for name, least in times.items():
        ratio = least / times["import numpy"]
        goal = f"   at most {AT_MOST[name]}" if name in AT_MOST else ""
        print(f"  {name:16} {1e3 * least:7.0f} ms {ratio:6.2f} x{goal}")


if __name__ == "__main__":
    main()
