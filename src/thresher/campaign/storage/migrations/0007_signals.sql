-- Cheap signals: what past arms answered to the items, and a score of the answers of each arm.

CREATE TABLE signal (
    campaign BIGINT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    numbers TEXT NOT NULL,
    slope DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (campaign, key)
);
