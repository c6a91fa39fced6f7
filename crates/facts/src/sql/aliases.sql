-- Which names mean the same, in both directions, ended ones too. An empty key names nobody: it would make one of all that are
-- called "?".
CREATE TABLE alias AS
SELECT subject_key AS one, object_key AS other
FROM facts WHERE predicate = 'also_known_as' AND subject_key <> '' AND object_key <> ''
UNION
SELECT object_key, subject_key
FROM facts WHERE predicate = 'also_known_as' AND subject_key <> '' AND object_key <> '';
