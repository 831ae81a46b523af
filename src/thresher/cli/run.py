"""``thresher run``: a campaign that measures by itself."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.campaigns import term_help
from thresher.cli.decisions import All
from thresher.errors import InvalidInputError, StorageUnavailableError
from thresher.terms import OFFERED, Term, accept_terms, run_default

if TYPE_CHECKING:
    from thresher.runner import Finished, RunSpec

Spec = Annotated[Path | None, typer.Argument(help="A TOML file whose keys are the names of the options below.")]
Name = Annotated[str | None, typer.Option("--name", help="Of the campaign. [default: that of the file, or 'run']")]
Bar = Annotated[float | None, typer.Option("--bar", help="The threshold.")]
Budget = Annotated[float | None, typer.Option("--budget", "-b", help="How many measurements, or how many seconds.")]
Command = Annotated[str | None, typer.Option("--command", "-c", help="A shell command that measures {arm}.")]
Function = Annotated[str | None, typer.Option("--function", help="A Python function that does: module:function.")]
Url = Annotated[str | None, typer.Option("--url", help="An HTTP endpoint on this machine that does.")]
Outcome = Annotated[
    str | None,
    typer.Option("--outcome", help="exit, last-line, regex:PATTERN, json:FIELD or duration. [default: exit]"),
]
Arm = Annotated[list[str] | None, typer.Option("--arm", "-a", help="Name of an arm. Repeatable.")]
ArmsFile = Annotated[str | None, typer.Option("--arms-file", help="A file of names, or a CSV file with columns.")]
ArmsGlob = Annotated[str | None, typer.Option("--arms-glob", help="One arm for each file, such as 'prompts/*.txt'.")]
Matrix = Annotated[list[str] | None, typer.Option("--matrix", help="name=a,b,c: combine parameters. Repeatable.")]
Sigma = Annotated[float | None, typer.Option("--sigma", help="Standard deviation of gaussian outcomes.")]
Cost = Annotated[str | None, typer.Option("--cost", help="duration: the budget is in seconds.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Measurements at a time.")]
Timeout = Annotated[float | None, typer.Option("--timeout", help="Seconds after which a measurement is ended.")]
TimeoutOutcome = Annotated[float | None, typer.Option("--timeout-outcome", help="The outcome of one that was ended.")]
Retries = Annotated[int | None, typer.Option("--retries", help="Further attempts where no outcome came. [default: 2]")]
Rate = Annotated[str | None, typer.Option("--rate", help="At most so many measurements, such as 30/minute.")]
OnError = Annotated[str | None, typer.Option("--on-error", help="stop, or retire the arm that cannot be measured.")]
Database = Annotated[
    str | None,
    typer.Option("--db", envvar="THRESHER_DB", help="Where outcomes are kept. [default: sqlite:///thresher.db]"),
]
Junit = Annotated[str | None, typer.Option("--junit", help="Write a junit XML file.")]
Markdown = Annotated[str | None, typer.Option("--markdown", help="Write a Markdown summary.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def run(
    spec: Spec = None,
    name: Name = None,
    bar: Bar = None,
    budget: Budget = None,
    command: Command = None,
    function: Function = None,
    url: Url = None,
    outcome: Outcome = None,
    arm: Arm = None,
    arms_file: ArmsFile = None,
    arms_glob: ArmsGlob = None,
    matrix: Matrix = None,
    sigma: Sigma = None,
    cost: Cost = None,
    jobs: Jobs = None,
    timeout: Timeout = None,
    timeout_outcome: TimeoutOutcome = None,
    retries: Retries = None,
    rate: Rate = None,
    on_error: OnError = None,
    db: Database = None,
    junit: Junit = None,
    markdown: Markdown = None,
    all_: All = False,
    json: Json = False,
    **terms: Any,
) -> None:
    """Run a campaign whose measurement is a command, a Python function or a local HTTP endpoint.

    Stopped by Ctrl-C or killed, it goes on where it was when you type it again. Exit codes: 0 every arm passes, 1 some
    arm fails, 2 none fails and some are open, 3 bad input. Examples:

        thresher run prompts.toml -j 4

        thresher run --bar 0.5 --budget 20 --arm heads --arm tails -c 'test $(($(date +%N) % 2)) = 0'
    """
    given = locals()
    flags = {key: given[key] for key in given.keys() - {"spec", "json", "all_", "arm", "matrix", "terms"}}
    flags |= {"arms": arm or None, "matrix": _matrix(matrix)}
    flags |= {term.key: terms.get(term.name) for term in OFFERED}
    raise typer.Exit(_run(spec, flags, json=json, all_rows=all_))


def _term_help(term: Term) -> str:
    default = run_default(term.name)
    return f"{term_help(term)} [default: {'depends on --outcome' if default == '' else default}]"


accept_terms(
    run,
    lambda term: Annotated[term.kind | None, typer.Option(*term.flags, help=_term_help(term))],
    default=lambda _: None,  # not given: the file has it, or its default holds
)


def _run(path: Path | None, flags: dict[str, Any], *, json: bool, all_rows: bool) -> int:
    from thresher.cli.live_table import watching
    from thresher.runner import Run, load_spec
    from thresher.runner.judgement import exit_code

    spec = load_spec(path, flags)
    with closing(Run(spec)) as made, _polite_end():
        try:
            with watching() as watch:
                finished = made.go(watch)
        except KeyboardInterrupt:
            _say_kept(made.measured)
            raise
    _write(spec, finished)
    _show(spec, finished, json=json, all_rows=all_rows)
    return exit_code(finished.verdicts)


@contextmanager
def _polite_end() -> Iterator[None]:
    """Treat the signal that ends a process politely like Ctrl-C: nothing is lost."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _matrix(texts: list[str] | None) -> dict[str, list[str]] | None:
    """Return ``name=a,b`` texts as a table."""
    table: dict[str, list[str]] = {}
    for text in texts or ():
        name, _, values = text.partition("=")
        if not values.strip(", "):
            raise InvalidInputError("--matrix", text, rule="must be written name=value,value")
        if name in table:
            raise InvalidInputError("--matrix", text, rule=f"must not repeat {name!r}")
        table[name] = values.split(",")
    return table or None


def _say_kept(measured: int) -> None:
    from thresher.cli.show import say

    say(f"Stopped; {measured} outcomes of this run are kept. Type the same command again to go on.")


def _write(spec: RunSpec, finished: Finished) -> None:
    from thresher.runner.summaries import junit_xml, markdown_summary

    for path, make in ((spec.junit, junit_xml), (spec.markdown, markdown_summary)):
        if path:
            try:
                Path(path).write_text(make(finished), encoding="utf-8")
            except OSError as error:
                raise StorageUnavailableError(
                    f"cannot write {path}: {error.strerror}; all outcomes are kept", instead="name another file"
                ) from error


def _show(spec: RunSpec, finished: Finished, *, json: bool, all_rows: bool) -> None:
    import json as to_json

    from thresher.cli.decisions import show_decisions
    from thresher.cli.show import answer, say
    from thresher.runner.summaries import document

    if json:
        answer(to_json.dumps(document(finished), allow_nan=False))
        return
    show_decisions(finished.verdicts, finished.standing, step=next_step_of(finished), all_rows=all_rows)
    for note in finished.verdicts.notes:
        say(f"Note: {note}.")
    for arm, reason in finished.given_up.items():
        say(f"Given up: {arm!r} {reason}")
    if not finished.measured:
        say(f"Nothing was left to spend: give a larger budget, or another name to begin anew ({spec.db}).")


def next_step_of(finished: Finished) -> str:
    """Return the next step after a run: the same command with a larger budget, or none."""
    from thresher.report.decisions import next_step

    verdicts, standing = finished.verdicts, finished.standing
    more = 0.0 if standing.is_open else verdicts.more
    extend, go_on = "run it again with --budget {total}", "type the same command again to go on"
    return next_step(verdicts, standing, more, extend=extend, go_on=go_on)
