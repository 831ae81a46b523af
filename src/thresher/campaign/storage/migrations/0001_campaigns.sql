-- Campaigns: a ledger, arms, pulls and answered requests, all of them a fold of the event log.
--
-- Money is in whole millionths, times are in µs since 1970 by the database's clock (thresher_clock(), which SQLite borrows
-- from the process). A statement after "-- postgresql:" or "-- sqlite:" is for that database alone; /* clustered */ keeps
-- the rows of a table in the tree of its primary key where the database can.

-- postgresql:
CREATE FUNCTION thresher_clock() RETURNS bigint LANGUAGE sql VOLATILE
AS $$ SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint) $$;

CREATE TABLE campaign (
    id BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    terms TEXT NOT NULL
);

CREATE TABLE ledger (
    campaign BIGINT NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    hash TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'paused', 'closed')),
    budget BIGINT NOT NULL,
    spent BIGINT NOT NULL CHECK (spent >= 0),
    reserved BIGINT NOT NULL CHECK (reserved >= 0),
    opening BIGINT NOT NULL,
    arms BIGINT NOT NULL,
    pulls BIGINT NOT NULL,
    told BIGINT NOT NULL,
    late BIGINT NOT NULL,
    CHECK (spent + reserved <= budget)
) /* clustered */ /* often updated */;

CREATE TABLE arm (
    campaign BIGINT NOT NULL,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    threshold DOUBLE PRECISION NOT NULL,
    sigma DOUBLE PRECISION NOT NULL,
    cost DOUBLE PRECISION NOT NULL,
    pull_cost BIGINT NOT NULL,
    pulls BIGINT NOT NULL CHECK (pulls >= 0),
    outstanding BIGINT NOT NULL CHECK (outstanding >= 0),
    total DOUBLE PRECISION NOT NULL,
    squares DOUBLE PRECISION NOT NULL,
    urgency DOUBLE PRECISION NOT NULL,
    retired BIGINT NOT NULL,
    PRIMARY KEY (campaign, position)
) /* clustered */;

CREATE UNIQUE INDEX arm_by_name ON arm (campaign, name);

-- The next arm to ask is the first entry of a campaign here.
CREATE INDEX arm_by_urgency ON arm (campaign, urgency, position);

CREATE TABLE pull (
    campaign BIGINT NOT NULL,
    number BIGINT NOT NULL,
    ticket TEXT NOT NULL,
    arm BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('out', 'lapsed', 'forfeited', 'told', 'unused', 'void')),
    size BIGINT NOT NULL,
    value DOUBLE PRECISION,
    squares DOUBLE PRECISION,
    since BIGINT NOT NULL,
    told BIGINT NOT NULL,
    late BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    PRIMARY KEY (campaign, number)
) /* clustered */;

CREATE INDEX pull_by_arm ON pull (campaign, arm, number);

CREATE INDEX pull_by_expiry ON pull (campaign, expires) WHERE state = 'out';

CREATE TABLE request (
    campaign BIGINT NOT NULL,
    key TEXT NOT NULL,
    seq BIGINT NOT NULL,
    first BIGINT NOT NULL,
    made BIGINT NOT NULL,
    PRIMARY KEY (campaign, key)
) /* clustered */;

CREATE TABLE event (
    campaign BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at BIGINT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (campaign, seq)
) /* clustered */;

-- The log can be added to and nothing else.
-- sqlite:
CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT raise(ABORT, 'an event is never changed'); END;
-- sqlite:
CREATE TRIGGER event_is_kept BEFORE DELETE ON event BEGIN SELECT raise(ABORT, 'an event is never deleted'); END;
-- postgresql:
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN RAISE EXCEPTION 'an event is never changed or deleted'; END $$;
-- postgresql:
CREATE TRIGGER event_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON event EXECUTE FUNCTION refuse();
