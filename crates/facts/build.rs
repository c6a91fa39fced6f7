//! Lets every binary, test and example that links DuckDB find the library where it was found at build time, so that it runs
//! without LD_LIBRARY_PATH. The command and the bench use this file too. With `bundled-duckdb` there is nothing to find.

fn main() {
    println!("cargo::rerun-if-env-changed=DUCKDB_LIB_DIR");
    if let Ok(folder) = std::env::var("DUCKDB_LIB_DIR") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
