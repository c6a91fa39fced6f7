INSERT INTO journal (agent_id, log_version)
VALUES (?1, ?2)
ON CONFLICT (agent_id) DO UPDATE SET log_version = excluded.log_version
