"""What can be added by a file and a line here: families, bars, samplings, guarantees, and formats of logs.

Classes and modules are named and not imported, so that commands that need the names alone start fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple


class Registered(NamedTuple):
    """A registered kind: the module and the name of its class, and how a form describes it.

    `terms` are terms of a campaign that only kinds that name them use.
    """

    module: str
    name: str
    words: str
    terms: tuple[str, ...] = ()


class LogFormat(NamedTuple):
    """A format of the logs of other tools.

    Its module has ``recognises(document)`` and ``read(path, document)`` if it is JSON or JSON lines. A format with file
    endings of its own has ``read_eval(path, most_bytes)``, after the first of them.
    """

    module: str
    words: str  # who writes it, for people
    endings: tuple[str, ...] = ()
    is_json: bool = True


FAMILIES = {
    "gaussian": Registered(
        "thresher.problem.families.gaussian", "Gaussian", "a number with a known standard deviation", ("sigma_check",)
    ),
    "bernoulli": Registered("thresher.problem.families.bernoulli", "Bernoulli", "pass/fail (0 or 1)"),
    "bounded": Registered("thresher.problem.families.bounded", "Bounded", "a number in a known range", ("low", "high")),
    "gaussian-unknown-variance": Registered(
        "thresher.problem.families.unknown_variance", "UnknownVariance", "any number, such as a time"
    ),
    "two-point": Registered("thresher.problem.families.two_point", "TwoPoint", "one of two values"),
}
# Bars and samplings are asked in this order whether a question is of their kind.
BARS = {
    "control": Registered("thresher.inference.bars.control", "ControlBar", "the mean of a control"),
    "thresholds": Registered("thresher.inference.bars.fixed", "FixedBar", "known thresholds"),
}
SAMPLINGS = {
    "independent": Registered("thresher.problem.sampling.independent", "IndependentSampling", "independent draws"),
    "repeated": Registered("thresher.problem.sampling.repeated", "RepeatedSampling", "items asked several times"),
    "population": Registered("thresher.problem.sampling.population", "PopulationSampling", "items of a population"),
    "items": Registered("thresher.problem.sampling.items", "ItemSampling", "items that all arms share"),
    "pool": Registered("thresher.problem.sampling.pool", "PoolSampling", "a pool of each arm's own"),
}
GUARANTEES = {
    "calibrated": Registered(
        "thresher.inference.guarantees.calibrated", "Calibrated", "each decision, estimated from all arms"
    ),
    "anytime": Registered("thresher.inference.guarantees.anytime", "Anytime", "each arm, however often you look"),
    "fdr": Registered("thresher.inference.guarantees.fdr", "Fdr", "share of wrong decisions (FDR)"),
    "fwer": Registered("thresher.inference.guarantees.fwer", "Fwer", "any wrong decision at all (FWER)"),
}
# In the order in which they are tried: the last one takes any objects.
LOG_FORMATS = {
    "csv": LogFormat("thresher.run.importers.table", "CSV", ("csv", "tsv"), is_json=False),
    "parquet": LogFormat("thresher.run.importers.table", "Parquet", ("parquet",), is_json=False),
    "inspect": LogFormat("thresher.run.importers.inspect_ai", "inspect_ai", ("eval",)),
    "promptfoo": LogFormat("thresher.run.importers.promptfoo", "promptfoo"),
    "lm-eval": LogFormat("thresher.run.importers.lm_eval", "lm-evaluation-harness"),
    "label-studio": LogFormat("thresher.run.importers.label_studio", "Label Studio"),
    "json": LogFormat("thresher.run.importers.table", "JSON"),
}


def class_of(kind: Registered) -> Any:
    """Return a registered class."""
    return getattr(import_module(kind.module), kind.name)


def instances(kinds: dict[str, Registered]) -> dict[str, Any]:
    """Return an instance of each class, by name."""
    return {name: class_of(kind)() for name, kind in kinds.items()}
