"""The command ``thresher``: its subcommands, and one place where errors become a sentence and an exit code."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

import thresher
from thresher.cli.allocate import allocate
from thresher.cli.amend import amend
from thresher.cli.archive import archive
from thresher.cli.ask import ask
from thresher.cli.backup import backup, copy, restore
from thresher.cli.bench import bench
from thresher.cli.export import export
from thresher.cli.extend import extend
from thresher.cli.judge_report import judge_report
from thresher.cli.league import league
from thresher.cli.list_campaigns import list_campaigns
from thresher.cli.mcp import mcp
from thresher.cli.new import new
from thresher.cli.plan import plan
from thresher.cli.plugins import Plugins, import_plugins, with_plugins
from thresher.cli.policies import policies
from thresher.cli.problems import problems
from thresher.cli.report import report
from thresher.cli.reproduce import reproduce
from thresher.cli.run import run
from thresher.cli.serve import serve
from thresher.cli.show import forget_output
from thresher.cli.simulate import simulate
from thresher.cli.tell import tell
from thresher.cli.theory import theory
from thresher.cli.token import token
from thresher.cli.usage import OnceCommand, usage_sentence
from thresher.cli.verbs import plain_commands
from thresher.cli.verdicts import verdicts
from thresher.cli.verify import verify
from thresher.cli.void import void
from thresher.cli.work import work
from thresher.errors import ThresherError

BAD_INPUT, UNEXPECTED, INTERRUPTED = 3, 4, 130
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # the disk or device is full
RENAMED = {("simulate", "--confidence"): "--alpha"}  # options by command and former name
COMPLETION = "_THRESHER_COMPLETE"  # set by the script that --show-completion prints
_UsageError: type[Exception] = typer.BadParameter.__bases__[
    0
]  # Typer bundles its own copy of Click and does not export it


class _GroupedCommands(TyperGroup):
    """Lists the commands in its help under the names of their groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Click calls it so
        """Write one section for each group, commands in the order in which they were added."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.commands:
            command: Any = self.commands[name]
            width = formatter.width - 6 - max(map(len, self.commands))
            sections.setdefault(command.rich_help_panel, []).append((name, command.get_short_help_str(width)))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


app = typer.Typer(
    name="thresher",
    cls=_GroupedCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Decide for each of K arms whether it passes a bar, with few mistakes on a budget of noisy measurements.",
    epilog="Exit codes: 0 done, 3 bad input, 4 internal error. Add --debug to any command for a traceback.",
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"thresher {thresher.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[  # noqa: ARG001 - its callback does it
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    plugin: Plugins = None,
) -> None:
    import_plugins(plugin)


#: The commands by the group under which ``--help`` lists them.
GROUPS: dict[str, tuple[Callable[..., None], ...]] = {
    "Decide": (
        run,
        plan,
        new,
        ask,
        allocate,
        tell,
        amend,
        void,
        extend,
        *plain_commands(),
        archive,
        verdicts,
        judge_report,
        list_campaigns,
        report,
        export,
        verify,
    ),
    "Serve": (serve, work, mcp, backup, restore, copy),
    "Research": (simulate, theory, league, reproduce, problems, policies, bench),
}
NAMES = {list_campaigns: "list"}  # commands whose name is a Python keyword or builtin
TAKE_NUMBERS = (tell, amend, extend)  # -5 after them is a number, not an option
for _group, _commands in GROUPS.items():
    for _command in _commands:
        _settings = {"ignore_unknown_options": _command in TAKE_NUMBERS}
        _add = app.command(NAMES.get(_command), cls=OnceCommand, rich_help_panel=_group, context_settings=_settings)
        _add(with_plugins(_command))
app.add_typer(token, name="token", rich_help_panel="Serve")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; it always ends with an exit code."""
    if COMPLETION in os.environ:
        app(prog_name="thresher")  # a shell that completes a command line: Typer prints the words, and exits
    words = list(sys.argv[1:] if arguments is None else arguments)
    run_app(app, words if words not in ([], ["--debug"]) else ["--help"])


def run_app(program: typer.Typer, words: list[str]) -> NoReturn:
    """Run a program with command-line arguments; it always ends with an exit code."""
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # started with it closed, as by >&- in a shell
            setattr(sys, stream, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the end
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # replace characters that the terminal cannot show
    debug = "--debug" in words
    sys.exit(_run(program, [word for word in words if word != "--debug"], debug=debug))


def _run(program: typer.Typer, words: list[str], *, debug: bool) -> int:
    try:
        # Not program(): Typer would map Ctrl-C and a closed pipe to its own exit codes.
        group = typer.main.get_command(program)
        try:
            with group.make_context(program.info.name, words) as context:
                group.invoke(context)
            code = 0
        except typer.Exit as done:
            code = int(done.exit_code)
        finally:
            _flush()
        return code
    except _UsageError as error:
        _suggest_new_name(error)
        return _complain(usage_sentence(error), BAD_INPUT, hint=program.info.name)
    except ThresherError as error:
        return _complain(str(error), BAD_INPUT, debug=debug)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        forget_output()
        return 0  # the reader of a help text closed the pipe
    except Exception as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            forget_output()
            return _complain(
                f"cannot write: {error.strerror}; free some space, or write elsewhere", BAD_INPUT, debug=debug
            )
        sentence = f"unexpected {type(error).__name__}: {error}; add --debug for a traceback"
        return _complain(sentence, UNEXPECTED, debug=debug)


def _suggest_new_name(error: Any) -> None:
    """Suggest the new name of an option that was renamed."""
    name = RENAMED.get((str(getattr(error.ctx, "info_name", "")), str(getattr(error, "option_name", ""))))
    if name is not None:
        error.possibilities = [name]


def _flush() -> None:
    """Flush standard output, which raises if the disk is full; a closed pipe does not change the exit code."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        forget_output()


def _complain(sentence: str, code: int, *, hint: str | None = None, debug: bool = False) -> int:
    if debug:
        traceback.print_exc()
    print(f"thresher: {_strip_control_characters(sentence)}", file=sys.stderr)  # noqa: T201
    if hint:
        print(f"Type '{hint} --help', or --help after a command, to see its options.", file=sys.stderr)  # noqa: T201
    return code


def _strip_control_characters(sentence: str) -> str:
    """Replace control characters, which could be terminal escape sequences."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "�" for letter in sentence)
