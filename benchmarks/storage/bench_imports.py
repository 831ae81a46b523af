"""Processor time and peak memory of ``thresher tell --from``: a table without keys, and one with keys.

Each import is a process of its own, with a database of its own on the disk. ``--before`` names a checkout of an earlier
version, which is measured in the same run, one import after the other:

    python -m benchmarks.storage.bench_imports --lines 1000000 --keyed 20000 --before ../thresher-before
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ARMS = 50


def write_table(path: Path, lines: int) -> None:
    """Write a table with one 0/1 outcome of one of fifty arms on each line, and a number that tells lines apart."""
    rng = random.Random(lines)
    with path.open("w") as file:
        file.write("arm,outcome,run\n")
        file.writelines(f"arm {rng.randrange(ARMS)},{rng.randrange(2)},{i}\n" for i in range(lines))


def measure(source: Path, table: Path, *options: str) -> tuple[float, float]:
    """Return the processor time in seconds and the peak memory in MB of an import by a checkout."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "thresher", "tell", "runs", "--from", str(table), *options]
        command += ["--create", "--bar", "0.5", "--budget", "1000", "--db", f"sqlite:///{folder}/runs.db", "--json"]
        environment = os.environ | {"PYTHONPATH": str(source / "src")}
        child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def main() -> None:
    """Print a row for each import."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--keyed", type=int, default=2000)
    parser.add_argument("--before", type=Path)
    given = parser.parse_args()
    checkouts = {"before": given.before} if given.before else {}
    checkouts["now"] = Path(__file__).parents[2]
    print("| import | version | processor time | lines a second | peak memory |\n|---|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        warm_up = Path(folder) / "warm-up.csv"
        write_table(warm_up, ARMS)
        for what, lines, options in (("whole lines", given.lines, ()), ("keys", given.keyed, ("--key-column", "run"))):
            table = Path(folder) / "runs.csv"
            write_table(table, lines)
            for version, source in checkouts.items():
                measure(source, warm_up, *options)  # compile
                seconds, memory = measure(source, table, *options)
                print(f"| {lines:,} {what} | {version} | {seconds:.1f} s | {lines / seconds:,.0f} | {memory:,.0f} MB |")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
