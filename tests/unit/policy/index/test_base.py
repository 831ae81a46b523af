import pickle

import pytest

from thresher.policy.index import INDICES


@pytest.mark.parametrize("name", INDICES)
def test_an_index_that_travelled_is_still_itself(name: str) -> None:
    assert pickle.loads(pickle.dumps(INDICES[name])) is INDICES[name]


@pytest.mark.parametrize("name", INDICES)
def test_every_index_has_a_summary_and_a_source(name: str) -> None:
    assert INDICES[name].summary.endswith(".")
    assert INDICES[name].source
