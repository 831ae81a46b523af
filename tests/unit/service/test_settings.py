"""What a server is told when it starts: what cannot be is refused."""

import math
from typing import Any

import pytest

from thresher.errors import InvalidInputError
from thresher.service import Settings


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"request_timeout": 0.0}, "request_timeout is 0; must be above 0 and at most 3600 seconds"),
        ({"request_timeout": -1.0}, "request_timeout is -1"),
        ({"request_timeout": math.nan}, "request_timeout is nan"),
        ({"request_timeout": math.inf}, "request_timeout is inf"),
        ({"max_connections": 0}, "max_connections is 0; must be at least 1"),
    ],
)
def test_limits_that_no_server_can_keep_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        Settings(**given)
