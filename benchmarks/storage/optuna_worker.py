"""Optuna's ask and tell, in an environment of its own: for every line it reads, it answers how long a pair took."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any


def storage_of(optuna: Any, address: str) -> Any:
    """Return the storage at an address; ``journal:`` and a path is Optuna's file of its own."""
    if not address.startswith("journal:"):
        return optuna.storages.RDBStorage(address)
    backend = optuna.storages.journal.JournalFileBackend(address.removeprefix("journal:"))
    return optuna.storages.JournalStorage(backend)


def main(address: str) -> None:
    """Answer until the other end closes."""
    optuna = importlib.import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.RandomSampler(seed=1)  # the cheapest there is
    study = optuna.create_study(storage=storage_of(optuna, address), sampler=sampler, study_name="bench")
    arm = {"arm": optuna.distributions.IntDistribution(0, 99)}
    print("ready", flush=True)
    for _ in sys.stdin:
        study.tell(study.ask(arm), 0.0)  # as warm as the others
        begun = time.perf_counter()
        study.tell(study.ask(arm), 1.0)
        print(time.perf_counter() - begun, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
