"""The command line: one module per command."""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.cli.main import (
        main,
    )

import_lazily(__name__)

__all__ = [
    "main",
]
