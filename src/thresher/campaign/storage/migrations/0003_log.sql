-- The log of SQLite, with a small index in place of one tree.
--
-- In a tree of whole rows SQLite reads a row to compare its key, and the event of a batch of ten thousand is half a
-- megabyte: an ask behind such events read them again and again.

-- sqlite:
ALTER TABLE event RENAME TO event_in_one_tree;
-- sqlite:
CREATE TABLE event (
    campaign BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at BIGINT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (campaign, seq)
);
-- sqlite:
INSERT INTO event SELECT campaign, seq, kind, body, at, hash FROM event_in_one_tree;
-- sqlite:
DROP TABLE event_in_one_tree;
-- sqlite:
CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT raise(ABORT, 'an event is never changed'); END;
-- sqlite:
CREATE TRIGGER event_is_kept BEFORE DELETE ON event BEGIN SELECT raise(ABORT, 'an event is never deleted'); END;
