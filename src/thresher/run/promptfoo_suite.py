"""What a configuration of promptfoo asks: prompts × providers are the arms, test cases are the items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError
from thresher.run.arms import PlannedArm, arms_from_names
from thresher.run.importers import label_of
from thresher.run.measurement import MeasurementError
from thresher.run.promptfoo_program import Promptfoo

COMPARING = ("select-best", "max-score")  # assertions that compare all outputs for a case
SHOWN = 80  # characters of a description or of variables in the name of an item
ROW = re.compile(r"Row #\d+")  # the description that promptfoo gives to a line of a table
DIGITS = 6  # of the hash of a case in its name: an edited case is another item


@dataclass(frozen=True)
class PromptfooSuite:
    """The arms and items of a configuration.

    Parameters
    ----------
    arms : tuple of PlannedArm
        With the parameters ``prompt`` and ``provider``: the labels by which promptfoo chooses them.
    items : tuple of str
        The names of the test cases, in the order of the configuration.
    hashes : tuple of (str, str)
        Parts of the measurement besides the cases, such as the text of a prompt, with a hash of each.
    """

    arms: tuple[PlannedArm, ...]
    items: tuple[str, ...]
    hashes: tuple[tuple[str, str], ...]

    def number_of(self, item: str) -> int:
        """Return the position of a test case."""
        return self.items.index(item)


def read_suite(config: Path) -> PromptfooSuite:
    """Return what a configuration asks, as promptfoo itself reads it; no provider is called.

    Raises
    ------
    InvalidInputError
        If promptfoo is not installed or cannot read it, or its cases cannot be measured one at a time.
    """
    program = Promptfoo(config)
    try:
        written = program.run(None, lambda _: None)
    except MeasurementError as error:
        rule = f"cannot be read: promptfoo {error.reason}"
        raise InvalidInputError("promptfoo", str(config), rule=rule, fix="try promptfoo validate") from error
    if not written.cases:
        rule = "was not listed: this version of promptfoo does not run the extension"
        raise InvalidInputError("promptfoo", str(config), rule=rule, fix="type npm install promptfoo@latest")
    return suite_of(str(config), written.results["prompts"], written.cases)


def suite_of(place: str, prompts: Sequence[Mapping[str, Any]], listed: Mapping[str, Any]) -> PromptfooSuite:
    """Return the arms and items that promptfoo has listed; raise InvalidInputError if they cannot be told apart."""
    cases = listed["cases"]
    _check(place, listed)
    pairs = [{"prompt": str(one["label"]), "provider": str(one["provider"])} for one in prompts]
    for key in ("prompt", "provider"):
        _check_filters(place, key, {pair[key] for pair in pairs})
    names = [label_of(pair, ("prompt", "provider")) for pair in pairs]
    if repeated := [name for name, n in Counter(names).items() if n > 1]:
        rule = "must be unique among prompts × providers"
        raise InvalidInputError(f"{place}: arm", repeated[0], rule=rule, fix="give the prompts and providers labels")
    providers = {one["name"]: one["digest"] for one in listed["providers"]}
    arms = arms_from_names(names, pairs)
    hashes = [("defaultTest", str(listed["default"]))]
    hashes += [
        (f"arm {name}", f"{one['id'][:16]} {providers.get(one['provider'], '')}")
        for name, one in zip(names, prompts, strict=True)
    ]
    return PromptfooSuite(tuple(arms), tuple(_names_of(cases)), tuple(hashes))


def _check(place: str, listed: Mapping[str, Any]) -> None:
    """Raise unless every case can be measured by itself, for every prompt and provider."""
    alone = "must be measured one at a time"
    if listed["scenarios"]:
        raise InvalidInputError(f"{place}: scenarios", listed["scenarios"], rule="must be written as tests")
    if not listed["cases"]:
        raise InvalidInputError(f"{place}: tests", rule="every prompt needs cases to answer", fix="add tests")
    for i, case in enumerate(listed["cases"], start=1):
        where = f"{place}: test case {i}"
        if case["filtered"]:
            rule = "must be for every prompt and provider: it has prompts, providers or provider of its own"
            raise InvalidInputError(where, _text_of(case), rule=rule, fix="move it to another configuration")
        if comparing := set(COMPARING).intersection(case["assertions"]):
            raise InvalidInputError(where, min(comparing), rule=f"{alone}: this assertion compares several outputs")
        if case["stored"]:
            raise InvalidInputError(where, "storeOutputAs", rule=f"{alone}: others need its output")


def _check_filters(place: str, key: str, labels: set[str]) -> None:
    """Raise if promptfoo would take one label for another: ``a`` chooses ``a:b`` too, and ``*`` is a wildcard."""
    for label in labels:
        if "*" in label or any(other.startswith(f"{label}:") for other in labels):
            rule = "must not contain '*', nor be the beginning of another one up to a colon"
            raise InvalidInputError(f"{place}: label of a {key}", label, rule=rule, fix="give it another label")


def _names_of(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a name for each case: what it is about, and a hash, so that an edited case is another one."""
    names = [f"{_text_of(case)} ({case['digest'][:DIGITS]})" for case in cases]
    seen = Counter[str]()
    for i, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:  # the same case again
            names[i] = f"{name} {seen[name]}"
    return names


def _text_of(case: Mapping[str, Any]) -> str:
    variables = case["vars"]
    values = [*variables.values()] if len(variables) == 1 else [f"{key}={value}" for key, value in variables.items()]
    description = "" if ROW.fullmatch(case["description"]) else case["description"]
    text = label_of({"text": description or " ".join(map(str, values)) or "case"}, ("text",))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
