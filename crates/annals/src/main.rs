//! The program `annals`.

use std::process::ExitCode;

/// LanceDB's repeated upserts grow glibc's per-thread arenas without bound; mimalloc returns memory to the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    annals::main()
}
