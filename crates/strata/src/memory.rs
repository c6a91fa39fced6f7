//! How much is held in memory to be searched, and from when on not every vector is compared.

use std::path::Path;

/// Rows up to which all vectors are compared.
const SIGNS_FROM: usize = 20_000;
/// Of the memory that this process may use this part is for tables.
const PART: usize = 8;
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

    /// What suits this machine, or the container or unit that the process runs in: an eighth of its memory, 64 MB to 1 GB.
    pub fn of_machine() -> Memory {
        Memory::of((usable_bytes(Path::new("/")).unwrap_or(0) / PART).clamp(LEAST_BYTES, MOST_BYTES))
    }
}

/// The memory that this process may use: the machine's, or less if its control group limits it. `root` is where the file systems
/// of Linux are mounted.
fn usable_bytes(root: &Path) -> Option<usize> {
    let machine = read(root, "proc/meminfo").and_then(|text| machine_bytes(&text));
    let groups = read(root, "proc/self/cgroup").unwrap_or_default();
    machine.into_iter().chain(groups.lines().flat_map(|line| group_limits(root, line))).min()
}

fn read(root: &Path, path: &str) -> Option<String> {
    std::fs::read_to_string(root.join(path)).ok()
}

/// All memory of the machine.
fn machine_bytes(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kb| kb << 10)
}

/// The limits of a control group and of those above it. A line of version 2 is `0::/path`, one of version 1 `4:memory:/path`.
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
    // Within a container the path can be that of the host, which is not mounted there: its own group is then the mount itself.
    let groups = Path::new(path.trim_start_matches('/')).ancestors().map(|group| root.join(mount).join(group));
    let limit = |file: std::path::PathBuf| std::fs::read_to_string(file).ok()?.trim().parse().ok();
    // No limit is the word `max`, or in version 1 a number beyond any memory.
    groups.flat_map(|group| files.iter().filter_map(|file| limit(group.join(file))).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    /// A machine of 4 GiB with these files.
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
    fn the_machine_or_the_smallest_limit_of_the_group_and_those_above_it_counts() {
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
    fn a_container_finds_its_limit_where_its_group_is_mounted() {
        // With a name space of its own, and with the path of the host.
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
    fn a_machine_that_says_nothing_has_no_size() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(usable_bytes(root.path()), None);
        assert_eq!(machine_bytes("MemFree: 3 kB"), None);
        assert!((LEAST_BYTES..=MOST_BYTES).contains(&Memory::of_machine().bytes));
    }
}
