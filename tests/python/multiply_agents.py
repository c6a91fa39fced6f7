#!/usr/bin/env python3
"""Multiplies the agents of a catalog in SQLite, for measuring what a service does over many agents.

    python3 tests/python/multiply_agents.py catalog.sqlite TIMES

Each agent gets copies with other names and the same memories. Ids of memories are then no longer hashes of the names of their agents, and the copies
have no tables, so this catalog is for measuring alone.
"""

import sqlite3
import sys

# Numbers that the database gives, which other tables refer to.
NUMBERS = ("turn_id", "statement_id", "summary_id", "version_id", "document_id", "passage_id", "reservation_id")
# Larger than any such number before.
STEP = 10_000_000


def copied(table, column, time, agents):
    """Returns the SQL expression of a column of the copy."""
    if column == "agent_id":
        return f"agent_id + {time * agents}"
    if column in NUMBERS:
        return f"{column} + {time * STEP}"
    if table in ("agent", "agent_name") and column == "name":
        return f"name || '-{time}'"
    return f'"{column}"'


def main():
    database, times = sqlite3.connect(sys.argv[1]), int(sys.argv[2])
    database.execute("PRAGMA foreign_keys = OFF")
    agents = database.execute("SELECT max(agent_id) FROM agent").fetchone()[0]
    names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for (table,) in database.execute(names).fetchall():
        columns = [column[1] for column in database.execute(f"PRAGMA table_info({table})")]
        limit = f"agent_id <= {agents}" if "agent_id" in columns else f"summary_id < {STEP}" if table == "source" else None
        for time in range(1, times) if limit else []:
            values = ", ".join(copied(table, column, time, agents) for column in columns)
            quoted = ", ".join(f'"{column}"' for column in columns)
            database.execute(f"INSERT INTO {table} ({quoted}) SELECT {values} FROM {table} WHERE {limit}")
        database.commit()


if __name__ == "__main__":
    main()
