"""The environment variables of a measurement: no credentials, and the arm with its parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

CREDENTIALS = ("THRESHER_TOKEN", "THRESHER_DB")  # a measurement needs neither the token nor the database's password


def variable_of(name: str) -> str:
    """Return the name of the environment variable with a placeholder's value."""
    return "THRESHER_ARM" if name == "arm" else f"THRESHER_PARAMETER_{name.upper()}"


def environment_of(arm: str, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment of a command."""
    inherited = {name: value for name, value in os.environ.items() if name not in CREDENTIALS}
    values = {"arm": arm, **parameters}
    return {**inherited, **{variable_of(name): str(value) for name, value in values.items()}}


def drop_credentials() -> None:
    """Remove the credentials from the environment of this process."""
    for name in CREDENTIALS:
        os.environ.pop(name, None)
