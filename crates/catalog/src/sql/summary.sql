SELECT summary_id, grain, period, id, seq, cover_start, cover_end, text, sentences, pinned
FROM summary
