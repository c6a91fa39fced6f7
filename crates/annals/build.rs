//! Where DuckDB is linked rather than compiled in, the binary remembers where it was found, so that it runs without settings.

fn main() {
    println!("cargo::rerun-if-env-changed=DUCKDB_LIB_DIR");
    if let Ok(folder) = std::env::var("DUCKDB_LIB_DIR") {
        println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{folder}");
    }
}
