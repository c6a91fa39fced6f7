//! Checks of clock, disk and port.

use std::fs::File;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use annals_core::Timestamp;

use super::Finding;
use crate::cli::Global;
use crate::clock::clock_is_synchronised;
use crate::commands::now;
use crate::config::Config;
use crate::scratch::Scratch;

/// Earliest plausible time: Annals did not exist before it. A machine without a real-time clock shows an earlier one until
/// it reaches a time server.
const BEGINNING: &str = "2026-01-01T00:00:00Z";

/// How far the modification time of a file may be ahead of the clock, because file systems round it.
const SLACK: Duration = Duration::from_secs(2);

/// Number of syncs that are measured. The median counts.
const SYNCS: usize = 20;

/// The time above which the median sync counts as slow: every acknowledgement waits for a sync.
const SLOW_SYNC: Duration = Duration::from_millis(100);

/// No disk syncs in less than this time. If the median is below it, the file system reports syncs that did not happen.
const IMPOSSIBLE_SYNC: Duration = Duration::from_micros(15);

/// File system types, as Linux numbers them.
const TMPFS: u64 = 0x0102_1994;
const NFS: u64 = 0x6969;
const SMB2: u64 = 0xFE53_4D42;
const CIFS: u64 = 0xFF53_4D42;

/// Free space in MiB below which the disk counts as low, if the configuration could not be loaded.
const DISK_LOW_MIB: u64 = 256;

/// Checks whether the clock is plausible: against the system's synchronisation state and the times of the catalog's files.
/// Checks nothing if `--now` sets the time.
pub(crate) fn clock(global: &Global, data: &Path) -> Vec<Finding> {
    let about = "clock";
    let now = now(global);
    if global.now.is_some() {
        return vec![Finding::ok(about, format!("not checked: --now sets it to {now:.0}"))];
    }
    let remedy = "set the clock and turn on time synchronisation: `timedatectl set-ntp true`, or chrony";
    if BEGINNING.parse::<Timestamp>().is_ok_and(|beginning| now < beginning) {
        return vec![Finding::wrong(about, format!("it shows {now:.0}, which is in the past"), remedy)];
    }
    if let Some(newest) = newest(data).filter(|newest| *newest > SystemTime::from(now) + SLACK) {
        let newest = Timestamp::try_from(newest).map_or_else(|_| "later".into(), |at| format!("{at:.0}"));
        let found = format!("it shows {now:.0}, but the catalog was written at {newest}: the clock went backward");
        return vec![Finding::wrong(about, found, remedy)];
    }
    match clock_is_synchronised().or_else(says_systemd) {
        Some(true) => vec![Finding::ok(about, format!("{now:.0}, synchronised"))],
        Some(false) => {
            let found =
                format!("{now:.0}, not synchronised: until it is, closing periods and pruning may be postponed");
            vec![Finding::doubtful(about, found, remedy)]
        }
        None => vec![Finding::ok(about, format!("{now:.0}; the system does not say whether it is synchronised"))],
    }
}

/// Returns when the catalog or its write-ahead log was last written; `None` if the folder has no SQLite catalog.
fn newest(data: &Path) -> Option<SystemTime> {
    let files = ["catalog.sqlite", "catalog.sqlite-wal"];
    files.iter().filter_map(|file| std::fs::metadata(data.join(file)).ok()?.modified().ok()).max()
}

/// Returns whether the clock is synchronised, according to `timedatectl`; `None` without an answer. It reports the kernel's
/// state, which every time service sets.
fn says_systemd() -> Option<bool> {
    let output = Command::new("timedatectl").args(["show", "--property=NTPSynchronized", "--value"]).output().ok()?;
    match output.stdout.trim_ascii() {
        b"yes" => Some(true),
        b"no" => Some(false),
        _ => None,
    }
}

/// Checks free space, type of file system, and speed of syncs.
pub(crate) fn disk(data: &Path, config: Option<&Config>) -> Vec<Finding> {
    let mut findings = vec![space(data, config)];
    findings.extend(kind(data));
    findings.push(match sync(data) {
        Ok(median) => speed(median),
        Err(error) => Finding::wrong("sync", error.to_string(), "check whether the disk is full, failing or read-only"),
    });
    findings
}

fn space(data: &Path, config: Option<&Config>) -> Finding {
    let about = "space";
    let low = config.map_or(DISK_LOW_MIB, |config| u64::from(config.limits.disk_low_mib));
    let free = match rustix::fs::statvfs(data) {
        Ok(disk) => disk.f_bavail.saturating_mul(disk.f_frsize) >> 20,
        Err(error) => return Finding::wrong(about, error.to_string(), "check the disk"),
    };
    let remedy = "free some disk space, or lower limits.disk_low_mib";
    match free {
        free if free < low => {
            let found = format!("{free} MiB are free, less than {low}: new messages are refused");
            Finding::wrong(about, found, remedy)
        }
        free if free < 4 * low => Finding::doubtful(about, format!("only {free} MiB are free"), remedy),
        free => Finding::ok(about, format!("{free} MiB are free")),
    }
}

fn kind(data: &Path) -> Option<Finding> {
    let kind = rustix::fs::statfs(data).ok()?.f_type;
    let remedy = "move the data folder to a local disk";
    match u64::try_from(kind).ok()? {
        TMPFS => Some(Finding::doubtful(
            "file system",
            "the data folder is in memory (tmpfs): its content is lost at the next restart of the machine",
            remedy,
        )),
        NFS | SMB2 | CIFS => Some(Finding::wrong(
            "file system",
            "the data folder is on a network file system, where file locks are unreliable",
            remedy,
        )),
        _ => None,
    }
}

/// Returns the median time of a 4 KiB write and its sync.
fn sync(data: &Path) -> std::io::Result<Duration> {
    let scratch = Scratch::within(data, "sync").map_err(std::io::Error::other)?;
    let mut file = File::create(scratch.path().join("file"))?;
    let mut times = Vec::new();
    for _ in 0..SYNCS {
        let begun = Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    times.sort();
    Ok(times[SYNCS / 2])
}

fn speed(median: Duration) -> Finding {
    let (about, found) =
        ("sync", format!("{:.2} ms per synced write, the median of {SYNCS}", median.as_secs_f64() * 1000.0));
    match median {
        median if median > SLOW_SYNC => {
            let remedy =
                "every stored message waits for one sync; use a faster disk, such as a USB SSD instead of an SD card";
            Finding::doubtful(about, found, remedy)
        }
        median if median < IMPOSSIBLE_SYNC => {
            let remedy = "implausibly fast: the disk may ignore syncs, and a power cut may then lose stored messages";
            Finding::doubtful(about, found, remedy)
        }
        _ => Finding::ok(about, found),
    }
}

/// Checks whether the service could listen on its address.
pub(crate) fn port(listen: SocketAddr, in_use: bool) -> Finding {
    let about = "port";
    match TcpListener::bind(listen) {
        Ok(_) => Finding::ok(about, format!("{listen} is free")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse && in_use => {
            Finding::ok(about, format!("{listen} is in use, presumably by the Annals service of this data folder"))
        }
        Err(error) => Finding::wrong(about, format!("{listen}: {error}"), "set server.listen to a free address"),
    }
}
