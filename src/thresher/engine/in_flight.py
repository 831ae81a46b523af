"""Runs with several pulls outstanding at a time, in batches or one by one, as workers bring them back.

There is no level to raise here: a pull is asked for before earlier ones have shown anything. The next arm comes from a
knock-out tournament, in which an arm that has changed plays its matches again. The twin, to be read, is
:func:`thresher.engine.reference.spend_in_flight`.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.engine.draws import Arms, outcome_at, supply_of
from thresher.engine.flight import Flight, hurry, launch, new_flight
from thresher.engine.runs import Counted, Question, count_run, new_counted, see
from thresher.engine.table import Table, drawn_by, new_table, ranked_by, start_run
from thresher.index.evidence import STUDENT
from thresher.jit import kernel, part
from thresher.policy.ranking import Ranking, urgency_in_flight
from thresher.streams import RETURNS, Word, arm_key, uniform, word_at
from thresher.types import Ints


@part
def _new_tournament(n_arms: int) -> Ints:
    """Return the winners of all matches, shape (2 N,): leaves from N on, N a power of two, -1 where there is no arm.

    The winner of all is at 1.
    """
    leaves = 1
    while leaves < n_arms:
        leaves *= 2
    winners = np.full(2 * leaves, -1)
    winners[leaves : leaves + n_arms] = np.arange(n_arms)
    return winners


@part
def _play_again(table: Table, winners: Ints, k: int) -> None:
    """Let an arm play its matches: the lesser index wins, the lowest arm of equals."""
    node = (winners.size // 2 + k) // 2
    while node > 0:
        left, right = winners[2 * node], winners[2 * node + 1]
        winners[node] = right if right >= 0 and table.urgencies[right] < table.urgencies[left] else left
        node //= 2


@part
def _rank_again(table: Table, flight: Flight, winners: Ints, k: int, first_pulls: int) -> None:
    """Bring the index of an arm up to date, and the tournament with it."""
    row, asked = table.rows[k], flight.asked[k]
    if asked < first_pulls:
        table.urgencies[k] = -math.inf
    elif asked >= supply_of(drawn_by(table.kind, row)):
        table.urgencies[k] = math.inf
    else:
        rule, count = ranked_by(table.kind, row), row["count"]
        outstanding = float(asked - count)
        table.urgencies[k] = urgency_in_flight(rule, float(count), row["total"], row["squares"], outstanding)
    _play_again(table, winners, k)


@part
def _ask(table: Table, flight: Flight, winners: Ints, flying: int, first_pulls: int) -> int:
    """Ask for a pull of the arm of least index; return what it costs."""
    k = winners[1]
    launch(flight, flying, k)
    _rank_again(table, flight, winners, k, first_pulls)
    return int(table.rows[k]["ticks"])


@part
def _tell(table: Table, flight: Flight, winners: Ints, flying: int, first_pulls: int) -> None:
    """See the outcome of an outstanding pull."""
    k = flight.arms[flying]
    row = table.rows[k]
    outcome = outcome_at(drawn_by(table.kind, row), table.pool, flight.places[flying])
    row["count"] += 1
    row["total"] += outcome
    if table.kind.evidence == STUDENT:
        row["squares"] += (outcome - row["threshold"]) ** 2
    _rank_again(table, flight, winners, k, first_pulls)


@part
def _spend(
    table: Table,
    flight: Flight,
    winners: Ints,
    returns: Word,
    asynchronous: bool,
    first_pulls: int,
    money: int,
    ceiling: float,
) -> int:
    """Ask and tell until nothing is outstanding and nothing can be asked for; return the money left, in ticks."""
    flying = returned = 0
    while True:
        while flying < flight.arms.size:
            k = winners[1]
            if table.rows[k]["ticks"] > money or table.urgencies[k] >= ceiling:
                break
            money -= _ask(table, flight, winners, flying, first_pulls)
            flying += 1
        if flying == 0:
            return money
        back = flying
        if asynchronous:
            hurry(flight, flying, uniform(word_at(returns, returned)))
            returned, back = returned + 1, 1
        for _ in range(back):
            flying -= 1
            _tell(table, flight, winners, flying, first_pulls)


@kernel
def run_in_flight(
    ranking: Ranking,
    arms: Arms,
    question: Question,
    in_flight: int,
    asynchronous: bool,
    seed: int,
    first_run: int,
    runs: int,
) -> Counted:
    """Run an index policy with pulls outstanding and judge it at the end of every budget.

    Parameters
    ----------
    ranking : Ranking
    arms : Arms
    question : Question
        There is no peak: what is asked for is chosen by expected indices. It is judged at the end.
    in_flight : int
        How many pulls may be outstanding, at least one.
    asynchronous : bool
        False: all pulls of a batch come back before the next is asked for. True: each time one outstanding pull comes
        back, all being equally likely, and the next one is asked for.
    seed, first_run, runs : int
    """
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted, table = new_counted(runs, n_budgets, n_arms), new_table(ranking, arms)
    for i in range(runs):
        for b in range(n_budgets):  # the end of a budget waits for all outstanding pulls: start again each time
            returns = arm_key(start_run(table, arms, seed, first_run + i), RETURNS)
            flight, winners, money = new_flight(n_arms, in_flight), _new_tournament(n_arms), question.budgets[b]
            for k in range(n_arms):
                _rank_again(table, flight, winners, k, arms.first_pulls)
            left = _spend(table, flight, winners, returns, asynchronous, arms.first_pulls, money, question.ceiling)
            count_run(counted, i, b, ranking, arms, see(table), question, money - left)
    return counted
