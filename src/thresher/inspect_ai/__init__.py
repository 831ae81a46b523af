"""Early stopping for inspect_ai: one budget for all tasks and models, spent where the verdict is in doubt.

``Task(early_stopping=Bar(0.8, budget=400))`` measures every task × model until it is decided. It needs the extra
``inspect``.
"""

from thresher.errors import MissingExtraError

try:
    from thresher.inspect_ai.bar import Bar
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "inspect_ai":
        raise
    raise MissingExtraError("early stopping in inspect_ai", "inspect") from error

__all__ = ["Bar"]
