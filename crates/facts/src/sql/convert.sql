COPY (FROM read_json($1, format = 'newline_delimited', maximum_object_size = 67108864, sample_size = -1))
TO $2 (FORMAT parquet, COMPRESSION zstd)
