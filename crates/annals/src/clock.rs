//! Reads whether the machine's clock is synchronised, as far as the system knows.

use std::path::Path;

/// Returns whether the machine's clock is synchronised, or `None` if that is unknown.
pub(crate) fn clock_is_synchronised() -> Option<bool> {
    is_synchronised(Path::new("/run/systemd/timesync"), Path::new("/sys/class/rtc/rtc0"))
}

/// Returns whether the clock is synchronised, from the files of systemd-timesyncd; `None` if that is unknown. The daemon
/// creates a folder, and a file in it after its first contact with a server. A machine without a real-time clock starts with a
/// time in the past, so before that contact its time is certainly wrong. A machine with a real-time clock may never need a
/// server.
fn is_synchronised(daemon: &Path, own_clock: &Path) -> Option<bool> {
    match daemon.join("synchronized").exists() {
        true => Some(true),
        false => (daemon.is_dir() && !own_clock.exists()).then_some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::is_synchronised;

    #[test]
    fn clock_is_unsynchronised_without_hardware_clock_before_time_sync() {
        let folder = tempfile::tempdir().unwrap();
        let [daemon, own_clock] = ["timesync", "rtc0"].map(|name| folder.path().join(name));
        assert_eq!(is_synchronised(&daemon, &own_clock), None, "no daemon says anything");
        std::fs::create_dir(&daemon).unwrap();
        assert_eq!(is_synchronised(&daemon, &own_clock), Some(false));
        std::fs::create_dir(&own_clock).unwrap();
        assert_eq!(is_synchronised(&daemon, &own_clock), None, "its own clock may be right");
        std::fs::write(daemon.join("synchronized"), "").unwrap();
        assert_eq!(is_synchronised(&daemon, &own_clock), Some(true));
    }
}
