"""What a server is told when it starts: what cannot be is refused."""

import math
from typing import Any

import pytest

from thresher.errors import InvalidProblemError
from thresher.service import Settings


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"request_timeout": 0.0}, "request timeout of 0.0 seconds; give more than 0 and at most 3600"),
        ({"request_timeout": -1.0}, "request timeout of -1.0"),
        ({"request_timeout": math.nan}, "request timeout of nan"),
        ({"request_timeout": math.inf}, "request timeout of inf"),
        ({"max_connections": 0}, "0 connections; allow 1 or more"),
    ],
)
def test_limits_that_no_server_can_keep_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidProblemError, match=sentence):
        Settings(**given)
