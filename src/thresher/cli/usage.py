"""Usage errors in the words of every other error: which option, what was given, the rule."""

from __future__ import annotations

from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand

from thresher.errors import InvalidInputError

# What a value must be, by the kind of fault that Typer's validation finds.
RULES = {
    "float_parsing": "must be a number",
    "int_parsing": "must be a whole number",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
}
ONCE = {"--from", "--import", "--arms", "--arms-file", "--arms-glob", "--items", "--pilot"}


class OnceCommand(TyperCommand):
    """A command that refuses two files or imports where it takes one; of other options the last value stands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        for option, times in Counter(given).items():
            if times > 1 and not ONCE.isdisjoint(option.opts):
                raise typer.BadParameter(f"{option.opts[0]} is given {times} times; give it once")
        return super().parse_args(ctx, args)


def usage_sentence(error: Any) -> str:
    """Return the sentence of a usage error."""
    faults: list[Any] = getattr(error.__cause__, "errors", list)()
    if faults and (rule := RULES.get(faults[0]["type"])):
        where = max((*error.param.opts, *error.param.secondary_opts), key=len)
        return str(InvalidInputError(where, _given(faults[0]["input"]), rule=rule.format(**faults[0].get("ctx", {}))))
    sentence: str = getattr(error, "format_message", error.__str__)()
    return sentence.removeprefix("Invalid value: ")


def _given(value: Any) -> Any:
    """Return a value as it was typed: a number is not quoted."""
    return value if not isinstance(value, str) or not value.lstrip("-").isdigit() else int(value)
