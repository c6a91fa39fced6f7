//! Limits of the service: the table `[limits]` of `annals.toml`. Plain data with defaults for a Raspberry Pi, and checks of
//! values that have the right type.

use annals_core::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The table `[limits]`. When a limit is reached, the service answers 429 or 503 and says when to retry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Requests of one key per minute, spread evenly.
    pub requests_per_minute: u32,
    /// Requests of one key that may come at once before the rate applies.
    pub burst: u32,
    /// Requests of one key in progress at once. A request is in progress once its body has arrived. Uploads count separately.
    pub concurrent: u32,
    /// Messages of one agent that are stored but not yet searchable. A Raspberry Pi embeds some tens per second.
    pub backlog: u32,
    /// Free disk space below which no new messages are accepted.
    pub disk_low_mib: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { requests_per_minute: 600, burst: 600, concurrent: 16, backlog: 5000, disk_low_mib: 256 }
    }
}

impl Limits {
    /// Returns a fault for each value that is out of range, with its name in the file.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let field = |name: &str| format!("limits.{name}");
        within(&mut faults, field("requests_per_minute"), self.requests_per_minute, 1, 1_000_000);
        within(&mut faults, field("burst"), self.burst, 1, 1_000_000);
        within(&mut faults, field("concurrent"), self.concurrent, 1, 10_000);
        within(&mut faults, field("backlog"), self.backlog, 1, 10_000_000);
        within(&mut faults, field("disk_low_mib"), self.disk_low_mib, 16, 1_048_576);
        faults
    }
}

/// Adds a fault for `field` if the value is below `least` or above `most`.
pub fn within(faults: &mut Vec<Fault>, field: String, value: u32, least: u32, most: u32) {
    if !(least..=most).contains(&value) {
        faults.push(Fault::new(field, format!("is {value}; {least} to {most} are allowed")));
    }
}
