"""Wrong inputs over all commands; ``python -m tests.support.wrong_inputs`` prints the page with what each gets."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
import tempfile
from pathlib import Path

from thresher.cli.main import main

FILES = {
    "empty.csv": "",
    "head.csv": "arm,threshold\n",
    "bar.csv": "arm,bar\na,0.5\n",
    "twice.csv": "arm\na\na\n",
    "short.csv": "arm,threshold\na\n",
    "words.csv": "arm,threshold\na,high\n",
    "colour.csv": "arm,colour\na,red\n",
    "nan.csv": "arm,threshold\na,nan\n",
    "labels.csv": "arm,outcome\nfair,cat\nbent,not cat\n",
    "runs.csv": "arm,outcome\nfair,1\nfare,1\n",
    "many.csv": "arm,outcome\nfair,2\n",
    "empty-runs.csv": "",
    "head-runs.csv": "arm,outcome\n",
    "ragged.csv": "arm,outcome\nfair\n",
    "spec.toml": "bar = 0.5\nbudgets = 9\n",
    "broken.toml": "bar = \n",
    "problem.json": "{",
    "problem.toml": 'family = "gaussian"\nmeans = ["x"]\n',
    "list.json": "[]",
}
RUN = "run --bar 0.5 --budget 4 --arm a"
CASES = f"""
new
new c
new c -a x
new c -a x -t 0.5
new c -a x -t 0.5 -b 0
new c -a x -t 0.5 -b -3
new c -a x -t 0.5 -b nan
new c -a x -t 0.5 -b many
new c -a x -a x -t 0.5 -b 9
new c -a x -a y -t 0.5 -b 1
new c -a x -t 1.5 -b 9
new c -a x -t nan -b 9
new c -a '' -t 0.5 -b 9
new '' -a x -t 0.5 -b 9
new .. -a x -t 0.5 -b 9
new coins -a x -t 0.5 -b 9
new c -a x -t 0.5 -b 9 --family poisson
new c -a x -t 0.5 -b 9 --family gaussian --sigma 0
new c -a x -t 0.5 -b 9 --policy best
new c -a x -t 0.5 -b 9 --risk 2
new c -a x -t 0.5 -b 9 --lease 0
new c -a x -t 0.5 -b 9 --guarantee sure
new c -a x -t 0.5 -b 9 --expiry never
new c -a x -t 0.5 -b 9 --db thresher.db
new c -a x -t 0.5 -b 9 --db me:hunter2@host/evals
new c -a x -t 0.5 -b 9 --db mysql://host/evals
new c -a x -t 0.5 -b 9 --db sqlite://evals.db
new c --arms-file missing.csv -t 0.5 -b 9
new c --arms-file empty.csv -t 0.5 -b 9
new c --arms-file head.csv -b 9
new c --arms-file bar.csv -t 0.5 -b 9
new c --arms-file twice.csv -t 0.5 -b 9
new c --arms-file short.csv -b 9
new c --arms-file words.csv -b 9
new c --arms-file colour.csv -t 0.5 -b 9
new c --arms-file nan.csv -b 9
ask nothing
ask coins -n 0
ask coins -n -1
ask coins -n 20000
ask coins -n many
ask coins --db sqlite:///missing.db
tell
tell coins
tell coins nonsense yes
tell coins 1-9f86d081884c7d659a2feaa0c55ad015 yes
tell coins 1-9f86d081884c7d659a2feaa0c55ad015 maybe
tell coins --from missing.csv
tell coins --from empty-runs.csv
tell coins --from head-runs.csv
tell coins --from runs.csv
tell coins --from many.csv
tell coins --from ragged.csv
tell coins --from labels.csv
tell coins --from labels.csv --success Cat
tell coins --from labels.csv --success cat --failure dog
tell coins --from labels.csv --arm-column model
tell coins --from labels.csv --success cat --leave-out by=x
tell coins --from labels.csv --success cat --leave-out arm=x
tell coins --from labels.csv --success cat --leave-out arm
tell coins --from labels.csv --success cat --threshold 0.5
tell novel --from labels.csv --success cat --create --threshold 0.5
tell coins --from labels.csv --format excel
tell coins --from list.json
tell coins 1-ab yes --success yes
amend coins 1-ab 1
amend coins
void coins
void coins 1-ab
void coins --import abc
void coins 1-ab --import abc
extend coins
extend coins 0
extend coins -- -5
extend coins nan
extend coins much
extend nothing 5
verdicts nothing
verdicts coins --risk 0
verdicts coins --guarantee sure
verdicts coins --pass sideways
export nothing
export coins --format xml
report nothing --out page.html
report coins --out page.doc
report coins --out missing/page.html
verify nothing
list --db sqlite:///missing.db
list --db nowhere
token new --scope owner
token new --scope work
token new --scope read --campaign coins
token new --days 0
token revoke nothing
serve --host 0.0.0.0
serve --public-url nowhere
serve --log-level loud
serve --port many
work nowhere coins --command true
work http://127.0.0.1:1 coins
run
run missing.toml
run broken.toml
run spec.toml
run --bar 0.5 --budget 4 --command true
{RUN}
{RUN} --command true --function grade:measure
{RUN} --command ''
{RUN} --command 'echo "{{arm}}"'
{RUN} --command 'echo {{model}}'
{RUN} --command "echo 'open"
{RUN} --command true --outcome maybe
{RUN} --command true --outcome regex:(
{RUN} --command true --outcome regex:x
{RUN} --command true --rate often
{RUN} --command true --jobs 0
{RUN} --command true --timeout 0
{RUN} --command true --matrix model=
{RUN} --command true --matrix model
{RUN} --command true --retries -1
{RUN} --command no-such-program-here
{RUN} --command 'exit 127'
{RUN} --command 'kill -9 $$' --retries 0
{RUN} --command 'echo many' --outcome last-line --retries 0
{RUN} --function grade
run --bar 0.5 --budget 4 --arms-file missing.csv --command true
run --bar 0.5 --budget 4 --arms-file empty.csv --command true
run --bar 0.5 --budget 4 --arms-glob 'missing/*.txt' --command true
simulate
simulate nonsense --policy lsa --budget 50
simulate linear --policy best --budget 50
simulate linear --policy lsa --budget 0
simulate linear --policy lsa --budget 500 --runs 0
simulate linear --policy lsa:beta=1 --budget 500
simulate linear:K=0 --policy lsa --budget 500
simulate problem.json --policy lsa --budget 500
simulate problem.toml --policy lsa --budget 500
simulate missing.csv --policy lsa --budget 500
simulate linear --policy lsa --budget 500 --loss all
simulate linear --policy lsa --budget 500 --confidence 0.05
theory nonsense --budget 50
theory linear --budget -1
plan
reproduce figure-99 --out figures
policies --nonsense
nonsense
--nonsense
--plugin nothing_of_that_name list
""".strip().splitlines()


def answer_to(line: str, folder: Path) -> tuple[int, str]:
    """Return the exit code of a command and what it printed, in a folder with the files and a campaign ``coins``."""
    place, out, err = Path.cwd(), io.StringIO(), io.StringIO()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(shlex.split(line))
    except SystemExit as left:
        return int(left.code or 0), (err.getvalue() + out.getvalue()).replace(str(folder), "…")
    finally:
        os.chdir(place)
    raise AssertionError("main leaves by SystemExit")


def prepare(folder: Path) -> None:
    """Write the files, and create the campaign."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    assert answer_to("new coins -a fair -a bent -t 0.5 -b 20", folder)[0] == 0


def page() -> str:
    """Return the page that lists what each wrong input gets."""
    lines = [
        "# Wrong inputs",
        "",
        f"{len(CASES)} wrong inputs and what each gets; a test compares this page with the program. The exit code is 3",
        "throughout, without a traceback. `tests/support/wrong_inputs.py` has the files; there is a campaign `coins`.",
        "",
        "| input | message |",
        "|---|---|",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        prepare(folder)
        for line in CASES:
            _, said = answer_to(line, folder)
            lines.append(f"| {_cell('thresher ' + line)} | {_cell(first_line(said))} |")
    return "\n".join(lines) + "\n"


def first_line(said: str) -> str:
    """Return the message of a command, without its prefix."""
    lines = [line for line in said.splitlines() if line.startswith("thresher: ")]
    return lines[-1].removeprefix("thresher: ") if lines else ""


def _cell(text: str) -> str:
    for letter, shown in (("&", "&amp;"), ("<", "&lt;"), ("|", "&#124;"), ("{", "&#123;")):
        text = text.replace(letter, shown)
    return f"<code>{text}</code>"


if __name__ == "__main__":
    sys.stdout.write(page())
