"""The environment variables of a measurement: no credentials, the arm with its parameters, its item and its repeat."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

CREDENTIALS = ("THRESHER_TOKEN", "THRESHER_DB")  # a measurement needs neither the token nor the database's password
PARAMETER = "THRESHER_PARAMETER_"  # prefix of the variables with the parameters of an arm


def variable_of(name: str) -> str:
    """Return the name of the environment variable with a placeholder's value."""
    return f"THRESHER_{name.upper()}" if name in ("arm", "item", "repeat") else f"{PARAMETER}{name.upper()}"


def values_of(
    arm: str, parameters: Mapping[str, Any], item: str | None = None, repeat: int | None = None
) -> dict[str, Any]:
    """Return the values of the placeholders."""
    own = {key: value for key, value in (("item", item), ("repeat", repeat)) if value is not None}
    return {"arm": arm, **parameters, **own}


def environment_of(
    arm: str, parameters: Mapping[str, Any], item: str | None = None, repeat: int | None = None
) -> dict[str, str]:
    """Return the environment of a command."""
    inherited = {name: value for name, value in os.environ.items() if name not in CREDENTIALS}
    own = {f"{PARAMETER}{name.upper()}": str(value) for name, value in parameters.items()}
    named = {variable_of(name): str(value) for name, value in values_of(arm, parameters, item, repeat).items()}
    return {**inherited, **own, **named}


def drop_credentials() -> None:
    """Remove the credentials from the environment of this process."""
    for name in CREDENTIALS:
        os.environ.pop(name, None)
