-- $1 the key of an entity. Keeps the keys of all its names for the question that follows. Sixteen steps, so that a planted
-- chain of a million names does not take a minute.
SET VARIABLE names = (
  WITH RECURSIVE named (key, steps) AS (
    SELECT $1::VARCHAR, 0 WHERE $1::VARCHAR <> ''
    UNION
    SELECT other, steps + 1 FROM named JOIN alias ON one = key WHERE steps < 16
  )
  SELECT list(DISTINCT key) FROM named
)
