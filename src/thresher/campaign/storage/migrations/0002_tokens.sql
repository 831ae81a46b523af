-- Who may use the service: tokens of programs, one-time codes, and the sessions of browsers that showed either.
--
-- A text that somebody holds is "thresher_", the id, "_" and a secret of 256 bits; here is the SHA-256 of the secret alone.
-- A session goes with the token that opened it (parent).

CREATE TABLE token (
    id TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('token', 'code', 'session')),
    scope TEXT NOT NULL CHECK (scope IN ('read', 'work', 'admin')),
    campaign TEXT,
    label TEXT NOT NULL,
    parent TEXT NOT NULL,
    made BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    CHECK ((scope = 'work') = (campaign IS NOT NULL))
);

CREATE INDEX token_by_parent ON token (parent);
