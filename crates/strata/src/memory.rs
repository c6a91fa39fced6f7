//! How much is held in memory to be searched, and from when on not every vector is compared.

/// Rows up to which all vectors are compared.
const SIGNS_FROM: usize = 20_000;
/// Of the machine's memory this part is for tables.
const PART_OF_MACHINE: usize = 8;
const MOST_BYTES: usize = 1 << 30;
/// Where a machine does not say what it has, and for the smallest.
const LEAST_BYTES: usize = 64 << 20;

/// Bounds of what is held in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of all tables together. With vectors of 384 numbers, 100,000 rows take some 60 MB. A table that alone takes more is
    /// searched on the disk.
    pub bytes: usize,
    /// With more rows than this passing a filter, only those are compared exactly whose vectors have most signs in common with
    /// the question's.
    pub signs_from: usize,
}

impl Memory {
    /// So many bytes.
    pub fn of(bytes: usize) -> Memory {
        Memory { bytes, signs_from: SIGNS_FROM }
    }

    /// What suits this machine: an eighth of its memory, 64 MB to 1 GB.
    pub fn of_machine() -> Memory {
        let told = std::fs::read_to_string("/proc/meminfo").ok().and_then(|told| machine_bytes(&told)).unwrap_or(0);
        Memory::of((told / PART_OF_MACHINE).clamp(LEAST_BYTES, MOST_BYTES))
    }
}

/// All memory, from what Linux tells.
fn machine_bytes(told: &str) -> Option<usize> {
    let line = told.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kb| kb << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linux_tells_its_memory() {
        assert_eq!(machine_bytes("MemTotal:        1000448 kB\nMemFree: 3 kB"), Some(1_000_448 << 10));
        assert_eq!(machine_bytes("MemFree: 3 kB"), None);
        assert!((LEAST_BYTES..=MOST_BYTES).contains(&Memory::of_machine().bytes));
    }
}
