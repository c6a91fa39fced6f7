-- Adds why a batch failed. schema.sql explains the column.
ALTER TABLE batch ADD COLUMN failure TEXT;
