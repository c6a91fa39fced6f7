SELECT sqlite_schema.name
FROM sqlite_schema
JOIN pragma_table_info(sqlite_schema.name) AS "column" ON "column".name = 'agent_id'
WHERE sqlite_schema.type = 'table'
ORDER BY sqlite_schema.name
