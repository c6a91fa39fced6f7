//! Job declarations: five files `jobs/*.toml` that come with Annals. A file of the same name in the data folder's `jobs/`
//! overrides single keys.
//!
//! A file sets when a job wakes up, how long a run may take and how many agents it processes at once, not what is due. Unknown
//! keys and files are refused. The faults of all files are reported together. Only a file that is not UTF-8 is reported alone.

mod read;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::string::FromUtf8Error;

use annals_core::{Error, Fault, Result};

use read::Reader;

/// When a job wakes up, and how long a run may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Whether the job wakes up at all. A job that is off can still be run by hand.
    pub enabled: bool,
    /// The cron expression: second, minute, hour, day of the month, month, day of the week; in UTC.
    pub wake: String,
    /// Minutes after which a run begins nothing more.
    pub minutes: u16,
}

/// The declaration of a job that gives each agent a slot: one pass over the agent's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentJob {
    pub timing: Timing,
    /// Maximum number of agents that are processed at the same time.
    pub agents_at_once: usize,
}

/// The declarations of all jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jobs {
    /// Extracts facts, writes the summaries that are due, makes both searchable, and completes erasures.
    pub rollup: AgentJob,
    /// Prunes memories that are past their plan. Also drops expired idempotency keys and saved model answers.
    pub retention: AgentJob,
    /// Joins small fragments of tables, and frees the space of replaced rows.
    pub compaction: Timing,
    /// Reads all tables back, compares them with the catalog, and rebuilds those that differ. Also checks the catalog.
    pub verification: Timing,
    /// Copies what cannot be rebuilt to the target of backups, if the configuration names one.
    pub backup: Timing,
}

const BUILT_IN: [(&str, &str); 5] = [
    ("rollup", include_str!("../../../../jobs/rollup.toml")),
    ("retention", include_str!("../../../../jobs/retention.toml")),
    ("compaction", include_str!("../../../../jobs/compaction.toml")),
    ("verification", include_str!("../../../../jobs/verification.toml")),
    ("backup", include_str!("../../../../jobs/backup.toml")),
];
/// Maximum value of `minutes`: one day. Longer runs of a daily job would follow each other without a pause.
const MAX_MINUTES: u16 = 1440;
/// Maximum value of `agents_at_once`. More agents at once take more memory without saving time.
const MAX_AT_ONCE: u16 = 64;

impl Jobs {
    /// Returns the jobs that come with Annals.
    pub fn built_in() -> Jobs {
        Jobs::parse(&[]).expect("a test reads them all")
    }

    /// Returns the jobs that come with Annals, overridden by the files in a folder, which need not exist.
    pub fn in_folder(folder: &Path) -> Result<Jobs> {
        Jobs::parse(&files(folder)?)
    }

    /// Returns the jobs that come with Annals, overridden by `files`: pairs of a name without `.toml` and a text.
    pub fn parse(files: &[(String, String)]) -> Result<Jobs> {
        let mut faults: Vec<Fault> = files.iter().filter_map(|(name, _)| unknown(name)).collect();
        let mut reader = |job: usize| {
            let (name, text) = BUILT_IN[job];
            let own = files.iter().find(|(file, _)| file == name).map(|(_, text)| text.as_str());
            Reader::new(name, text, own)
        };
        let [mut rollup, mut retention, mut compaction, mut verification, mut backup] =
            std::array::from_fn(&mut reader);
        let jobs = Jobs {
            rollup: agent_job(&mut rollup),
            retention: agent_job(&mut retention),
            compaction: timing(&mut compaction),
            verification: timing(&mut verification),
            backup: timing(&mut backup),
        };
        for reader in [rollup, retention, compaction, verification, backup] {
            faults.extend(reader.finish());
        }
        if faults.is_empty() { Ok(jobs) } else { Err(Error::Faults(faults)) }
    }
}

fn timing(reader: &mut Reader) -> Timing {
    Timing {
        enabled: reader.flag("enabled"),
        wake: reader.wake("wake"),
        minutes: reader.number("minutes", MAX_MINUTES),
    }
}

fn agent_job(reader: &mut Reader) -> AgentJob {
    let agents_at_once = usize::from(reader.number("agents_at_once", MAX_AT_ONCE));
    AgentJob { timing: timing(reader), agents_at_once }
}

fn unknown(name: &str) -> Option<Fault> {
    let known = BUILT_IN.map(|(name, _)| name);
    let fault = || Fault::new("the file", format!("does not belong to a job; the jobs are {}", known.join(", ")));
    (!known.contains(&name)).then(|| Fault { file: Some(format!("{name}.toml")), ..fault() })
}

/// Reads the TOML files of a folder, sorted by name. Returns pairs of a name without `.toml` and a text; none if there is no
/// folder.
fn files(folder: &Path) -> Result<Vec<(String, String)>> {
    let failed = |cause| Error::storage(format!("cannot read the jobs in {}", folder.display()), cause);
    let mut files = Vec::new();
    if !folder.exists() {
        return Ok(files);
    }
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = String::from_utf8(std::fs::read(&path).map_err(failed)?);
            let text = text.map_err(|error| Error::Faults(vec![not_utf8(&name, &error)]))?;
            files.push((name, text));
        }
    }
    files.sort();
    Ok(files)
}

fn not_utf8(name: &str, error: &FromUtf8Error) -> Fault {
    let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
    Fault { file: Some(format!("{name}.toml")), ..Fault::new("the file", "is not UTF-8 text").at_line(line) }
}
