SELECT unnest([id, subject, predicate, object, properties, superseded_by, subject_key, object_key] || sources) FROM facts
