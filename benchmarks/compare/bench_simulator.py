"""The simulator and other libraries, in one run: what a pull costs, first calls and later ones, a table and a plot.

    python -m benchmarks.compare.bench_simulator --out out/bench

Other libraries are installed from PyPI, each into an environment of its own (`.env-NAME`); one that cannot be
installed is left out with a sentence.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from thresher.report.picture_style import line_styles
from thresher.research.simulation.bench import bench

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
PEERS = {"SMPyBandits (APT)": "smpybandits_apt.py", "MABWiser (UCB1)": "mabwiser_ucb.py"}
FIRST_CALL = ["simulate", "linear", "--policy", "stopping", "--budget", "100", "--runs", "1", "--json"]


def python_of(name: str) -> Path:
    """Return the interpreter of a peer's own environment, made when it is not there."""
    folder = CHECKOUT / f".env-{name}"
    if not (folder / "installed").exists():
        venv.create(folder, with_pip=True, clear=True)
        wanted = HERE / f"requirements-{name}.txt"
        install = ["-m", "pip", "install", "-qq", "--disable-pip-version-check", "-r", str(wanted)]
        subprocess.run([folder / "bin" / "python", *install], check=True)
        (folder / "installed").touch()
    return folder / "bin" / "python"


def peer_pull_ns() -> dict[str, float]:
    """Return what a pull takes in other libraries, in nanoseconds."""
    found = {}
    for peer, script in PEERS.items():
        try:
            python = python_of(script.split("_")[0])
            answer = subprocess.run([python, HERE / script], check=True, capture_output=True, text=True)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"{peer} is left out: {error}", file=sys.stderr)
            continue
        found[peer] = float(answer.stdout.splitlines()[-1])
    return found


def call_seconds() -> dict[str, float]:
    """Return how long a tiny `thresher simulate` takes, all of the process, with an empty cache and with a full one."""
    thresher = [str(Path(sys.executable).parent / "thresher"), *FIRST_CALL]
    with tempfile.TemporaryDirectory() as cache:
        times = []
        for _ in range(4):
            start = time.perf_counter()
            subprocess.run(thresher, check=True, capture_output=True, env=os.environ | {"NUMBA_CACHE_DIR": cache})
            times.append(time.perf_counter() - start)
    return {"first call after installation": times[0], "later calls": min(times[1:])}


def rows_of(found: dict[str, Any]) -> list[tuple[str, float]]:
    """Return every way to pull an arm of fifty with its nanoseconds, the slowest first."""
    ours = {f"thresher ({name})": row["50"] for name, row in found["pull_ns"].items()}
    others = found["peer_pull_ns"] | {
        "NumPy loop, all indices (lsa)": found["argmin_pull_ns"]["50"],
        "NumPy over 500 runs (lsa)": found["vectorised_pull_ns"]["50"],
    }
    draws = {"one Gaussian draw": found["draw_ns"], "one draw of thresher's streams": found["own_draw_ns"]}
    rows = [*others.items(), *ours.items(), *draws.items()]
    return sorted(rows, key=lambda row: -row[1])


def draw_plot(found: dict[str, Any], file: Path) -> None:
    """Write a picture: a pull of fifty arms in every way, and thresher's pulls as the number of arms grows."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
    rows = rows_of(found)
    bars = left.barh([name for name, _ in rows], [ns / found["draw_ns"] for _, ns in rows])
    for bar, (name, _) in zip(bars, rows, strict=True):
        bar.set_color("#00796b" if name.startswith("thresher") else "#9e9e9e")
    left.bar_label(bars, fmt=lambda ratio: f"{ratio:,.0f}" if ratio > 100 else f"{ratio:.1f}", padding=3)
    left.set(xscale="log", xlabel="one pull, in Gaussian draws (log scale)", title="50 arms")
    left.set_xlim(right=left.get_xlim()[1] * 8)
    left.invert_yaxis()
    styles = line_styles(found["pull_ns"])
    for name, row in found["pull_ns"].items():
        ratios = [ns / found["draw_ns"] for ns in row.values()]
        right.plot([int(k) for k in row], ratios, marker=styles[name].marker, color=styles[name].colour, label=name)
    right.set(xscale="log", xlabel="arms", ylabel="one pull, in Gaussian draws", title="any number of arms", ylim=0)
    right.legend(frameon=False, reverse=True, loc="center left", bbox_to_anchor=(1.0, 0.5))
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=110)


def main() -> None:
    """Measure, print the table, write the JSON document and the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/bench"), help="folder for the JSON document and the plot")
    folder = parser.parse_args().out
    found = bench() | {"peer_pull_ns": peer_pull_ns(), "call_s": call_seconds()}
    draw_plot(found, folder / "simulator.png")
    (folder / "simulator.json").write_text(json.dumps(found, indent=1))
    print(f"{'one pull, 50 arms':32} {'ns':>12} {'draws':>10} {'over lsa':>10}")
    for name, ns in rows_of(found):
        print(f"{name:32} {ns:12,.1f} {ns / found['draw_ns']:10,.2f} {ns / found['pull_ns']['lsa']['50']:10,.2f}")
    for ratio in ("pull / draw", "pull / own draw"):
        print(f"\n{ratio:16}" + "".join(f"{int(k):>12,}" for k in found["pull_ns"]["lsa"]) + " arms")
        for name, row in found["ratios"][ratio].items():
            print(f"{name:16}" + "".join(f"{value:12.2f}" for value in row.values()))
    print(f"\ntwo threads / one: {found['ratios']['two threads / one']:.2f}")
    print(f"the paper's experiment: {found['paper_experiment_s']:.2f} s")
    for name, seconds in found["call_s"].items():
        print(f"{name}: {seconds:.1f} s")
    print(f"\nin {folder}: simulator.json, simulator.png")


if __name__ == "__main__":
    main()
