//! Lets every binary, test and example that links DuckDB find the library where it was found at build time, so that it runs
//! without LD_LIBRARY_PATH. `scripts/release` sets DUCKDB_RPATH instead: a release finds the library beside itself. The command
//! and the bench use this file too. With `bundled-duckdb` there is nothing to find.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-env-changed=DUCKDB_LIB_DIR");
    println!("cargo::rerun-if-env-changed=DUCKDB_RPATH");
    if let Ok(folder) = var("DUCKDB_RPATH").or_else(|_| var("DUCKDB_LIB_DIR")) {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
