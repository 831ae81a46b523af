-- How many tickets there were when a past arm or a score was told; empty where that was not noted.

ALTER TABLE signal ADD COLUMN issued TEXT NOT NULL DEFAULT '';
