-- A summary that is written again keeps its pin and its summary_id, which its lineage rows refer to.
INSERT INTO summary (agent_id, grain, period, id, seq, cover_start, cover_end, text, sentences, verbatim)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (agent_id, grain, period) DO UPDATE
SET seq = excluded.seq,
    cover_start = excluded.cover_start,
    cover_end = excluded.cover_end,
    text = excluded.text,
    sentences = excluded.sentences,
    verbatim = excluded.verbatim
