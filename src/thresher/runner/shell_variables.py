"""Variables of bash that another ``/bin/sh`` leaves empty: every measurement would see the same, without an error."""

from __future__ import annotations

import re
import subprocess
from functools import cache

from thresher.errors import InvalidInputError
from thresher.runner.placeholders import IN_SHELL

NAMES = ("RANDOM", "SRANDOM", "EPOCHREALTIME", "EPOCHSECONDS")
USED = {name: re.compile(rf"\$\{{?{name}\b|\$\(\([^)]*\b{name}\b") for name in NAMES}


def check_variables(command: str) -> None:
    """Check that a shell command reads no variable that only bash sets, where ``/bin/sh`` is another shell.

    Raises
    ------
    InvalidInputError
        If it does, outside single quotes, and does not set the variable itself.
    """
    read = IN_SHELL.sub(lambda match: "" if match[0].startswith(("'", "\\")) else match[0], command)
    for name, use in USED.items():
        if use.search(read) and f"{name}=" not in read and not _is_set(name):
            raise InvalidInputError(
                f"${name} in the command",
                rule="/bin/sh does not set it, so that every measurement would see the same",
                fix="let bash run the command: bash -c '…'",
            )


@cache
def _is_set(name: str) -> bool:
    script = ["/bin/sh", "-c", f'printf %s "${name}"']
    return bool(subprocess.run(script, capture_output=True, check=False).stdout)  # noqa: S603 - a constant
