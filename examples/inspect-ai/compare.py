"""Four mock models on two tasks: the verdicts of a full run, at a fraction of its samples."""

import argparse
import os
import tempfile

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate

from thresher.inspect_ai import Bar

SHARES = {"strong": 0.97, "good": 0.9, "weak": 0.6, "poor": 0.3}  # of the questions that each model can answer


def mock(name: str, share: float) -> Model:
    """Return a model without a network that answers a share of the questions."""

    def answer(messages, *_):
        number = int(messages[-1].text.split()[-1])
        is_right = int((number + 1) * share) > int(number * share)
        output = ModelOutput.from_content(f"mockllm/{name}", "yes" if is_right else "no")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1)
        return output

    return get_model(f"mockllm/{name}", custom_outputs=answer, memoize=False)


def task(name: str, bar: Bar | None) -> Task:
    questions = [Sample(id=i, input=f"question {i}", target="yes") for i in range(200)]
    return Task(name=name, dataset=MemoryDataset(questions), solver=generate(), scorer=match(), early_stopping=bar)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--budget", type=int, default=1200)
    parser.add_argument("--db", default=None, help="such as sqlite:///bar.db")
    given = parser.parse_args()
    bar = Bar(0.8, budget=given.budget, db=given.db, arms=8)
    models = [mock(name, share) for name, share in SHARES.items()]
    with tempfile.TemporaryDirectory() as logs:
        tasks = [task("sums", bar), task("words", bar)]
        done = evaluate(
            tasks, model=models, sample_shuffle=1, max_tasks=8, display="none", log_dir=logs, log_realtime=False
        )
    for log in done:
        said = log.results.early_stopping.metadata
        print(f"{log.eval.task:<6} {log.eval.model:<15} {said['decision']:<5} {said['measured']:>4} of 200 samples")
    print(f"{bar.spent:g} of {200 * len(done)} samples ({bar.spent / (200 * len(done)):.0%})")


if __name__ == "__main__":
    os.environ.setdefault("INSPECT_LOG_LEVEL", "error")
    main()
