"""The campaign object of the Python API."""

from __future__ import annotations

import html
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack, overload

from thresher.campaign.arguments import ticket_id
from thresher.campaign.arms import arm_rows, first_rows
from thresher.campaign.backends import Backend, connect, create, standings
from thresher.campaign.inputs import lookup_name, name_of
from thresher.campaign.items import item_names, most_of_items
from thresher.campaign.ledger import Aggregate, ImportLog, Score, Terms
from thresher.campaign.messages import Entry, Receipt, Standing, Ticket, ToldItem
from thresher.campaign.signal_inputs import given_signals, is_campaign_name, mapping_of, past_arms, scores_of_arm
from thresher.campaign.similar_names import SimilarNamesWarning, look_alike, similar_note
from thresher.campaign.storage import Storage
from thresher.campaign.term_keywords import TermKeywords
from thresher.campaign.verbs import Verb, Verbs
from thresher.errors import InvalidInputError, InvalidOutcomeError, UnknownCampaignError, UnknownNameError
from thresher.report import amount, exact, figure
from thresher.terms import OFFERED, accept_terms, list_terms

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thresher.campaign.allocation import Allocation
    from thresher.campaign.imports import Imported, ImportPlan
    from thresher.campaign.items import Items
    from thresher.campaign.verdicts import Verdicts
    from thresher.inference import Agreement

SHORTEST_WAIT, LONGEST_WAIT = 0.02, 0.5  # seconds between polls for budget that another worker may return

COUNTS = "tell_counts"  # the default source of tables of aggregates

# The keywords of a campaign that are not terms.
GIVEN = (
    "arms",
    "items",
    "budget",
    "threshold",
    "bar",
    "sigma",
    "costs",
    "pull_costs",
    "measured",
    "history",
    "proxy",
    "token",
)

# Named here, because in the class a list is the list of campaigns.
Tickets: TypeAlias = list[Ticket]
Receipts: TypeAlias = list[Receipt]
ToldPull: TypeAlias = tuple[Ticket | str, Any] | tuple[Ticket | str, Any, float | None]
Entries: TypeAlias = list[Entry]


class Campaign(Verbs):
    """A live problem with a budget: ask which arm to measure next, tell the outcome, read the verdicts.

    Get one from :meth:`create` or :meth:`open`. It is safe in threads, and the same campaign may be open in any number
    of processes. When a call returns, its effect is durable; a call that raises has stored nothing, or can be repeated
    safely.

    Parameters
    ----------
    backend : LocalBackend or HttpBackend
        The campaign in a database, or behind a service.

    Examples
    --------
    >>> campaign = Campaign.create("memory://", "coins", arms=["fair", "bent"], threshold=0.4, budget=20)
    >>> for ticket in campaign.tickets():
    ...     _ = campaign.tell(ticket, ticket.arm == "fair")
    >>> [(row.arm, row.verdict) for row in campaign.verdicts()]
    [('fair', 'above'), ('bent', 'below')]
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def perform(self, verb: Verb, given: Mapping[str, Any]) -> Any:
        """Perform a verb with its arguments by name; return what it returns."""
        return self._backend.perform(verb, given)

    @classmethod
    def create(
        cls,
        address: str | Storage,
        name: str,
        *,
        arms: Any,
        budget: float,
        items: Any = None,
        threshold: Any = None,
        bar: Any = None,
        sigma: Any = None,
        costs: Any = None,
        pull_costs: Any = None,
        measured: Mapping[str, int] | None = None,
        history: Any = None,
        proxy: Any = None,
        token: str | None = None,
        **terms: Unpack[TermKeywords],
    ) -> Campaign:
        """Return a new campaign.

        Parameters
        ----------
        address : str or Storage
            ``sqlite:///file.db`` (created if it does not exist), ``postgresql://user@host/database``, ``memory://``, or
            ``https://host`` of a service. A storage that is passed in is never closed.
        name : str
            Any text of 1 to 500 characters.
        arms : sequence of str, mapping of columns, or data frame
            Names; or the columns ``arm``, ``threshold``, ``sigma``, ``cost``, ``pull_cost``; only the first is needed.
        budget : float
            In the unit of the pull costs; at least the cost of the initial pulls that are still to be made. With items,
            at most the cost of every item for every arm, as often as `repeats` says: a larger budget is reduced, with a
            warning.
        items : sequence of str, or int, optional
            The items that every arm can answer, such as the questions of a benchmark: their names or their number.
            The verdict on an arm is then about the mean over all items. Each is asked once unless `repeats` is given.
        threshold, sigma, costs, pull_costs : float or sequence of float, optional
            One for all arms, or one for each; a number in a column takes precedence.
        bar : optional
            Another name of `threshold`; give one of them.
        measured : mapping of str to int, optional
            The number of outcomes of each arm that you tell next, such as those of an import: the budget need not pay
            them.
        history : str, path, data frame or mapping, optional
            Outcomes of past arms on the same items; they are neither measured nor judged. The name of a campaign at
            this address, a CSV file or a data frame with the columns ``arm``, ``item`` and ``value``, or a mapping from
            arms to items to outcomes. Other items are left out.
        proxy : path, data frame or mapping, optional
            A cheap score of the answer of every arm to every item, such as that of an LLM judge: in the same forms, any
            numbers, in a column ``value`` or ``score``; scores may be missing, or come later (:meth:`tell_proxy`).
        token : str, optional
            For a service; else the environment variable ``THRESHER_TOKEN`` has it.
        **terms
            ``family``, ``policy``, ``lease`` and the other terms: see :class:`thresher.campaign.ledger.Terms`.

        Warns
        -----
        SimilarNamesWarning
            If names of arms differ only by case or blanks.

        Raises
        ------
        InvalidInputError, UnknownNameError
            If a value breaks its rule.
        CampaignExistsError
            If the name is taken.
        StorageError
            If the database cannot be used.
        """
        for keyword in terms:
            if keyword not in (known := [term.name for term in OFFERED]):
                raise UnknownNameError("keyword of a campaign", keyword, (*known, *GIVEN))
        fixed = Terms.of_new(**terms)
        numbers = {"thresholds": _one_of(threshold, bar), "sigma": sigma, "costs": costs, "pull_costs": pull_costs}
        rows = first_rows(fixed, arms, **numbers)
        names = () if items is None else item_names(items)
        past = _past_of(address, history, token) if is_campaign_name(history) else history
        signals = given_signals(past, proxy, [row[0] for row in rows], names)
        more: dict[str, Any] = {"items": names, "measured": measured, "signals": signals, "token": token}
        made = create(address, name_of("campaign", name), fixed, rows, budget=budget, **more)
        if names and (most := made.standing().budget) < budget:
            warnings.warn(f"the budget is reduced to {exact(most)}: {most_of_items(fixed.repeats)}", stacklevel=2)
        if alike := similar_note(look_alike(row[0] for row in rows)):
            warnings.warn(alike, SimilarNamesWarning, stacklevel=2)
        return cls(made)

    @classmethod
    def open(cls, address: str | Storage, name: str, *, token: str | None = None) -> Campaign:
        """Return a campaign that exists.

        Parameters
        ----------
        address, name : str
            As in :meth:`create`.
        token : str, optional
            For a service; else the environment variable ``THRESHER_TOKEN`` has it.

        Raises
        ------
        UnknownCampaignError
            If there is none of that name.
        AccessDeniedError
            If a service does not accept the token.
        StorageError
            If the database or the service cannot be used.
        """
        return cls(connect(address, name, token=token))

    @classmethod
    def list(cls, address: str | Storage, *, archived: bool = False, token: str | None = None) -> list[Standing]:
        """Return the state of each campaign at an address, oldest first; with `archived` also of archived ones."""
        return standings(address, archived=archived, token=token)

    @overload
    def ask(self, n: None = None, *, key: str | None = None) -> Ticket | None: ...
    @overload
    def ask(self, n: int, *, key: str | None = None) -> Tickets: ...
    def ask(self, n: int | None = None, *, key: str | None = None) -> Ticket | Tickets | None:
        """Return a ticket for the most valuable pull, or None; with `n` a list of up to `n` tickets.

        Parameters
        ----------
        n : int, optional
            From 1 to 10,000. Each ticket takes into account those issued before it.
        key : str, optional
            Idempotency key: an ask repeated with the same key returns the same tickets, whatever its `n`, and reserves
            no more of the budget.

        Raises
        ------
        ConflictingKeyError
            If the key was used for something other than an ask.
        """
        tickets = self._backend.ask(1 if n is None else n, key=key)
        if n is not None:
            return tickets
        return tickets[0] if tickets else None

    def allocate(self, budget: float | None = None) -> Allocation:
        """Return how the next batch should be split over the arms, without reserving anything.

        It is the batch that asks would issue now, each measurement in view of those before it: for label queues and
        for experimentation tools that take shares.

        Parameters
        ----------
        budget : float, optional
            What the batch may cost, in the unit of the pull costs; it may exceed the budget of the campaign. The
            default is what is left of that budget.

        Raises
        ------
        InvalidInputError
            If it is not a positive amount, nothing is left, or it pays more than 1,000,000 measurements.
        """
        now = self.standing if budget is None else None
        return self._backend.allocate(budget if now is None else now.budget - now.spent - now.outstanding)

    def tell(self, ticket: Ticket | str, outcome: Any, cost: float | None = None) -> Receipt:
        """Tell the outcome of a pull; safe to repeat.

        Parameters
        ----------
        ticket : Ticket or str
        outcome : float or bool
        cost : float, optional
            The actual cost of the pull, such as tokens or dollars, if it is known only now. It is charged instead of
            the pull cost that the ticket has reserved, as far as the budget can pay it; the receipt has the rest as
            `unpaid`. A late outcome counts only if the budget can pay all of it. A repeated tell charges nothing. The
            terms `least_cost` and `most_cost` limit it; over HTTP a worker may tell a cost only if they are set.

        Raises
        ------
        InvalidOutcomeError
            If the family does not allow this outcome.
        UnknownTicketError
            If this campaign never issued the ticket.
        ConflictingOutcomeError
            If another outcome is stored; the stored one stays. After an amendment the original outcome may be told
            again; that changes nothing.
        """
        return self._backend.tell([(ticket_id(ticket), outcome, cost)])[0]

    def tell_many(self, outcomes: Iterable[ToldPull], *, batch: str | None = None) -> Receipts:
        """Tell (ticket, outcome) or (ticket, outcome, cost) tuples in one transaction, all or none; safe to repeat.

        :meth:`void_import` voids all outcomes with the same `batch`, an id of at most 64 characters.
        """
        if not isinstance(outcomes, Iterable):
            raise _no_pairs(outcomes)
        return self._backend.tell([_pair(pair) for pair in outcomes], batch=batch)

    @overload
    def tell_counts(
        self,
        arm: str,
        *,
        n: int,
        total: float,
        squares: float | None = None,
        paid: bool = True,
        key: str | None = None,
        batch: str | None = None,
    ) -> Receipt: ...
    @overload
    def tell_counts(
        self,
        arm: Any,
        *,
        paid: bool = False,
        batch: str | None = None,
        source: str = COUNTS,
        cumulative: bool = False,
        replace: bool = False,
    ) -> Imported: ...
    def tell_counts(
        self,
        arm: Any,
        *,
        n: Any = None,
        total: Any = None,
        squares: float | None = None,
        paid: bool | None = None,
        key: str | None = None,
        batch: str | None = None,
        source: str = COUNTS,
        cumulative: bool = False,
        replace: bool = False,
    ) -> Receipt | Imported:
        """Tell outcomes of one arm as an aggregate, or a table of aggregates, without tickets.

        Parameters
        ----------
        arm : str, mapping of columns, or data frame
            A name; or a table with the columns ``arm``, ``n``, ``total``, and perhaps ``squares`` and ``key``, such as
            the day. All its rows are told in one transaction. A row with the same arm and key as one that was told
            counts once; with other numbers it is an error.
        n : int
            How many outcomes.
        total, squares : float
            Their sum, and the sum of their squares. The latter is required if the variance is unknown; for bounded
            outcomes without it, the largest possible variance is assumed.
        paid : bool
            Whether they are paid from the budget; False for what was measured before the campaign. By default one
            arm is, and a table is not.
        key : str, optional
            Idempotency key: repeated with the same key, they count once.
        batch : str, optional
            As in :meth:`tell_many`.
        source : str
            The source of which a table is a version.
        cumulative : bool
            The numbers of a table have grown since they were told: the difference is added.
        replace : bool
            Make the source what the table says: void what it lacks or corrects.

        Raises
        ------
        ConflictingKeyError
            If the key was used for something else.
        ImportConflictError
            If a row of a table was told with other numbers.
        BudgetSpentError
            If they are paid from the budget and it does not suffice.
        """
        from thresher.campaign.count_tables import is_table, tell_count_table
        from thresher.campaign.imports import ImportOptions

        if is_table(arm):
            if any(given is not None for given in (n, total, squares, key)):
                rule = "must be columns of the table"
                raise InvalidInputError("n, total, squares or key", rule=rule, fix="leave them out")
            options = ImportOptions(replace=replace, cumulative=cumulative)
            given: dict[str, Any] = {"source": source, "options": options, "batch": batch}
            return tell_count_table(self._backend, arm, paid=bool(paid), **given)
        sums = Aggregate.of(n, total, squares)
        return self._backend.tell_counts(arm, sums, paid=paid is not False, key=key, batch=batch)

    def tell_items(
        self,
        outcomes: Iterable[tuple[str, str, Any] | tuple[str, str, Any, int]],
        *,
        paid: bool = False,
        batch: str | None = None,
    ) -> Receipts:
        """Tell (arm, item, outcome) triples without tickets in one transaction, all or none; safe to repeat.

        Parameters
        ----------
        outcomes : iterable of tuple
            In a campaign with `repeats` a tuple may end with a whole number: for which time the arm was asked the
            item. It is 1 unless given.
        paid : bool
            Whether they are paid from the budget; False for what was measured before the campaign.
        batch : str, optional
            Id of an import: :meth:`void_import` voids all outcomes with the same id.

        Raises
        ------
        UnknownNameError
            If there is no such arm or item.
        ConflictingOutcomeError
            If another outcome of an arm on an item is stored; the stored one stays.
        InvalidOutcomeError
            If an item is issued with a ticket that was not told yet, or was asked more often than it may be.
        """
        return self._backend.tell_items([_told_item(one) for one in outcomes], paid=paid, batch=batch)

    def tell_proxy(self, arm: str, scores: Mapping[str, float]) -> None:
        """Store cheap scores of the answers of an arm, such as those of an LLM judge; repeating one changes nothing.

        Scores explain outcomes, they are not outcomes: the verdict stays about what was told. They may come at any
        time, and some may be missing.

        Parameters
        ----------
        arm : str
        scores : mapping of str to float
            By item; any finite numbers. None and NaN are missing scores.

        Raises
        ------
        UnknownNameError
            If there is no such arm or item.
        InvalidInputError
            If another score was told before, or the campaign has no items.
        """
        self.tell_scores(scores_of_arm(arm, scores))

    def tell_scores(self, scores: Iterable[tuple[str, str, float]]) -> None:
        """Store cheap scores, (arm, item, score) of each, all or none; as :meth:`tell_proxy`."""
        self._backend.tell_proxy([_score(one) for one in scores])

    def tell_history(self, history: Any) -> None:
        """Store the outcomes of past arms on the items of this campaign; repeating it changes nothing.

        :meth:`create` does so first. Over HTTP it takes calls of its own: a program that was killed between them
        tells the history again.

        Parameters
        ----------
        history : Items, path, data frame or mapping
            As in :meth:`create`; another campaign as its :meth:`items`.

        Raises
        ------
        InvalidInputError, InvalidOutcomeError
            If the campaign has no items, or something does not fit them.
        """
        if is_campaign_name(history):
            fix = "if it is the name of a campaign, give Campaign.open(address, name).items()"
            raise InvalidInputError("history", history, rule="must be a file that exists", fix=fix)
        names = self._backend.judging.items().names
        self._backend.tell_history(past_arms(history, names))

    def judge_agreement(self) -> Agreement:
        """Return how well the scores of answers agree with the outcomes, and how many labels they save.

        Raises
        ------
        InvalidInputError
            If the campaign has no scores.
        """
        return self._backend.judging.judge_agreement()

    def tell_versions(
        self,
        plan: Callable[[ImportLog], ImportPlan],
        *,
        batch: str,
        paid: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportPlan:
        """Tell versions of sources that were measured elsewhere, in one transaction; return what changed.

        Parameters
        ----------
        plan : callable
            Returns what changes, given what imports told before. It is called again if another import came first.
        batch : str
            As in :meth:`tell_many`.
        paid : bool
            Whether they are paid from the budget.
        progress : callable, optional
            Called with the number of outcomes that are stored, and of how many.

        Raises
        ------
        ImportConflictError, LikelyCopyError
            If a version contradicts what is stored, or may be a copy of it.
        """
        from thresher.campaign.imports import store_import

        return store_import(self._backend, plan, batch, paid=paid, progress=progress)

    def imports(self) -> ImportLog:
        """Return what imports told, computed from the log."""
        return self._backend.imports()

    def add_arms(
        self,
        arms: Any,
        *,
        threshold: Any = None,
        bar: Any = None,
        sigma: Any = None,
        costs: Any = None,
        pull_costs: Any = None,
        measured: Mapping[str, int] | None = None,
    ) -> None:
        """Add arms, given as in :meth:`create`."""
        numbers = {"thresholds": _one_of(threshold, bar), "sigma": sigma, "costs": costs, "pull_costs": pull_costs}
        self._backend.add_arms(arm_rows(self._backend.terms, arms, **numbers), measured=measured)

    def add_items(self, items: Any) -> None:
        """Add items to a campaign with items; every arm can answer them.

        Parameters
        ----------
        items : sequence of str
        """
        if isinstance(items, int):
            raise InvalidInputError("items", items, rule="must be names: items that are there have numbers")
        self._backend.add_items(item_names(items))

    def items(self) -> Items:
        """Return the items: their difficulty, the number of arms that answered each, and all outcomes."""
        return self._backend.judging.items()

    def tickets(self) -> Iterator[Ticket]:
        """Yield tickets one at a time: wait while others hold the rest of the budget, end when it is spent."""
        pause = SHORTEST_WAIT
        while True:
            ticket = self.ask()
            if ticket is not None:
                pause = SHORTEST_WAIT
                yield ticket
            elif not self.is_open:
                return
            else:
                self.wait(pause)
                pause = min(2 * pause, LONGEST_WAIT)

    def wait(self, seconds: float) -> None:
        """Wait about that many seconds, or until an ask may return a ticket."""
        self._backend.wait(seconds)

    @property
    def name(self) -> str:
        """The name of the campaign."""
        return self._backend.name

    @property
    def terms(self) -> Terms:
        """The terms, fixed when the campaign was created."""
        return self._backend.terms

    @property
    def standing(self) -> Standing:
        """The state of the campaign, from one read."""
        return self._backend.standing()

    @property
    def is_open(self) -> bool:
        """Whether an ask can return a ticket, now or later."""
        return self.standing.is_open

    @property
    def budget(self) -> float:
        """The total budget."""
        return self.standing.budget

    @property
    def spent(self) -> float:
        """The cost of told and forfeited pulls."""
        return self.standing.spent

    @property
    def outstanding(self) -> float:
        """The cost of the tickets in flight."""
        return self.standing.outstanding

    def verdicts(
        self,
        *,
        risk: float | str | None = None,
        guarantee: str | None = None,
        passes: str | None = None,
        unit: str | None = None,
        sigma_check: str | None = None,
        bar: float | None = None,
    ) -> Verdicts:
        """Return one row for each arm.

        Parameters
        ----------
        bar : float, optional
            What the verdicts would be if this were the bar of every arm; the campaign keeps its own. Not with a control
            or a quantile.
        risk, guarantee, passes, unit, sigma_check : optional
            Overrides of the campaign's terms, for these verdicts only: see :class:`thresher.campaign.ledger.Terms`.

        Raises
        ------
        InvalidInputError, UnknownNameError
            If one of them breaks its rule.
        """
        given = {"risk": risk, "guarantee": guarantee, "passes": passes, "unit": unit, "sigma_check": sigma_check}
        return self._backend.judging.verdicts(**given, **({} if bar is None else {"bar": bar}))

    def history(self, *, after: int = 0, limit: int | None = None) -> Entries:
        """Return the events after number `after`, in order; at most `limit` of them (1 or more) if given."""
        return self._backend.history(after=after, limit=limit)

    def to_frame(self) -> Any:
        """Return the verdicts as a data frame of whichever library is installed."""
        return self.verdicts().to_frame()

    def plot(self, path: str | None = None) -> Figure:
        """Return a plot of each arm's interval and its bar; write it if a path is given.

        Parameters
        ----------
        path : str, optional
            The file extension selects the format: ``.png``, ``.svg`` or ``.pdf``.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        now, verdicts = self.standing, self.verdicts()
        spent = f"{now.name}: {amount(now.spent)} of {amount(now.budget)} spent"
        return verdicts.plot(path, title=f"{spent}, {figure(verdicts.expected_mistakes, 2)} mistakes expected")

    def verify(self) -> None:
        """Replay the event log and compare all stored data with it.

        Raises
        ------
        CorruptionError
            If stored data do not match the log.
        """
        self._backend.verify()

    def disconnect(self) -> None:
        """Close files and connections; the campaign stays as it is. A storage that was passed in stays open."""
        self._backend.disconnect()

    def __repr__(self) -> str:
        now = self.standing
        return (
            f"<Campaign {now.name!r}: {now.status}, {now.arms} arms, {amount(now.spent)} of {amount(now.budget)} spent>"
        )

    def _repr_html_(self) -> str:
        return f"{self.verdicts()._repr_html_()}<p>{html.escape(repr(self)[1:-1])}</p>"


_create = vars(Campaign)["create"].__func__
accept_terms(_create, lambda term: term.accepted, default=lambda term: term.default)
_create.__doc__ = f"{inspect.getdoc(_create)}\n\nTerms\n-----\n{list_terms()}"


def _past_of(address: str | Storage, name: str, token: str | None) -> Items:
    """Return the outcomes of the campaign that is the history of another."""
    try:
        found = Campaign.open(address, name, token=token).items()
    except UnknownCampaignError as error:
        rule = "must be a file, or a campaign of the same database"
        raise InvalidInputError("history", name, rule=rule, fix=f"there is no such file, and {error}") from error
    if not any(mapping_of(found).values()):
        raise InvalidInputError("history", name, rule="must be a campaign with outcomes", fix="tell it outcomes first")
    return found


def _one_of(threshold: Any, bar: Any) -> Any:
    """Return the bar, which has two names."""
    if threshold is not None and bar is not None:
        raise InvalidInputError(
            "bar", bar, rule="must be left out: threshold is its other name", fix="give one of them"
        )
    return threshold if bar is None else bar


def _pair(pair: Any) -> tuple[str, Any, Any]:
    try:
        ticket, outcome, *costs = pair
        [cost] = costs or [None]
    except (TypeError, ValueError) as error:
        raise _no_pairs(pair) from error
    return ticket_id(ticket), outcome, cost


def _told_item(one: Any) -> ToldItem:
    try:
        arm, item, outcome, *repeats = one
        [repeat] = repeats or [None]
    except (TypeError, ValueError) as error:
        raise InvalidOutcomeError(
            f"an outcome of an item that comes as {str(one)[:60]}",
            instead="tell triples of arm, item and outcome; with repeats a fourth part, the ordinal of the repeat",
        ) from error
    return arm, item, outcome, repeat


def _score(one: Any) -> Score:
    try:
        arm, item, value = one
    except (TypeError, ValueError) as error:
        raise InvalidInputError("a score", one, rule="must be a triple: arm, item and score") from error
    return Score(lookup_name("arm", arm), lookup_name("item", item), value)


def _no_pairs(given: Any) -> InvalidOutcomeError:
    return InvalidOutcomeError(
        f"outcomes that come as a {type(given).__name__}", instead="tell pairs of a ticket and its outcome"
    )
