-- What the budget paid of a cost that was told with an outcome; NULL where none was told.

ALTER TABLE pull ADD COLUMN charged BIGINT;
