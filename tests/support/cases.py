"""Many cases in one test: a test of its own for each costs more than the case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import pytest

Case = TypeVar("Case")


def check_each(cases: Mapping[str, Case], check: Callable[[Case], object]) -> None:
    """Check every case; raise a group of the errors of all cases that fail, each with the name of its case."""
    failures: list[BaseException] = []
    names: list[str] = []
    for name, case in cases.items():
        try:
            check(case)
        except (Exception, pytest.fail.Exception) as error:
            error.add_note(f"in the case {name!r}")
            failures.append(error)
            names.append(name)
    if failures:
        raise BaseExceptionGroup(f"{len(names)} of {len(cases)} cases failed: {', '.join(names)}", failures)
