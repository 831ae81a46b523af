"""One measurement: ask a model a question and grade its answer."""

import random

PROMPTS = {
    "terse": "{question}",
    "polite": "Would you please tell me the sum: {question}",
    "step-by-step": "Think step by step, then give the sum alone: {question}",
}
SLIPS = {"small": 0.35, "large": 0.12}  # how often a simulated model is wrong


def answer(model: str, text: str) -> str:
    """Return the answer of a simulated model; replace this by a call to your provider."""
    total = sum(int(word) for word in text.split() if word.isdigit())
    slip = SLIPS[model] * (0.25 if "step by step" in text else 1.0)
    return str(total + (random.random() < slip))


def measure(arm: str, model: str, prompt: str) -> bool:
    """Return whether one answer is correct; `model` and `prompt` are the parameters of the arm."""
    first, second = random.randint(10, 99), random.randint(10, 99)
    text = PROMPTS[prompt].format(question=f"{first} + {second}")
    return answer(model, text) == str(first + second)
