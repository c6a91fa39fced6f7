-- Exclusive first: one process owns the folder, and the WAL index is then in its memory instead of in a shared file.
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
-- In WAL mode FULL syncs at every commit; NORMAL would lose acknowledged messages in a power cut.
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
-- Deleted data is overwritten, not only unlinked: free pages must not hold forgotten text.
PRAGMA secure_delete = ON;
-- 8 MiB of pages.
PRAGMA cache_size = -8192;
