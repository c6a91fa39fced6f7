INSERT INTO facts BY NAME
SELECT stage.* EXCLUDE (number), coalesce(sources, []) AS sources
FROM stage
LEFT JOIN (SELECT number, list(source ORDER BY place) AS sources FROM fact_source GROUP BY number) USING (number)
ORDER BY valid_from, id;
DROP TABLE stage;
DROP TABLE fact_source;
