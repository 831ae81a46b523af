"""Results that promptfoo wrote; data/README.md says how."""

from pathlib import Path

from thresher.run.importers import Columns, map_log, read_log

DATA = Path(__file__).parent / "data"


def told(columns: Columns | None = None, name: str = "promptfoo.json") -> tuple[list[tuple[str, float]], int]:
    outcomes, left_out = read_log(DATA / name, columns)
    return [(one.arm, one.value) for one in outcomes], left_out


def test_a_prompt_with_a_provider_is_an_arm() -> None:
    # Echo repeats the prompt: only the polite one holds the answer. The broken provider never answered.
    outcomes, left_out = told()
    assert sorted(outcomes) == [
        *[("prompt=polite provider=echo", 1.0)] * 2,
        *[("prompt=terse provider=echo", 0.0)] * 2,
    ]
    assert left_out == 2


def test_other_columns_may_be_chosen() -> None:
    outcomes, _ = told(Columns(arm=("vars.question",), outcome="score"))
    assert sorted(outcomes) == [("2+2", 0.0), ("2+2", 1.0), ("3+3", 0.0), ("3+3", 1.0)]


def test_every_result_is_told_apart() -> None:
    outcomes, _ = read_log(DATA / "promptfoo.json")
    assert len({one.hash for one in outcomes}) == 4


def test_prompts_of_several_lines_are_told_apart_by_one() -> None:
    found = map_log(DATA / "promptfoo.jsonl")
    polite = "prompt=Answer politely. Question: {{question}} The answer is {{answer}}. provider=echo"
    assert sorted((one.arm, one.value) for one in found.outcomes) == [
        *[(polite, 1.0)] * 2,
        *[("prompt={{question}} provider=echo", 0.0)] * 2,
    ]
    assert list(found.renamed) == [polite]
    assert "\n" in found.renamed[polite]
    assert (found.log.format, len({one.hash for one in found.outcomes})) == ("promptfoo", 4)
