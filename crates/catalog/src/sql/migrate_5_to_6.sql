-- From schema version 5 to 6, in one transaction with the version's number. No model is at work while a catalog is opened, so
-- what was erased before makes no difference.
ALTER TABLE agent ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;
