"""What PostgreSQL alone has to keep: round trips, plans, its append-only log, versions."""

import re
import sys
from typing import Any

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.contract.wire import CountingWire
from tests.support.contracts.campaign_contract import make, take
from tests.support.places import PostgresPlace
from tests.support.postgres_server import PostgresServer
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage, postgres
from thresher.campaign.storage.migrations import Migration, load_migrations
from thresher.campaign.storage.postgres import PLANS, STATEMENTS, PostgresStorage, prepare
from thresher.campaign.storage.statements import RESULTS
from thresher.errors import (
    CorruptionError,
    MissingExtraError,
    SchemaVersionError,
    StorageError,
    StorageUnavailableError,
)
from thresher.service import Settings, create_app
from thresher.service.settings import API

PLACES = "SELECT cardinality(parameter_types) FROM pg_prepared_statements"

pytestmark = pytest.mark.xdist_group("postgres")


def test_an_ask_is_two_round_trips_and_so_is_a_tell(postgres_place: PostgresPlace) -> None:
    other = make(postgres_place, budget=100)
    with CountingWire(postgres_place.address) as wire:
        campaign = Campaign.open(wire.address, "c")
        campaign.tell(take(campaign), 1)  # the pool has its connection now
        for i in range(10):
            before = wire.trips
            ticket = take(campaign)
            asked = wire.trips
            campaign.tell(ticket, i % 2)
            assert (asked - before, wire.trips - asked) == (2, 2)
            other.tell(take(other), 1)  # what others write makes no difference
        before = wire.trips
        campaign.tell_many([(ticket, 1) for ticket in campaign.ask(20)])
        assert wire.trips - before == 4
        campaign.disconnect()
    other.verify()


def test_a_server_that_logs_statements_without_parameters_logs_no_ticket_and_no_name(
    postgres: PostgresServer, postgres_place: PostgresPlace
) -> None:
    settings = {"log_statement": "'all'", "log_parameter_max_length": "0"}
    for key, value in settings.items():
        postgres.execute(f"ALTER SYSTEM SET {key} TO {value}")
    postgres.execute("SELECT pg_reload_conf()")
    try:
        campaign = make(postgres_place, arms=["secret arm", "b", "c"])
        ticket = take(campaign)
        campaign.tell(ticket, 1)
        campaign.disconnect()
    finally:
        for key in settings:
            postgres.execute(f"ALTER SYSTEM RESET {key}")
        postgres.execute("SELECT pg_reload_conf()")
    logged = (postgres.data / "log").read_text()
    assert "UPDATE pull" in logged
    assert ticket.id.partition("-")[2] not in logged
    assert "secret arm" not in logged


def test_a_statement_that_fails_changes_nothing_and_the_connection_serves_the_next_call(
    postgres: PostgresServer, postgres_place: PostgresPlace
) -> None:
    campaign = make(postgres_place)
    ticket, events = take(campaign), campaign.standing.events
    postgres.execute(f"ALTER TABLE thresher.event ADD CONSTRAINT full_log CHECK (seq <= {events})")
    with pytest.raises(StorageError, match="full_log"):
        campaign.tell(ticket, 1)
    assert campaign.standing.told == 0
    postgres.execute("ALTER TABLE thresher.event DROP CONSTRAINT full_log")
    campaign.tell(ticket, 1)
    assert campaign.standing.told == 1
    campaign.verify()


def test_a_process_that_wrote_without_waiting_is_an_error_that_may_be_retried(
    postgres: PostgresServer, postgres_place: PostgresPlace
) -> None:
    campaign = make(postgres_place)
    ticket = take(campaign)
    following = "jsonb_populate_record(last, jsonb_build_object('seq', last.seq + 1))"
    postgres.execute(
        f"INSERT INTO thresher.event SELECT ({following}).* FROM thresher.event last ORDER BY seq DESC LIMIT 1"
    )
    with pytest.raises(StorageUnavailableError, match=r"without waiting.*update processes of thresher"):
        campaign.tell(ticket, 1)
    assert campaign.standing.told == 0


def plan_of(place: PostgresPlace, statement: str) -> str:
    """Return how PostgreSQL runs a statement whatever values it is given."""
    with psycopg.connect(place.address, autocommit=True) as connection:
        connection.execute(f"SET search_path TO thresher; {PLANS}")
        connection.execute(prepare(statement))
        [[places]] = connection.execute(PLACES).fetchall()
        rows = connection.execute(f"EXPLAIN EXECUTE {statement} ({', '.join(['NULL'] * places)})").fetchall()
    return "\n".join(row[0] for row in rows)


HOT = {
    "least_arms": ["arm_by_urgency"],
    "expired_pulls": ["pull_by_expiry"],
    "pulls_numbered": ["pull_pkey"],
    "arms_of_pulls": ["pull_pkey", "arm_pkey"],
    "arms_named": ["arm_by_name"],
    "pulls_of_arm": ["pull_by_arm"],
    "events_after": ["event_pkey"],
    "read_ledger": ["ledger_pkey", "campaign_pkey"],
    "update_ledger": ["ledger_pkey"],
    "update_arms": ["arm_pkey"],
    "update_pulls": ["pull_pkey"],
}


def check_plans(place: PostgresPlace) -> None:
    for statement, indices in HOT.items():
        plan = plan_of(place, statement)
        assert re.findall(r"Index (?:Only )?Scan using (\w+)", plan) == indices, plan
        assert not re.search("Seq Scan|Sort|Bitmap", plan), plan
        assert plan.count("Index Cond") == len(indices)
    for statement, key in (("update_arms", '"position"'), ("pulls_numbered", "number"), ("update_pulls", "number")):
        plan = plan_of(place, statement)
        assert re.search(rf"Index Cond: \(\(campaign = [^)]+\) AND \({key} = ", plan), plan


def test_statements_return_the_fields_of_their_rows(postgres_place: PostgresPlace) -> None:
    with psycopg.connect(postgres_place.address, autocommit=True) as connection:
        connection.execute("SET search_path TO thresher")
        for name, result in RESULTS.items():
            given = dict.fromkeys(re.findall(r":(\w+)", STATEMENTS[name]), 0)
            lists = {key: "[]" for key in ("numbers", "names", "items", "arms") if key in given}
            sql = re.sub(r":(\w+)", r"%(\1)s", STATEMENTS[name])
            found = connection.execute(sql, given | lists | ({"key": ""} if "key" in given else {}))
            more = ["name", "now"] if name == "read_ledger" else []
            assert [column.name for column in found.description or ()] == [*result.kind._fields, *more]


def test_an_ask_is_the_least_key_of_a_tree_and_a_tell_touches_one_arm_its_pull_and_one_event(
    postgres_place: PostgresPlace,
) -> None:
    make(postgres_place, "few")
    check_plans(postgres_place)
    campaign = make(postgres_place, "many", arms=[f"arm {k}" for k in range(3000)], budget=10_000)
    campaign.tell_many([(ticket, 1) for ticket in campaign.ask(2000)])
    check_plans(postgres_place)  # plans are kept, and must not rest on statistics that are not there yet
    with psycopg.connect(postgres_place.address, autocommit=True) as connection:
        connection.execute("ANALYZE")
    check_plans(postgres_place)


def test_the_log_can_only_be_added_to(postgres_place: PostgresPlace) -> None:
    make(postgres_place)
    with psycopg.connect(postgres_place.address, autocommit=True) as connection:
        for change in ("UPDATE thresher.event SET at = 0", "DELETE FROM thresher.event", "TRUNCATE thresher.event"):
            with pytest.raises(psycopg.errors.RaiseException):
                connection.execute(change)


def test_a_changed_row_does_not_verify(postgres_place: PostgresPlace) -> None:
    campaign = make(postgres_place)
    campaign.tell(take(campaign), 1)
    with psycopg.connect(postgres_place.address, autocommit=True) as connection:
        connection.execute("UPDATE thresher.arm SET total = 0 WHERE position = 0")
    with pytest.raises(StorageError, match="arm 0 differs from the log in total"):
        campaign.verify()


def test_a_newer_schema_is_refused(postgres_place: PostgresPlace) -> None:
    with psycopg.connect(postgres_place.address, autocommit=True) as connection:
        connection.execute("INSERT INTO thresher.thresher_schema VALUES (9999, 'the future', '')")
    with pytest.raises(SchemaVersionError):
        PostgresStorage(postgres_place.address)


def test_a_migrated_schema_has_the_new_table_and_the_old_campaigns(postgres_place: PostgresPlace) -> None:
    make(postgres_place)
    step = Migration(9000, "more", "CREATE TABLE more (x BIGINT NOT NULL);")
    storage = PostgresStorage(postgres_place.address, migrations=[*load_migrations(), step])
    assert [heading.name for heading in storage.headings()] == ["c"]
    storage.close()
    with pytest.raises(SchemaVersionError):
        PostgresStorage(postgres_place.address)


def test_who_knows_an_older_schema_goes_on_and_does_not_take_the_new_one_for_damage(
    postgres_place: PostgresPlace,
) -> None:
    campaign = make(postgres_place)
    step = Migration(9000, "more", "CREATE TABLE more (x BIGINT NOT NULL);")
    PostgresStorage(postgres_place.address, migrations=[*load_migrations(), step]).close()
    campaign.tell(take(campaign), 1)
    with pytest.raises(SchemaVersionError, match="9000"):
        campaign.verify()


def test_a_role_that_may_only_work_works_and_hears_who_can_migrate(postgres_place: PostgresPlace) -> None:
    make(postgres_place)
    with psycopg.connect(postgres_place.address, autocommit=True) as connection:
        connection.execute(
            "DROP ROLE IF EXISTS worker; CREATE ROLE worker LOGIN; GRANT USAGE ON SCHEMA thresher TO worker"
        )
        connection.execute("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA thresher TO worker")
    address = postgres_place.address.replace("postgres@", "worker@")
    campaign = Campaign.open(address, "c")
    campaign.tell(take(campaign), 1)
    campaign.disconnect()
    step = Migration(9000, "more", "CREATE TABLE more (x BIGINT NOT NULL);")
    with pytest.raises(StorageError, match="the owner of the schema thresher brings it up to date"):
        PostgresStorage(address, migrations=[*load_migrations(), step])
    with psycopg.connect(postgres_place.address, autocommit=True) as connection:
        connection.execute("DROP OWNED BY worker; DROP ROLE worker")


def test_a_server_that_is_not_there_is_a_clear_error() -> None:
    with pytest.raises(StorageUnavailableError, match="cannot use the database"):
        open_storage("postgresql://nobody@127.0.0.1:1/none")


def test_without_the_driver_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "thresher.campaign.storage.postgres", None)
    with pytest.raises(MissingExtraError, match="postgres"):
        open_storage("postgresql://host/database")


def test_the_first_request_after_a_restart_of_the_database_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    server = PostgresServer()
    try:
        app = create_app(server.address, Settings(hosts=("testserver",)))
        headers = {"Authorization": f"Bearer {app.state.keyring.new_token('admin')}"}
        with TestClient(app, headers=headers) as client:
            new = {"arms": ["a", "b"], "threshold": 0.5, "budget": 9}
            assert client.post(f"{API}/campaigns", json={"name": "c", **new}).status_code == 201
            for method, path, body, status in [
                ("GET", "/ready", None, 200),
                ("POST", "/campaigns", {"name": "d", **new}, 201),
                ("POST", "/campaigns/c/ask", {"n": 1}, 200),
                ("GET", "/campaigns/c/verdicts", None, 200),
            ]:
                app.state.keyring.forget()  # or the token is not looked up
                server.halt()
                server.start()
                with monkeypatch.context() as patient:  # a busy machine takes seconds to connect and to prepare
                    patient.setattr(postgres, "RECONNECT", 60.0)
                    assert client.request(method, API + path, json=body).status_code == status, path
            server.halt()
            assert client.get(f"{API}/ready").status_code == 503
            server.start()
            for pause in ("RECONNECT", "WAIT_WHILE_AWAY"):
                monkeypatch.setattr(postgres, pause, 60.0)
            assert client.get(f"{API}/ready").status_code == 200
    finally:
        server.stop()


def test_a_campaign_that_a_crash_has_lost_is_not_mistaken_for_another() -> None:
    server = PostgresServer(durable=False)
    new: dict[str, Any] = {"arms": ["a", "b"], "threshold": 0.5, "budget": 9}
    try:
        app = create_app(server.address, Settings(hosts=("testserver",)))
        headers = {"Authorization": f"Bearer {app.state.keyring.new_token('admin')}"}
        with TestClient(app, headers=headers) as client:
            assert client.post(f"{API}/campaigns", json={"name": "kept", **new}).status_code == 201
            lost = Campaign.create(server.address, "lost", **new)
            assert client.get(f"{API}/campaigns/lost").status_code == 200  # the server holds it open
            # As a crash without synchronous commits does: the rows of the last campaign are gone.
            server.execute("ALTER TABLE thresher.event DISABLE TRIGGER USER")
            for table in ("event", "arm", "ledger"):
                server.execute(f"DELETE FROM thresher.{table} WHERE campaign = 2")
            server.execute("DELETE FROM thresher.campaign WHERE id = 2")
            server.execute("ALTER TABLE thresher.event ENABLE TRIGGER USER")
            assert client.post(f"{API}/campaigns/kept/ask", json={"n": 1}).status_code == 200
            other = open_storage(server.address)  # of another process, which does not know the number of the lost one
            assert Campaign.create(other, "other", **new).standing.arms == 2
            assert other.find("other").id == 2
            answer = client.post(f"{API}/campaigns/lost/ask", json={"n": 1})
            assert (answer.status_code, "those of 'other'" in answer.text) == (503, True)
            assert client.post(f"{API}/campaigns/lost/ask", json={"n": 1}).status_code == 404
            with pytest.raises(CorruptionError, match="campaign 'lost' does not verify: its rows are those of 'other'"):
                lost.ask()
            assert client.post(f"{API}/campaigns", json={"name": "new", **new}).status_code == 201
            assert other.find("new").id == 3
            other.close()
            lost.disconnect()
    finally:
        server.stop()
