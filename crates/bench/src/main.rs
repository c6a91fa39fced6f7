//! Measured claims.

fn main() {}
