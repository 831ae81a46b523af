"""What each policy needs and can do, written out; what follows from it."""

import pytest

from thresher.policy import Traits, find_policy, policy_names

# As columns: needs the truth, the horizon, all arms; can play in flight, at the peak, at a price.
TRUTH, HORIZON, ALL_ARMS, IN_FLIGHT, PEAK, PRICE = "truth", "horizon", "all arms", "in flight", "peak", "price"
INDEX = {IN_FLIGHT, PEAK, PRICE}
EXPECTED: dict[str, set[str]] = {
    "apt": INDEX,
    "lsa": INDEX,
    "fwt": INDEX,
    "fwt-sqrt": INDEX,
    "fwt-gaps": INDEX,
    "stopping": INDEX,
    "stopping-gaps": INDEX,
    "uniform": INDEX,
    "sprt": {TRUTH, *INDEX},
    "kl-apt": INDEX,
    # Do not look at outcomes.
    "uniform-iid": {ALL_ARMS, PEAK},
    "oracle": {TRUTH, HORIZON, ALL_ARMS, PEAK},
    "static-optimum": {TRUTH, HORIZON, ALL_ARMS, PEAK},
    # Weigh each arm by the others.
    "more-than": {ALL_ARMS},
    "stopping-fitted": {ALL_ARMS},
    # Looks for decisions.
    "decide": {ALL_ARMS, IN_FLIGHT},
    # Look at the clock or the horizon, or draw.
    "ucbe": {TRUTH, HORIZON, ALL_ARMS, IN_FLIGHT},
    "bayes-ucb": {HORIZON, ALL_ARMS, IN_FLIGHT},
    "evt-pf": {ALL_ARMS, IN_FLIGHT},
    "kg": {ALL_ARMS, IN_FLIGHT},
    "opt-kg": {ALL_ARMS, IN_FLIGHT},
    "pi": {ALL_ARMS, IN_FLIGHT},
    "tts": {ALL_ARMS, IN_FLIGHT},
    "ocba": {ALL_ARMS, IN_FLIGHT},
    "slr": {ALL_ARMS, IN_FLIGHT},
    "slr-d": {ALL_ARMS, IN_FLIGHT},
    "straddle": {ALL_ARMS, IN_FLIGHT},
    "xie-frazier": {ALL_ARMS, IN_FLIGHT},
    "randomised-straddle": {ALL_ARMS, IN_FLIGHT},
    # Have phases, whose end they could not tell with pulls in flight.
    "csar": {HORIZON, ALL_ARMS},
    "augucb": {HORIZON, ALL_ARMS},
    "mtb": {HORIZON, ALL_ARMS},
    "utb": {HORIZON, ALL_ARMS},
    # Stop by themselves.
    "hdoc": {ALL_ARMS},
    "lucb-g": {ALL_ARMS},
    "apt-g": {ALL_ARMS},
    "lil-hdoc": {ALL_ARMS},
    "jj-fdr": {ALL_ARMS},
    "jj-fwer": {ALL_ARMS},
    "murphy": {ALL_ARMS},
    "sticky-tas": {ALL_ARMS},
    "glr-apt": {ALL_ARMS},
}
PROMISES = {
    "hdoc": "any mistake",
    "lucb-g": "any mistake",
    "apt-g": "any mistake",
    "lil-hdoc": "any mistake",
    "jj-fdr": "share of false outputs",
    "jj-fwer": "any false output",
    "murphy": "any mistake",
    "sticky-tas": "any mistake",
    "glr-apt": "any mistake",
}


def test_the_table_has_every_policy() -> None:
    assert sorted(EXPECTED) == sorted(policy_names())


@pytest.mark.parametrize("name", EXPECTED)
def test_a_policy_needs_and_can_do_what_it_always_did(name: str) -> None:
    expected = EXPECTED[name]
    assert find_policy(name).traits == Traits(
        needs_truth=TRUTH in expected,
        needs_horizon=HORIZON in expected,
        needs_all_arms=ALL_ARMS in expected,
        in_flight=IN_FLIGHT in expected,
        peak=PEAK in expected,
        price=PRICE in expected,
        promise=PROMISES.get(name, ""),
    )


def test_a_policy_with_a_promise_stops_by_itself() -> None:
    assert Traits(promise="any mistake").stops
    assert not Traits().stops


def test_what_is_needed_in_words() -> None:
    assert Traits().needs == ""
    assert Traits(needs_truth=True).needs == "the truth"
    assert Traits(needs_horizon=True).needs == "the horizon"
    assert Traits(needs_truth=True, needs_horizon=True).needs == "the truth and the horizon"
