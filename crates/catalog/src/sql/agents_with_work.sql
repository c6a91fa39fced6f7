-- Repeats the condition of the index ledger_open word for word; otherwise it is not used. ?1 to ?5 are, by grain, the
-- periods of the latest day in any time zone: earlier periods may be closed.
WITH due (agent_id) AS (
    SELECT agent_id FROM ledger
    WHERE (dirty_seq > clean_seq OR degraded = 1) AND grain = 1 AND period < ?1
    UNION
    SELECT agent_id FROM ledger
    WHERE (dirty_seq > clean_seq OR degraded = 1) AND grain = 2 AND period < ?2
    UNION
    SELECT agent_id FROM ledger
    WHERE (dirty_seq > clean_seq OR degraded = 1) AND grain = 3 AND period < ?3
    UNION
    SELECT agent_id FROM ledger
    WHERE (dirty_seq > clean_seq OR degraded = 1) AND grain = 4 AND period < ?4
    UNION
    SELECT agent_id FROM ledger
    WHERE (dirty_seq > clean_seq OR degraded = 1) AND grain = 5 AND period < ?5
    UNION
    SELECT agent_id FROM watermark WHERE building_urgent = 1
),
grains (grain) AS (VALUES (0), (1), (2), (3), (4), (5)),
-- The watermark of each grain's table; for working memory the lower of the table's and extraction's.
reached (agent_id, grain, seq) AS (
    SELECT
        agent.agent_id,
        grains.grain,
        CASE WHEN grains.grain = 0 AND coalesce(journal.extracted, 0) < coalesce(watermark.applied, 0)
            THEN coalesce(journal.extracted, 0)
            ELSE coalesce(watermark.applied, 0)
        END
    FROM agent
    CROSS JOIN grains
    LEFT JOIN watermark ON watermark.agent_id = agent.agent_id AND watermark.grain = grains.grain
    LEFT JOIN journal ON journal.agent_id = agent.agent_id
)
SELECT workspace, name, shown_name
FROM agent
WHERE (
    agent_id IN (SELECT agent_id FROM due)
    OR EXISTS (
        SELECT 1 FROM reached
        WHERE reached.agent_id = agent.agent_id
            AND (
                EXISTS (
                    SELECT 1 FROM tombstone
                    WHERE tombstone.agent_id = reached.agent_id AND tombstone.grain = reached.grain
                        AND tombstone.seq > reached.seq
                )
                OR EXISTS (
                    SELECT 1 FROM summary
                    WHERE summary.agent_id = reached.agent_id AND summary.grain = reached.grain
                        AND summary.seq > reached.seq
                )
                OR (
                    reached.grain = 0
                    AND (
                        EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = reached.agent_id AND turn.seq > reached.seq)
                        OR EXISTS (
                            SELECT 1 FROM statement
                            WHERE statement.agent_id = reached.agent_id AND statement.seq > reached.seq
                        )
                        OR EXISTS (
                            SELECT 1 FROM passage
                            WHERE passage.agent_id = reached.agent_id AND passage.seq > reached.seq
                        )
                    )
                )
            )
    )
)
-- Only known agents, as `page` in agents.rs lists them: of a fully forgotten agent only changes are left.
AND workspace <> '' AND (
    settings IS NOT NULL
    OR EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM ledger WHERE ledger.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM statement WHERE statement.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM fact_operation WHERE fact_operation.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM block WHERE block.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM document WHERE document.agent_id = agent.agent_id)
)
ORDER BY name, workspace
