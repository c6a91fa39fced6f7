//! Limits on the memory for tables that are searched, and on the number of vectors that are compared exactly.

use std::path::Path;

/// Maximum number of rows for which all vectors are compared exactly. Of more rows, the signs of the vectors are compared
/// first.
const SIGNS_FROM: usize = 20_000;
/// Divisor: the tables get one eighth of the memory that the process may use.
const PART: usize = 8;
const MAX_BYTES: usize = 1 << 30;
/// Minimum size of the cache in bytes; also used if the size of the memory is unknown.
const MIN_BYTES: usize = 64 << 20;

/// Limits on the tables that are held in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    /// Bytes of all tables together. With vectors of 384 numbers, 100,000 rows take about 60 MB. A single table that
    /// needs more is searched on disk.
    pub bytes: usize,
    /// If more rows than this pass a filter, the signs of their vectors are compared first. Only the rows that share the most
    /// signs with the query's vector are compared exactly.
    pub signs_from: usize,
}

impl CacheLimits {
    /// Returns limits of `bytes` for all tables together. Vectors of up to 20,000 rows are all compared exactly.
    pub fn of(bytes: usize) -> CacheLimits {
        CacheLimits { bytes, signs_from: SIGNS_FROM }
    }

    /// Returns limits for this machine, or for the container or unit that the process runs in: an eighth of its memory, at
    /// least 64 MiB and at most 1 GiB.
    pub fn of_machine() -> CacheLimits {
        CacheLimits::of((usable_bytes(Path::new("/")).unwrap_or(0) / PART).clamp(MIN_BYTES, MAX_BYTES))
    }
}

/// Returns the number of bytes that this process may use: the machine's memory, or the limit of the process's control group
/// if that is lower. `None` if neither can be read. `root` is `/`, or a test's folder in its place.
fn usable_bytes(root: &Path) -> Option<usize> {
    let machine = read(root, "proc/meminfo").and_then(|text| machine_bytes(&text));
    let groups = read(root, "proc/self/cgroup").unwrap_or_default();
    machine.into_iter().chain(groups.lines().flat_map(|line| group_limits(root, line))).min()
}

fn read(root: &Path, path: &str) -> Option<String> {
    std::fs::read_to_string(root.join(path)).ok()
}

/// Reads the total memory, in bytes, from the text of `/proc/meminfo`.
fn machine_bytes(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kb| kb << 10)
}

/// Returns the memory limits of a control group and its ancestors, in bytes; none for a line of other controllers. `line` is
/// one of `/proc/self/cgroup`: `0::/path` in version 2 of control groups, `4:memory:/path` in version 1.
fn group_limits(root: &Path, line: &str) -> Vec<usize> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { return Vec::new() };
    let (mount, files): (&str, &[&str]) = match controllers {
        "" => ("sys/fs/cgroup", &["memory.max", "memory.high"]),
        several if several.split(',').any(|one| one == "memory") => {
            ("sys/fs/cgroup/memory", &["memory.limit_in_bytes"])
        }
        _ => return Vec::new(),
    };
    // In a container the path can be the host's, which is not mounted there; the container's own group is then the
    // mount itself.
    let groups = Path::new(path.trim_start_matches('/')).ancestors().map(|group| root.join(mount).join(group));
    let limit = |file: std::path::PathBuf| std::fs::read_to_string(file).ok()?.trim().parse().ok();
    // A missing limit is written as the word `max`, or in version 1 as a number larger than any memory.
    groups.flat_map(|group| files.iter().filter_map(|file| limit(group.join(file))).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    /// Checks the usable memory, in bytes, of a machine with 4 GiB and these files.
    #[track_caller]
    fn check(files: &[(&str, &str)], expect: usize) {
        let root = tempfile::tempdir().unwrap();
        let meminfo = ("proc/meminfo", "MemTotal:        4194304 kB\nMemFree: 3 kB\n");
        for (path, text) in files.iter().chain([&meminfo]) {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        assert_eq!(usable_bytes(root.path()), Some(expect), "{files:?}");
    }

    #[test]
    fn smallest_limit_of_machine_group_and_ancestors_counts() {
        let all = 4096 * MIB;
        check(&[], all);
        let (unit, child) =
            (("proc/self/cgroup", "0::/system.slice/annals.service\n"), "sys/fs/cgroup/system.slice/annals.service");
        let (max, high) = (format!("{child}/memory.max"), format!("{child}/memory.high"));
        check(&[unit], all);
        check(&[unit, (&max, "max\n")], all);
        check(&[unit, (&max, "1073741824\n")], 1024 * MIB);
        check(&[unit, (&max, "max\n"), (&high, "536870912\n")], 512 * MIB);
        check(&[unit, (&max, "1073741824\n"), ("sys/fs/cgroup/system.slice/memory.max", "268435456\n")], 256 * MIB);
        check(&[unit, (&max, "9223372036854771712\n")], all);
        check(&[unit, (&max, "nonsense")], all);
    }

    #[test]
    fn container_limit_is_read_from_the_mount() {
        // The first container has a cgroup namespace of its own; the others see the path of the host.
        check(&[("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/memory.max", "1073741824\n")], 1024 * MIB);
        check(
            &[("proc/self/cgroup", "0::/../../docker/4f\n"), ("sys/fs/cgroup/memory.max", "1073741824\n")],
            1024 * MIB,
        );
        let older = ("proc/self/cgroup", "12:pids:/docker/4f\n4:memory:/docker/4f\n1:name=systemd:/docker/4f\n");
        check(&[older, ("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n")], 1024 * MIB);
        check(&[older, ("sys/fs/cgroup/memory/docker/4f/memory.limit_in_bytes", "536870912\n")], 512 * MIB);
        check(&[older, ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")], 4096 * MIB);
        check(&[older, ("sys/fs/cgroup/pids/memory.limit_in_bytes", "1\n")], 4096 * MIB);
    }

    #[test]
    fn unknown_memory_size_is_none() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(usable_bytes(root.path()), None);
        assert_eq!(machine_bytes("MemFree: 3 kB"), None);
        assert!((MIN_BYTES..=MAX_BYTES).contains(&CacheLimits::of_machine().bytes));
    }
}
