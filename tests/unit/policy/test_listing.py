from thresher.policy import find_policy, policy_names
from thresher.policy.listing import DEFAULT, list_policies


def test_every_policy_is_listed_once() -> None:
    assert [entry.name for entry in list_policies()] == policy_names()
    assert DEFAULT in policy_names()


def test_a_listed_policy_says_what_it_does_and_where_it_comes_from() -> None:
    for entry in list_policies():
        assert entry.summary.endswith(".")
        assert entry.summary[0].isupper()
        assert not entry.summary.startswith("Return")
        assert entry.source


def test_parameters_are_listed_with_their_defaults_and_can_be_typed_so() -> None:
    listed = {entry.name: entry for entry in list_policies()}
    assert listed["lsa"].parameters == "alpha=1"
    assert listed["apt"].parameters == "epsilon=0"
    assert listed["fwt"].parameters == ""
    assert listed["sprt"].parameters == ""
    for entry in listed.values():
        if entry.parameters:
            assert find_policy(f"{entry.name}:{entry.parameters}").name == f"{entry.name}:{entry.parameters}"


def test_what_knows_the_truth_says_so() -> None:
    listed = {entry.name: entry.traits for entry in list_policies()}
    assert listed["sprt"].needs_truth
    assert not listed["stopping"].needs_truth
    assert not listed["uniform-iid"].needs_truth
    assert listed == {name: find_policy(name).traits for name in listed}


def test_what_stops_by_itself_says_that_it_needs_an_error_rate() -> None:
    for entry in list_policies():
        assert entry.summary.startswith("With --alpha: ") == entry.traits.stops


def test_summaries_are_plain_text() -> None:
    listed = {entry.name: entry for entry in list_policies()}
    assert (
        listed["augucb"].summary == "The active arm of least |μ\u0302 - θ| - 2s; arms clear of the bar by 2s are left."
    )
    for entry in listed.values():
        assert "\\" not in entry.summary
        assert ":`" not in entry.summary


def test_what_a_policy_needs_is_said_in_words() -> None:
    listed = {entry.name: entry.traits.needs for entry in list_policies()}
    assert (listed["ucbe"], listed["csar"], listed["lsa"]) == ("the truth and the horizon", "the horizon", "")
