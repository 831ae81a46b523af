-- Items that every arm answers once: their names, which item each pull has, and the cache of the last refit.

ALTER TABLE ledger ADD COLUMN seed BIGINT NOT NULL DEFAULT 0;

ALTER TABLE ledger ADD COLUMN pools TEXT NOT NULL DEFAULT '';

ALTER TABLE ledger ADD COLUMN revised BIGINT NOT NULL DEFAULT 0;

ALTER TABLE ledger ADD COLUMN fitted BIGINT NOT NULL DEFAULT 0;

ALTER TABLE ledger ADD COLUMN slope DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE ledger ADD COLUMN share DOUBLE PRECISION NOT NULL DEFAULT 1;

ALTER TABLE arm ADD COLUMN first_free BIGINT NOT NULL DEFAULT 0;

ALTER TABLE arm ADD COLUMN ahead TEXT NOT NULL DEFAULT '';

ALTER TABLE arm ADD COLUMN effects DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE arm ADD COLUMN centre DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE pull ADD COLUMN item BIGINT;

-- The outcomes that were told while a refit was computed.
CREATE INDEX pull_by_telling ON pull (campaign, told) WHERE item IS NOT NULL;

CREATE TABLE item (
    campaign BIGINT NOT NULL,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    answers BIGINT NOT NULL,
    residuals DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (campaign, position)
);

CREATE UNIQUE INDEX item_by_name ON item (campaign, name);
