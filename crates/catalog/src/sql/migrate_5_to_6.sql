-- Migrates schema version 5 to 6, in one transaction with the version number. No model call is in progress while a
-- catalog is opened, so earlier erasures make no difference.
ALTER TABLE agent ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;
