"""``thresher run``: run the measurements of a campaign."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.campaigns import check_arm_names, reduced_note, term_help, term_option
from thresher.cli.decisions import All
from thresher.cli.usage import ARMS, MEASURING, OUTPUT, QUESTION, RATE, SPENDING
from thresher.errors import InvalidInputError, StorageUnavailableError
from thresher.terms import OFFERED, Term, accept_terms, run_default

if TYPE_CHECKING:
    from thresher.run import Finished, Run, RunSpec, Watch

Spec = Annotated[Path | None, typer.Argument(help="A TOML file; its keys are the names of the options below.")]
Name = Annotated[
    str | None,
    typer.Option("--name", help="Name of the campaign. [default: that of the file, or 'run']", rich_help_panel=OUTPUT),
]
Bar = Annotated[
    float | None,
    typer.Option(
        "--bar",
        help="The bar: the value that an arm's mean must exceed; with --pass below, must not.",
        rich_help_panel=QUESTION,
        **RATE,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget",
        "-b",
        help="How many measurements; with pull costs or --cost, in their unit.",
        rich_help_panel=SPENDING,
    ),
]
Command = Annotated[
    str | None, typer.Option("--command", "-c", help="A shell command that measures {arm}.", rich_help_panel=MEASURING)
]
Function = Annotated[
    str | None,
    typer.Option(
        "--function",
        help="A Python function that measures: module:function, or the name of an installed one.",
        rich_help_panel=MEASURING,
    ),
]
Url = Annotated[
    str | None, typer.Option("--url", help="A local HTTP endpoint that measures.", rich_help_panel=MEASURING)
]
Promptfoo = Annotated[
    str | None,
    typer.Option(
        "--promptfoo",
        help="A promptfooconfig.yaml: arms are prompts × providers, items are test cases.",
        rich_help_panel=MEASURING,
    ),
]
Outcome = Annotated[
    str | None,
    typer.Option(
        "--outcome",
        help="exit, last-line, regex:PATTERN, json:FIELD or duration; of promptfoo success or score. [default: exit]",
        rich_help_panel=MEASURING,
    ),
]
Arm = Annotated[list[str] | None, typer.Option("--arm", "-a", help="Name of an arm. Repeatable.", rich_help_panel=ARMS)]
ArmsFile = Annotated[
    str | None, typer.Option("--arms-file", help="A file of names, or a CSV file with columns.", rich_help_panel=ARMS)
]
ArmsGlob = Annotated[
    str | None,
    typer.Option("--arms-glob", help="One arm for each file, such as 'prompts/*.txt'.", rich_help_panel=ARMS),
]
Matrix = Annotated[
    list[str] | None, typer.Option("--matrix", help="name=a,b,c: combine parameters. Repeatable.", rich_help_panel=ARMS)
]
Items = Annotated[
    str | None,
    typer.Option(
        "--items", help="Items that every arm answers, {item}: how many, or a file of names.", rich_help_panel=ARMS
    ),
]
Sigma = Annotated[
    float | None, typer.Option("--sigma", help="Standard deviation of gaussian outcomes.", rich_help_panel=QUESTION)
]
History = Annotated[
    str | None,
    typer.Option(
        "--history",
        help="Outcomes of past arms on the same items: a campaign, or a CSV file.",
        rich_help_panel=ARMS,
    ),
]
Proxy = Annotated[
    str | None,
    typer.Option(
        "--proxy", help="A cheap score of every answer: a CSV with arm, item and value or score.", rich_help_panel=ARMS
    ),
]
ProxyCommand = Annotated[
    str | None,
    typer.Option(
        "--proxy-command",
        help="A shell command that scores the answer of {arm} to {item}, once for each, first.",
        rich_help_panel=ARMS,
    ),
]
ProxyFunction = Annotated[
    str | None,
    typer.Option("--proxy-function", help="A Python function that does so: module:function.", rich_help_panel=ARMS),
]
ProxyOutcome = Annotated[
    str | None,
    typer.Option(
        "--proxy-outcome", help="Where the score is read, as for --outcome. [default: last-line]", rich_help_panel=ARMS
    ),
]
ProxyBudget = Annotated[
    int | None,
    typer.Option("--proxy-budget", help="How many answers are scored at most. [default: all]", rich_help_panel=ARMS),
]
Cost = Annotated[
    str | None,
    typer.Option(
        "--cost",
        help="Actual cost: duration, last-line, regex:PATTERN, json:FIELD; or returned.",
        rich_help_panel=SPENDING,
    ),
]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Measurements at a time.", rich_help_panel=MEASURING)]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", help="Seconds after which a measurement is ended.", rich_help_panel=MEASURING),
]
TimeoutOutcome = Annotated[
    float | None,
    typer.Option("--timeout-outcome", help="Outcome of a measurement that timed out.", rich_help_panel=MEASURING),
]
Retries = Annotated[
    int | None,
    typer.Option("--retries", help="Retries of an attempt without an outcome. [default: 2]", rich_help_panel=MEASURING),
]
Rate = Annotated[
    str | None,
    typer.Option("--rate", help="Maximum rate of measurements, such as 30/minute.", rich_help_panel=MEASURING),
]
OnError = Annotated[
    str | None,
    typer.Option("--on-error", help="stop, or retire the arm that cannot be measured.", rich_help_panel=MEASURING),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        envvar="THRESHER_DB",
        help="Database of the outcomes. [default: sqlite:///thresher.db]",
        rich_help_panel=OUTPUT,
    ),
]
Junit = Annotated[str | None, typer.Option("--junit", help="Write a junit XML file.", rich_help_panel=OUTPUT)]
Markdown = Annotated[str | None, typer.Option("--markdown", help="Write a Markdown summary.", rich_help_panel=OUTPUT)]
Fresh = Annotated[
    bool,
    typer.Option("--fresh", help="Start a new campaign; keep the existing one of this name.", rich_help_panel=OUTPUT),
]
SameMeasurement = Annotated[
    bool,
    typer.Option(
        "--same-measurement", help="Continue although the command or function has changed.", rich_help_panel=OUTPUT
    ),
]
Yes = Annotated[
    bool, typer.Option("--yes", "-y", help="Do not stop if the command fails on every arm.", rich_help_panel=OUTPUT)
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=OUTPUT)]


def run(
    spec: Spec = None,
    name: Name = None,
    bar: Bar = None,
    budget: Budget = None,
    command: Command = None,
    function: Function = None,
    url: Url = None,
    promptfoo: Promptfoo = None,
    outcome: Outcome = None,
    arm: Arm = None,
    arms_file: ArmsFile = None,
    arms_glob: ArmsGlob = None,
    matrix: Matrix = None,
    items: Items = None,
    history: History = None,
    proxy: Proxy = None,
    proxy_command: ProxyCommand = None,
    proxy_function: ProxyFunction = None,
    proxy_outcome: ProxyOutcome = None,
    proxy_budget: ProxyBudget = None,
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
    fresh: Fresh = False,
    same_measurement: SameMeasurement = False,
    yes: Yes = False,
    all_: All = False,
    json: Json = False,
    **terms: Any,
) -> None:
    """Measure with a command or a Python function, and decide.

    A measurement is a shell command, a Python function, a local HTTP endpoint or a test case of promptfoo. If a run is
    stopped by Ctrl-C or killed, the same command resumes it. Exit codes: 0 every arm passes, 1 some arm fails, 2 none
    fails and some are undecided, 3 bad input. Examples:

        thresher run prompts.toml -j 4

        thresher run --bar 0.5 --budget 20 --arm heads --arm tails -c 'test $((1$(date +%N) % 2)) = 0'
    """
    given = locals()
    flags = {key: given[key] for key in given.keys() - {"spec", "json", "all_", "arm", "matrix", "terms"}}
    check_arm_names(arm or [])
    flags |= {"arms": arm or None, "matrix": _matrix(matrix)}
    flags |= {term.key: terms.get(term.name) for term in OFFERED}
    for key in ("fresh", "same_measurement", "yes"):
        flags.pop(key)
    if fresh and same_measurement:
        raise typer.BadParameter("--fresh starts a new campaign, --same-measurement continues one: give one of them")
    options = {"fresh": fresh, "same": same_measurement, "may_fail": yes}
    raise typer.Exit(_run(spec, flags, options, json=json, all_rows=all_))


def _term_help(term: Term) -> str:
    default = "depends on --outcome" if term.run_default == "" else run_default(term.name)
    return f"{term_help(term)} [default: {'none' if default == '' else default}]"


accept_terms(
    run,
    lambda term: Annotated[term.kind | None, term_option(term, help=_term_help(term))],
    default=lambda _: None,  # not given: use the file or the default
)


def _run(path: Path | None, flags: dict[str, Any], options: dict[str, bool], *, json: bool, all_rows: bool) -> int:
    from thresher.cli.live_table import watching

    with watching() as watch:  # before the imports of a run, which take a moment
        from thresher.cli.show import confirm
        from thresher.report import exit_code
        from thresher.run import FailingCommandError, load_spec

        spec = load_spec(path, flags)
        finished: Finished | FailingCommandError
        try:
            finished = _finish(spec, options, watch)
        except FailingCommandError as error:
            finished = error
    if isinstance(finished, FailingCommandError):
        confirm(str(finished))
        with watching() as watch:
            finished = _finish(spec, options | {"fresh": False, "may_fail": True}, watch)
    _write(spec, finished)
    _show(spec, finished, json=json, all_rows=all_rows)
    return exit_code(finished.verdicts)


def _finish(spec: RunSpec, options: dict[str, bool], watch: Watch | None) -> Finished:
    from thresher.run import Run

    with closing(Run(spec, **options)) as made, _polite_end():
        _say_beginning(made)
        try:
            finished = made.go(watch)
            _say_notes(made.cut_to, finished.unpaid, spec.repeats)
            _say_scored(finished)
            return finished
        except KeyboardInterrupt:
            _say_kept(made)
            raise


def _say_beginning(made: Run) -> None:
    """Say how the run changes an existing campaign, and what an earlier run left in flight."""
    from thresher.cli.show import say_note
    from thresher.report import amount, counted

    for note in made.notes:
        say_note(note)
    if made.taken_back:
        what = counted(made.taken_back, "measurement")
        say_note(f"a run was killed during {what}; the arms are measured again")
    if made.campaign is not None and (waiting := made.campaign.outstanding):
        lease = amount(made.campaign.terms.lease)
        say_note(
            f"{amount(waiting)} of the budget is in flight, from a run that is active or was killed on another "
            f"machine; what is not reported is measured again when its lease expires, in at most {lease} s"
        )


@contextmanager
def _polite_end() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C: nothing is lost."""
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


def _say_kept(made: Run) -> None:
    from thresher.cli.show import say
    from thresher.report import counted

    stored = counted(made.measured, "outcome")
    if made.scored is not None:
        stored += f", and {counted(made.scored.done, 'answer')} have a score"
    say(f"Stopped; this run has stored {stored}. Run the same command again to resume.")


def _say_notes(cut_to: float | None, unpaid: float, repeats: int) -> None:
    from thresher.cli.show import say_note
    from thresher.report import amount

    if cut_to is not None:
        say_note(reduced_note(cut_to, repeats))
    if unpaid:
        say_note(f"the last measurements cost {amount(unpaid)} more than was left of the budget")


def _say_scored(finished: Finished) -> None:
    from thresher.cli.show import say_note
    from thresher.report import counted

    found = finished.scored
    if found is not None:
        failed = f"; {found.failed:,} got none: the judge {found.reason}" if found.failed else ""
        say_note(f"{counted(found.done, 'answer')} {'has' if found.done == 1 else 'have'} a score{failed}")


def _write(spec: RunSpec, finished: Finished) -> None:
    from thresher.run import junit_xml, markdown_summary

    writers = ((spec.junit, junit_xml), (spec.markdown, lambda done: markdown_summary(done, next_step_of(done))))
    for path, make in writers:
        if path:
            try:
                Path(path).write_text(make(finished), encoding="utf-8")
            except OSError as error:
                raise StorageUnavailableError(
                    f"cannot write {path}: {error.strerror}; all outcomes are kept", instead="name another file"
                ) from error


def _show(spec: RunSpec, finished: Finished, *, json: bool, all_rows: bool) -> None:
    import json as to_json

    from thresher.campaign.storage import hide_password
    from thresher.cli.decisions import show_decisions
    from thresher.cli.show import answer, say, say_note, wrapped
    from thresher.run import document

    if json:
        answer(to_json.dumps(document(finished), allow_nan=False))
        return
    show_decisions(finished.verdicts, finished.standing, step=next_step_of(finished), all_rows=all_rows)
    for note in finished.verdicts.notes:
        say_note(note)
    for arm, reason in finished.given_up.items():
        say(f"Given up: {arm!r} {reason}")
    if not finished.measured:
        say(wrapped(f"Nothing was measured: {_why_nothing(finished)} ({hide_password(spec.db)})."))


def _why_nothing(finished: Finished) -> str:
    """Return why a run measured nothing."""
    from thresher.report import is_spent

    standing = finished.standing
    if standing.status == "closed":
        return "the campaign is closed; add --fresh to start a new campaign"
    if finished.given_up:
        return "every arm was given up"
    if is_spent(standing):
        return "the budget is spent; give a larger --budget, or add --fresh to start a new campaign"
    return "no arm needs another measurement"


def next_step_of(finished: Finished) -> str:
    """Return the next step after a run: the same command with a larger budget, or none."""
    from thresher.report import next_step

    verdicts, standing = finished.verdicts, finished.standing
    extend, go_on = "run it again with --budget {total}", "run the same command again to resume"
    terms = {"goal": verdicts.said.goal, "extend": extend, "go_on": go_on}
    has_control = verdicts.control is not None
    return next_step(
        verdicts, standing, lambda: verdicts.offer, has_control=has_control, repeats=verdicts.said.repeats, **terms
    )
