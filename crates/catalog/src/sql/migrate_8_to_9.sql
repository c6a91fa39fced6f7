-- Migrates schema version 8 to 9, in one transaction with the version number. No turn had an attachment before.
ALTER TABLE turn ADD COLUMN attachment TEXT;
