COPY (FROM facts) TO $1 (
  FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false, KV_METADATA {annals_format: $2, annals_version: $3}
)
