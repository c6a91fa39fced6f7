"""sqlite-vec and FTS5 in one SQLite file, fused by reciprocal rank in one statement.

- Vectors: a vec0 table with cosine distance. Its documentation has the dates that are searched by as a partition key
  (hundreds of vectors to each, or broader if that is slow), and what else is filtered by as a metadata column, here the
  exact time: https://alexgarcia.xyz/sqlite-vec/features/vec0.html
- Texts: an FTS5 table with external content, asked together with the vectors as in
  https://alexgarcia.xyz/blog/2024/sqlite-vec-hybrid-search/: k of each leg, rrf_k 60, both weights 1.

The statement is theirs but for the bounds and the last limit. SQLite keeps its default settings.
"""

import itertools
import pathlib

import apsw
import numpy as np
import sqlite_vec

from .words import RRF_K, words

NAME = "sqlite-vec + FTS5"
VERSIONS = ("sqlite-vec", "apsw")
NOTE = "flat, partitioned by time; reciprocal rank fusion"

DAY = 86_400_000_000
# A partition's vectors lie in chunks of 1,024, the last one half empty. With days of a good thousand rows, as in the
# documentation's example, the file was half as large again and a question without a filter took 28 % longer; with a
# range it took 9 % less. Without partitions: 10 % less and 51 % longer (processor time, 100,000 rows).
ROWS_A_PARTITION = 4 * 1024

SCHEMA = """
create table rows (number integer primary key, id text not null, text text not null, at integer not null);
create table width (micros integer not null);
create virtual table vec_rows using vec0(
  number integer primary key, partition integer partition key, at integer, vector float[384] distance_metric=cosine
);
create virtual table fts_rows using fts5(text, content='rows', content_rowid='number');
"""

VECTOR_LEG = """
  select number, row_number() over (order by distance) as rank_number
  from vec_rows where vector match :vector and k = :k {bounds}
"""

TEXT_LEG = """
  select fts_rows.rowid as number, row_number() over (order by fts_rows.rank) as rank_number
  from fts_rows {join} where fts_rows match :words {bounds} limit :k
"""

HYBRID = """
with vec_matches as ({vector_leg}), fts_matches as ({text_leg})
select rows.id, rows.text,
  coalesce(1.0 / (:rrf_k + fts_matches.rank_number), 0.0) * :weight_fts
  + coalesce(1.0 / (:rrf_k + vec_matches.rank_number), 0.0) * :weight_vec as combined_rank
from fts_matches full outer join vec_matches on vec_matches.number = fts_matches.number
join rows on rows.number = coalesce(fts_matches.number, vec_matches.number)
order by combined_rank desc limit :k
"""

IN_PARTITIONS = "and partition between :first and :last and at >= :start and at < :end"
IN_RANGE = "and rows.at >= :start and rows.at < :end"


def build(folder, rows):
    width = partition_width(rows.at)
    connection = connect(folder)
    connection.execute(SCHEMA)
    with connection:
        connection.execute("insert into width values (?)", (width,))
        connection.executemany("insert into rows values (?, ?, ?, ?)", table_rows(rows))
        connection.execute("insert into fts_rows (rowid, text) select number, text from rows")
        connection.executemany(
            "insert into vec_rows (number, partition, at, vector) values (?, ?, ?, ?)", vector_rows(rows, width)
        )
    connection.close()


def partition_width(at):
    """The shortest of a day, a week, a month, a year that fills a few chunks."""
    for days in (1, 7, 30):
        if len(at) / len(np.unique(at // (days * DAY))) >= ROWS_A_PARTITION:
            return days * DAY
    return 365 * DAY


def table_rows(rows):
    return zip(itertools.count(), rows.ids, rows.texts, rows.at.tolist())


def vector_rows(rows, width):
    for number, (at, vector) in enumerate(zip(rows.at.tolist(), np.asarray(rows.vectors))):
        yield number, at // width, at, vector.tobytes()


def connect(folder):
    connection = apsw.Connection(str(pathlib.Path(folder) / "memory.db"))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.enable_load_extension(False)
    return connection


class Memory:
    def __init__(self, folder):
        self.connection = connect(folder)
        self.width = self.connection.execute("select micros from width").get

    def ask(self, text, vector, bounds, k):
        sought = " OR ".join(f'"{word}"' for word in words(text)) or '""'
        legs = {
            "vector_leg": VECTOR_LEG.format(bounds=IN_PARTITIONS if bounds else ""),
            "text_leg": TEXT_LEG.format(
                join="join rows on rows.number = fts_rows.rowid" if bounds else "", bounds=IN_RANGE if bounds else ""
            ),
        }
        fusion = {"words": sought, "rrf_k": RRF_K, "weight_fts": 1.0, "weight_vec": 1.0}
        given = fusion | self.vector_leg(vector, bounds, k)
        return [(id, text) for id, text, _ in self.connection.execute(HYBRID.format(**legs), given)]

    def nearest(self, vector, bounds, k):
        leg = VECTOR_LEG.format(bounds=IN_PARTITIONS if bounds else "")
        statement = f"select rows.id from ({leg}) join rows using (number)"
        return [id for (id,) in self.connection.execute(statement, self.vector_leg(vector, bounds, k))]

    def vector_leg(self, vector, bounds, k):
        given = {"vector": vector.tobytes(), "k": k}
        if bounds:
            last = (bounds.end - 1) // self.width
            given |= {"start": bounds.start, "end": bounds.end, "first": bounds.start // self.width, "last": last}
        return given
