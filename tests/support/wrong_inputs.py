"""Wrong inputs over all commands; ``python -m tests.support.wrong_inputs`` prints the page with what each gets."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import shlex
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from thresher.cli.main import main

FILES: dict[str, str | bytes] = {
    "empty.csv": "",
    "head.csv": "arm,threshold\n",
    "bar.csv": "arm,bar\na,0.5\nb,\n",
    "misspelt.csv": "arm,treshold\na,0.5\n",
    "one-head.csv": "amr\na\n",
    "comma.csv": "arm;bar\na;0,5\n",
    "lines.csv": 'arm,bar\n"a\nb",0.5\n',
    "quote.csv": 'arm,bar\n"a,0.5\n',
    "two-bars.csv": "arm,bar,threshold\na,0.5,0.5\n",
    "zero-cost.csv": "arm,pull_cost\na,0\n",
    "latin.csv": b"arm\ncaf\xe9\n",
    "items.txt": "q1\nq1\n",
    "past.csv": "arm,item,value\nold,elsewhere,1\n",
    "repeated.csv": "arm,item,repeat,outcome\nfair,q1,1,1\nfair,q1,2,1\n",
    "graded.csv": "arm,item,value,score\nx,1,1,1\n",
    "pilot.csv": "arm,value\nx,1\n",
    "two-heads.csv": "arm,outcome,outcome\nfair,1,0\n",
    "blank.csv": "arm,outcome\nfair,\n",
    "runs.log": "fair 1\n",
    "samples.csv": "arm,value\na,1\na,x\n",
    "negative.csv": "arm,mean,sigma\na,0.5,-1\n",
    "families.csv": "arm,mean,family\na,0.5,gaussian\nb,0.5,bernoulli\n",
    "typo.json": '{"family": "gaussian", "meens": [0.1]}',
    "twice.json": '{"family": "gaussian", "means": [0.1], "means": [0.2]}',
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
    "utf16.csv": "arm,bar\na,0.5\n".encode("utf-16"),
    "nul.csv": "arm\na\0b\n",
    "packed.csv.gz": gzip.compress(b"arm,outcome\nfair,1\n", mtime=0),
    "runs.jsonl": '["fair", 1]\n',
    "blank-token": "\n",
    "percent.csv": "arm,outcome\nfair,100%\n",
    "shout.csv": "arm,outcome\nFAIR,1\n",
    "text-budget.toml": 'bar = 0.5\nbudget = "4 pulls"\narms = ["a"]\ncommand = "true"\n',
    "text-arms.toml": 'bar = 0.5\nbudget = 4\narms = "a"\ncommand = "true"\n',
    "high.json": '{"family": "bernoulli", "means": [1.5], "thresholds": 0.5}',
    "no-bar.json": '{"family": "bernoulli", "means": [0.5]}',
    "true.json": '{"family": "gaussian", "means": [true]}',
    "long-bars.json": '{"family": "gaussian", "means": [0.1], "thresholds": [0, 0]}',
}
RUN = "run --bar 0.5 --budget 4 --arm a"
OTHERS = "Other commands"  # those with few wrong inputs
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
new c --arms missing.csv -t 0.5 -b 9
new c --arms empty.csv -t 0.5 -b 9
new c --arms head.csv -b 9
new c --arms bar.csv -b 9
new c --arms twice.csv -t 0.5 -b 9
new c --arms short.csv -b 9
new c --arms words.csv -b 9
new c --arms colour.csv -t 0.5 -b 9
new c --arms nan.csv -b 9
new c --arms misspelt.csv -b 9
new c --arms one-head.csv -t 0.5 -b 9
new c --arms comma.csv -b 9
new c --arms lines.csv -b 9
new c --arms quote.csv -b 9
new c --arms two-bars.csv -b 9
new c --arms zero-cost.csv -t 0.5 -b 9
new c --arms latin.csv -t 0.5 -b 9
new c --arms . -t 0.5 -b 9
new c --arms head.csv -a x -b 9
new c -a x -b 9
new c -a x -b 9 --family gaussian -t 0
new c -a x -a y -t 0.5 -b 9 --control x
new c -a x -a y -b 9 --control z
new c -a x -b 9 --control x
new c -a x -a y -b 9 --margin -0.1
new c -a x -t 0.5 -b 9 --items 0
new c -a x -t 0.5 -b 9 --items items.txt
new c -a x -t 0.5 -b 9 --items missing.txt
new c -a x -t 0.5 -b 9 --tolerance -1
new c -a x -t 0.5 -b 9 --stop-price -1
new c -a x -t 0.5 -b 9 --arms-file bar.csv
new c --arms utf16.csv -b 9
new c --arms packed.csv.gz -t 0.5 -b 9
new c --arms list.json -t 0.5 -b 9
new c --arms nul.csv -t 0.5 -b 9
new c -a x -t 50pct -b 9
new c -a x -t 0.5 --bar 60% -b 9
new c -a x -t 0.5 -b 1,000
new c --arms bar.csv --arms twice.csv -t 0.5 -b 9
new c -a x -t 0.5 -b 9 --items 4 --items items.txt
new c -a x -t 0.5 -b 1e13
new c -a x -t 0.5 -b 9 --lease 10m
new c -a x -t 0.5 -b 9 --risk 95
new c -a x -t 0.5 -b 9 --sigma 2
new c -a x -t 0.5 -b 9 --tolerance 2
new c -a x -t 0.5 -b 9 --items 2.5
new c -a x -t 0.5 -b 9 --items -3
new c -a x -t 0.5 -b 9 --items .
new c -a x -t 0.5 -b 9 --items 3 --repeats 0
new c -a x -t 0.5 -b 9 --items 3 --repeats 1001
new c -a x -t 0.5 -b 9 --repeats 3
new c -a x -t 0.5 -b 9 --items 3 --repeats 3 --guarantee fdr
new c -a x -t 0.5 -b 9 --items 3 --repeats 3 --pass-k 4
new c -a x -t 0.5 -b 9 --target population
new c -a x -t 0.5 -b 9 --items 3 --history missing.csv
new c -a x -t 0.5 -b 9 --history past.csv
new c -a x -t 0.5 -b 9 --items 3 --history past.csv
new c -a x -t 0.5 -b 9 --items 3 --proxy past.csv
new c -a x -t 0.5 -b 9 --items 3 --proxy graded.csv
tell c2 --from repeated.csv --create -t 0.5 -b 9 --item-column item
tell coins --from repeated.csv --repeat-column repeat
tell coins --from repeated.csv --proxy-column scroe
judge-report coins
new c -a x -t 0.5 -b 9 --policy stoping
new c -a x -t 0.5 -b 9 --policy oracle
new c -a x -t -b 9
new c x -t 0.5 -b 9
new c -a x -t 0.5 -b 9 --db memory://
new c -a x -t 0.5 -b 9 --db ''
new c -a x -t 0.5 -b 9 --db sqlite:///list.json
new c -a x -t 0.5 -b 9 --db sqlite:///.
new c -a x -t 0.5 -b 9 --db 'sqlite:///x.db?timeout=-1'
new c -a x -t 0.5 -b 9 --db 'sqlite:///x.db?timeot=1'
ask nothing
ask coins bent
ask 5
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
tell coins --from two-heads.csv
tell coins --from blank.csv
tell coins --from runs.log
tell coins --from latin.csv
tell coins --from labels.csv --item-column question
tell coins --from labels.csv --cost 2
tell coins 1-9f86d081884c7d659a2feaa0c55ad015 nan
tell coins 1-9f86d081884c7d659a2feaa0c55ad015 -0.5
tell coins 1-9f86d081884c7d659a2feaa0c55ad015 yes --cost -1
tell coins 1-9f86d081884c7d659a2feaa0c55ad015 yes please
tell coins 1-9f86d081884c7d659a2feaa0c55ad015 yes --forse
tell coins 1-ab yes --success yes
tell coins --from labels.csv --from runs.csv
tell coins --from labels.csv --success cat --failure cat
tell coins --from packed.csv.gz
tell coins --from utf16.csv
tell coins --from runs.jsonl
tell coins --from .
tell coins --from percent.csv
tell coins --from shout.csv
tell coins --from many.csv --outcome-column arm
amend coins 1-ab 1
amend coins
amend coins 1-ab perhaps
void
void coins
void coins 1-ab
void coins --import abc
void coins --import abc --import abd
void coins 1-ab --import abc
extend coins
extend coins 0
extend coins -5
extend coins 1e13
extend coins 5 --twice
extend coins nan
extend coins much
extend 5 coins
extend coins 5%
extend coins 5 5
extend nothing 5
verdicts nothing
verdicts coins --risk 0
verdicts coins --guarantee sure
verdicts coins --pass sideways
verdicts coins --tolerance -1
verdicts coins --check --guarantee fdr --risk 1
export coins
export nothing --out log.jsonl
export coins --out missing/log.jsonl
export coins --out log.xyz
export coins --format xml
report nothing --out page.html
report coins --out page.doc
report coins --out missing/page.html
verify nothing
verify coins --db sqlite:///list.json
list --db sqlite:///missing.db
list --db nowhere
token new --scope owner
token new --scope work
token new --scope read --campaign coins
token new --days 0
token new --days never
token new --scope admin --campaign coins
token new --days nan
token revoke nothing
token revoke
serve --host 0.0.0.0
serve --public-url nowhere
serve --log-level loud
serve --port many
serve --port 99999
serve --db sqlite:///missing/evals.db
serve --db nowhere
work nowhere coins --command true
work http://127.0.0.1:1 coins
work sqlite:///thresher.db nothing --command true
work sqlite:///thresher.db coins --command true --jobs 0
work sqlite:///thresher.db coins --command 'echo {{item}}'
work sqlite:///thresher.db coins --command true --outcome maybe
work http://127.0.0.1:1 coins --command true --token-file blank-token
work sqlite:///thresher.db coins --command true --token-file list.json
work coins sqlite:///thresher.db --command true
work ftp://host coins --command true
work http:// coins --command true
work http://127.0.0.1:1 coins --command true --token-file missing
work sqlite:///thresher.db coins --command no-such-program-here
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
{RUN} --command no-such-program-here --name run0
{RUN} --command 'exit 127' --name run1
{RUN} --command 'kill -9 $$' --retries 0 --name run2
{RUN} --command 'echo many' --outcome last-line --retries 0 --name run3
{RUN} --command 'echo 2' --outcome last-line --retries 0 --name run4
{RUN} --command 'echo x; exit 1' --outcome last-line --retries 0 --name run5
{RUN} --command 'sleep 9' --timeout 0.05 --retries 0 --name run6
{RUN} --command true --name done --same-measurements
{RUN} --command 'test $RANDOM -gt 9'
{RUN} --function grade
{RUN} --function missing_module:measure --name run8
{RUN} --function json:nothing --name run7
{RUN} --url ftp://127.0.0.1/measure
{RUN} --url http://example.org/measure
{RUN} --command true --db http://user:hunter2@example.org
{RUN} --command true --cost returned
{RUN} --command true --items 0
{RUN} --command 'true {{item}}'
{RUN} --command true --on-error shrug
{RUN} --command true --timeout-outcome 1
{RUN} --command true --db thresher.db
{RUN} --arm a --command true
run --bar 1.5 --budget 4 --arm a --command true
run --bar high --budget 4 --arm a --command true
run --bar 0.5 --budget lots --arm a --command true
run --bar 0.5 --arm a --command true
run --budget 4 --arm a --command true
run --bar 0.5 --budget 4 --arm -x --command 'echo {{arm}}'
run --bar 0.5 --budget 4 --arm a --arms-glob '*.csv' --command true
run --bar 0.5 --budget 4 --matrix arm=a,b --command true
run --bar 0.5 --budget 4 --matrix model=a --matrix model=b --command true
run --bar 0.5 --budget 4 --matrix model=a,,b --command true
run --bar 0.5 --budget 4 --arm a,b,c --command true
{RUN} --command true --risk 0.5
{RUN} --command true --low 1 --high 5
run --bar 0.5 --budget 4 --matrix a=1,2 --matrix A=3,4 --command true
{RUN} --command 'echo "$(cat "{{arm}}")"'
{RUN} --command 'bash -c "cat "{{arm}}'
run --budget 4 --arms-file bar.csv --command true
run --bar 0.5 --budget 4 --arms-file misspelt.csv --command true
run --bar 0.5 --budget 4 --arms-file one-head.csv --command true
run --bar 0.5 --budget 4 --arms-file lines.csv --command true
run --bar 0.5 --budget 4 --arms-file missing.csv --command true
run --bar 0.5 --budget 4 --arms-file empty.csv --command true
run --bar 0.5 --budget 4 --arms-glob 'missing/*.txt' --command true
run text-budget.toml
run text-arms.toml
run labels.csv
run .
{RUN} --command true --rate 0/minute
{RUN} --command true --fresh --same-measurement
run --bar 0.5 --budget 4 --arms-file bar.csv --arms-file twice.csv --command true
{RUN} --command true --timeout 5s
{RUN} --command true --outcome 'regex:('
{RUN} --url ftp://host/path
{RUN} --command true --junit .
{RUN} --command 'echo nan' --outcome last-line --retries 0 --name run17
{RUN} --command 'sleep 9' --timeout 0.1 --retries 0 --name run18
run --bar 0.5 --budget 4 --arms-file list.json --command true
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
simulate linear --policy lsa --budget lots
simulate linear --policy lsa --budget 500 --recommend best
simulate linear --policy lsa --budget 500 --tolerance -1
simulate linear --policy lsa --budget 500 --executor cloud
simulate linear --policy lsa --budget 500 --in-flight -1
simulate linear --policy lsa --budget 500 --seed -1
simulate linear --policy lsa:alpha=x --budget 500
simulate linear --policy lsa --budget 500 --out missing/table.csv
simulate linear --policy lsa --budget 500 --plot picture.doc
simulate samples.csv:threshold=0.5 --policy lsa --budget 500
simulate pilot.csv --policy lsa --budget 500
simulate negative.csv --policy lsa --budget 500
simulate families.csv --policy lsa --budget 500
simulate typo.json --policy lsa --budget 500
simulate twice.json --policy lsa --budget 500
simulate linear:arms=5 --policy lsa --budget 500
simulate linear --policy lsa --budget 500 --control nothing
simulate high.json --policy lsa --budget 50
simulate no-bar.json --policy lsa --budget 50
simulate true.json --policy lsa --budget 50
simulate long-bars.json --policy lsa --budget 50
simulate list.json --policy lsa --budget 50
simulate . --policy lsa --budget 50
simulate linear:K=2.5 --policy lsa --budget 500
simulate linear:K= --policy lsa --budget 500
simulate linear --policy lsa --budget nan
simulate linear --policy lsa --budget 500 --runs 1e3
theory nonsense --budget 50
theory linear --budget -1
theory linear --budget few
theory linear --budget 500 --population -1
plan
plan linear --mistakes 0
plan linear --mistakes few
plan linear --mistakes 50
plan --arms 0 --spread 1
plan --pilot missing.csv
reproduce figure-99 --out figures
reproduce figure-1 --out figures --runs 0
reproduce figure-1 --out list.json
league --runs 0
league --suite nothing
problems nothing
bench --fast
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
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert answer_to("new coins -a fair -a bent -t 0.5 -b 20", folder)[0] == 0


def page(answers: Mapping[str, tuple[int, str]]) -> str:
    """Return the page that lists what each wrong input gets, given the exit codes and what was printed."""
    text = [
        "# Wrong inputs",
        "",
        "A message names the field and its value, then the rule, then how to fix it. The exit code is 3, without a",
        f"traceback. Below are {len(CASES)} wrong inputs with the message of each, by command; a test compares them",
        "with the program. `tests/support/wrong_inputs.py` has the files; `coins` is a campaign that exists.",
    ]
    rows = defaultdict(list)
    for line, (_, said) in answers.items():
        rows[_chapter(line)].append(f"| {_cell('thresher ' + line)} | {_cell(first_line(said))} |")
    for title, table in sorted(rows.items(), key=lambda chapter: chapter[0] == OTHERS):
        text += ["", "<details markdown>", f"<summary>{title}: {len(table)}</summary>", ""]
        text += ["| input | message |", "|---|---|", *table, "", "</details>"]
    return "\n".join(text) + "\n"


def _chapter(line: str) -> str:
    """Return the heading under which a line is listed: its command, or that of the commands with few lines."""
    command = line.split()[0]
    few = sum(other.split()[0] == command for other in CASES) < 5
    return OTHERS if few else f"<code>thresher {command}</code>"


def first_line(said: str) -> str:
    """Return the message of a command, without its prefix."""
    lines = [line for line in said.splitlines() if line.startswith("thresher: ")]
    return lines[-1].removeprefix("thresher: ") if lines else ""


def _cell(text: str) -> str:
    for letter, shown in (("&", "&amp;"), ("<", "&lt;"), ("|", "&#124;"), ("{", "&#123;")):
        text = text.replace(letter, shown)
    return f"<code>{text}</code>"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        prepare(folder)
        sys.stdout.write(page({line: answer_to(line, folder) for line in CASES}))
