"""Options in the words that were typed: each at most once, rates in per cent, errors that name the option."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
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
    "value_error": "{error}",
}
# Groups of options, in the order in which --help shows them.
QUESTION, ARMS, MEASURING, SPENDING = "The question", "The arms", "How to measure", "What to spend, and on which arm"
DECIDING, OUTPUT = "When an arm is decided", "Campaign and output"
PANELS = ("Arguments", QUESTION, ARMS, MEASURING, SPENDING, DECIDING, OUTPUT, "Options")
EVERYWHERE = ("--plugin", "--help")  # options of every command, without a group
WORDS = "thresher.words"  # where a context keeps the words that follow the command
SHELL_WORD = re.compile(r"""(?:[^\s"']|"[^"]*"|'[^']*')+""")


def rate(value: str | float) -> float:
    """Return a rate that was typed: a number, or per cent such as ``80%``; raise ValueError for anything else."""
    from thresher.problem import rate_in

    number = rate_in(value) if isinstance(value, str) else value
    if number is None:
        raise ValueError("must be a number, or per cent such as 80%")
    return number


#: The settings of an option whose value is a rate.
RATE: dict[str, Any] = {"parser": rate, "metavar": "<float>"}


class OnceCommand(TyperCommand):
    """A command that refuses a repeated option that takes one value, and names the option in its errors."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        args = spread_files(args)
        ctx.meta[WORDS] = list(args)
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        for param, times in Counter(given).items():
            if times > 1 and _is_option(param) and not param.multiple:
                raise typer.BadParameter(f"{typed_name(param, args)} is given {times} times; give it once")
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Click calls it so
        """Write the description, with examples that a shell reads as they stand."""
        for paragraph in inspect.cleandoc(self.help or "").split("\n\n"):
            formatter.write_paragraph()
            with formatter.indentation():
                if not paragraph.startswith(" "):
                    formatter.write_text(paragraph)
                    continue
                margin = " " * (formatter.current_indent + 4)
                for line in continued(paragraph.strip(), formatter.width - len(margin)):
                    formatter.write(f"{margin}{line}\n")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options by group; those without one are last."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in PANELS}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) is not None:
                own = getattr(param, "rich_help_panel", None)
                groups.setdefault(own or ("Options" if _is_option(param) else "Arguments"), []).append(record)
        if len(groups["Options"]) > len(EVERYWHERE):  # a command whose own options have no group
            groups = {"Arguments": groups.pop("Arguments"), "Options": groups.pop("Options")} | groups
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an error about the value of an option names the option."""
        try:
            return super().invoke(ctx)
        except InvalidInputError as error:
            raise _at_option(error, ctx) from error


def continued(command: str, room: int) -> Iterator[str]:
    """Yield a command in lines that fit, each but the last with the sign that it goes on."""
    line, sign = "", " \\"
    for word in SHELL_WORD.findall(command) if len(command) > room else [command]:
        if line and len(line) + 1 + len(word) + len(sign) > room:
            yield line + sign
            line = "  "
        line += word if not line.strip() else f" {word}"
    yield line


def typed_name(param: Any, words: Sequence[str]) -> str:
    """Return the long name by which an option was typed; its first one if it was typed by a letter, or not at all."""
    heads = {word.partition("=")[0] for word in words}
    names = [name for name in (*param.opts, *param.secondary_opts) if name.startswith("--")] or param.opts
    return str(next((name for name in names if name in heads), names[0]))


def _is_option(param: Any) -> bool:
    return bool(param.param_type_name == "option")


def _at_option(error: InvalidInputError, ctx: Any) -> InvalidInputError:
    """Return an error with the option instead of the name that the value has in Python.

    A value that was not typed keeps its name: it comes from a file, or is a default.
    """
    field, of_arm, _ = error.where.partition(" of arm ")
    param = next((param for param in ctx.command.params if _is_option(param) and param.name == field), None)
    if param is None:
        return error
    is_typed = ctx.get_parameter_source(param.name).name == "COMMANDLINE"
    if of_arm:  # the bar of an arm may be a cell of a file
        is_typed = is_typed and InvalidInputError("", ctx.params[param.name], rule="").value == error.value
    if is_typed or InvalidInputError("", rule="").value == error.value:
        return error.at(typed_name(param, ctx.meta[WORDS]))
    return error


def spread_files(args: Sequence[str]) -> list[str]:
    """Return arguments with ``--from`` before each of the files that follow it, as a shell expands ``--from *.csv``."""
    spread, is_file = list[str](), False
    for i, word in enumerate(args):
        is_value = i > 0 and args[i - 1] == "--from"
        is_named = is_value or word.startswith("--from=")
        is_file = is_named or (is_file and not word.startswith("-") and Path(word).exists())
        spread += ["--from", word] if is_file and not is_named else [word]
    return spread


def usage_sentence(error: Any) -> str:
    """Return the sentence of a usage error."""
    faults: list[Any] = getattr(error.__cause__, "errors", list)()
    if faults and (rule := RULES.get(faults[0]["type"])):
        where = typed_name(error.param, error.ctx.meta.get(WORDS, ()))
        return str(InvalidInputError(where, _given(faults[0]["input"]), rule=rule.format(**faults[0].get("ctx", {}))))
    sentence: str = getattr(error, "format_message", error.__str__)()
    return sentence.removeprefix("Invalid value: ")


def _given(value: Any) -> Any:
    """Return a value as it was typed: a number is not quoted."""
    return value if not isinstance(value, str) or not value.lstrip("-").isdigit() else int(value)
