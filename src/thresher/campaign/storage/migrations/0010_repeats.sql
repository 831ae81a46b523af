-- Items that an arm may be asked several times: which of its outcomes a pull is, and the cache of the last refit.

ALTER TABLE ledger ADD COLUMN repeats BIGINT NOT NULL DEFAULT 1;

ALTER TABLE ledger ADD COLUMN rho DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE pull ADD COLUMN repeat BIGINT NOT NULL DEFAULT 1;
