-- What a proxy leaves of the variance of an arm, over what it leaves of all arms.

ALTER TABLE arm ADD COLUMN unevenness DOUBLE PRECISION NOT NULL DEFAULT 1;
