from pathlib import Path

import pytest

from thresher.research.papers.claims.claim import REGISTERED, ClaimVerdict, Finding, claim, found


def test_a_check_becomes_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.research.papers.claims.claim.REGISTERED", {})

    @claim(
        "two",
        ClaimVerdict.HOLDS,
        place="Section 9",
        says="1 + 1 = 2.",
        why="Counted.",
        evidence="thresher reproduce toy",
    )
    def check(_: object) -> Finding:
        return found("2", holds=1 + 1 == 2)

    from thresher.research.papers.claims import claim as module

    assert module.REGISTERED["two"].check(None) == Finding(ClaimVerdict.HOLDS, "2")  # type: ignore[arg-type]
    assert module.REGISTERED["two"].figure == ""


def test_two_claims_of_one_name_are_refused() -> None:
    taken = next(iter(REGISTERED))
    with pytest.raises(AssertionError, match=taken):
        claim(taken, ClaimVerdict.HOLDS, place="", says="", why="", evidence="")(lambda _: found("", holds=True))


def test_the_condition_counts_only_if_the_claim_does_not_hold() -> None:
    assert found("", holds=True, if_conditioned=True).verdict == ClaimVerdict.HOLDS
    assert found("", holds=False, if_conditioned=True).verdict == ClaimVerdict.CONDITION
    assert found("", holds=False).verdict == ClaimVerdict.FAILS


def test_each_module_of_claims_is_in_the_order() -> None:
    from thresher.research.papers import claims

    folder = Path(claims.__file__).parent
    modules = {f"{claims.__name__}.{path.stem}" for path in folder.glob("*.py")} - {
        f"{claims.__name__}.__init__",
        f"{claims.__name__}.claim",
    }
    assert {claim.check.__module__ for claim in claims.CLAIMS.values()} == modules
    assert set(claims.CLAIMS) == {name for name, claim in REGISTERED.items() if claim.check.__module__ in modules}
