-- Whether a campaign is archived; its status stays what it was.

ALTER TABLE ledger ADD COLUMN archived BIGINT NOT NULL DEFAULT 0;
