-- Exclusive first: one process owns the folder, and the index of the log then lives in our memory instead of a shared file.
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
-- With the log, FULL syncs at every commit; NORMAL would lose acknowledged messages in a power cut.
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
-- What is deleted is overwritten, not only unlinked: forgotten words shall not stand in free pages.
PRAGMA secure_delete = ON;
-- 8 MiB of pages.
PRAGMA cache_size = -8192;
