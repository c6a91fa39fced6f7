//! Texts by agent and period: answers, frozen sources, references. They are read from a file with one JSON object per line
//! (`agent`, `period` and further fields), or from a folder with one file per period (`AGENT/2026-W10.json`).

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use annals_core::{Agent, Error, Period, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::input;

pub(super) struct ByPeriod<T>(BTreeMap<Agent, BTreeMap<Period, T>>);

#[derive(Deserialize)]
struct Line<T> {
    agent: String,
    period: String,
    #[serde(flatten)]
    value: T,
}

impl<T: DeserializeOwned> ByPeriod<T> {
    /// Reads a folder or a file of JSON lines.
    pub(super) fn read(path: &Path) -> Result<ByPeriod<T>> {
        if path.is_dir() { ByPeriod::of_folder(path) } else { ByPeriod::of_file(path) }
    }

    fn of_file(path: &Path) -> Result<ByPeriod<T>> {
        let mut all = ByPeriod(BTreeMap::new());
        for line in input::lines::<Line<T>>(path)? {
            all.insert(Agent::new(&line.agent)?, line.period.parse()?, line.value)?;
        }
        Ok(all)
    }

    fn of_folder(folder: &Path) -> Result<ByPeriod<T>> {
        let mut all = ByPeriod(BTreeMap::new());
        for of_agent in entries(folder)?.iter().filter(|path| path.is_dir()) {
            for path in entries(of_agent)?.iter().filter(|path| path.extension() == Some(OsStr::new("json"))) {
                let text = std::fs::read_to_string(path).map_err(|cause| unreadable(path, cause))?;
                let value = serde_json::from_str(&text)
                    .map_err(|error| Error::invalid(path.display().to_string(), error.to_string()))?;
                all.insert(Agent::new(&name(of_agent.file_name()))?, name(path.file_stem()).parse()?, value)?;
            }
        }
        Ok(all)
    }

    fn insert(&mut self, agent: Agent, period: Period, value: T) -> Result<()> {
        let location = format!("{} {period}", agent.name());
        match self.0.entry(agent).or_default().insert(period, value) {
            None => Ok(()),
            Some(_) => Err(Error::invalid(location, "is there twice")),
        }
    }
}

impl<T> ByPeriod<T> {
    pub(super) fn get(&self, agent: &Agent, period: Period) -> Option<&T> {
        self.0.get(agent)?.get(&period)
    }

    /// Returns the values of an agent in the order of their periods.
    pub(super) fn of(&self, agent: &Agent) -> impl Iterator<Item = (Period, &T)> {
        self.0.get(agent).into_iter().flatten().map(|(period, value)| (*period, value))
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|cause| unreadable(folder, cause))?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(|cause| unreadable(folder, cause))).collect()
}

fn name(part: Option<&OsStr>) -> String {
    part.unwrap_or_default().to_string_lossy().into_owned()
}

fn unreadable(path: &Path, cause: std::io::Error) -> Error {
    Error::storage(format!("cannot read {}", path.display()), cause)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn week() -> (Agent, Period) {
        (Agent::new("ann").unwrap(), "2026-W10".parse().unwrap())
    }

    #[test]
    fn file_and_folder_have_the_same_values() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("ann")).unwrap();
        std::fs::write(folder.path().join("ann/2026-W10.json"), r#"{"text":"x"}"#).unwrap();
        std::fs::write(folder.path().join("ann/2026-W10.md"), "a question").unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), r#"{"agent":"ann","period":"2026-W10","text":"x"}"#).unwrap();
        for path in [folder.path(), file.path()] {
            let all = ByPeriod::<Value>::read(path).unwrap();
            let (agent, period) = week();
            assert_eq!(all.get(&agent, period), Some(&json!({ "text": "x" })));
            assert_eq!(all.of(&agent).count(), 1);
        }
    }

    #[test]
    fn period_that_is_there_twice_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let line = r#"{"agent":"ann","period":"2026-W10","text":"x"}"#;
        std::fs::write(file.path(), format!("{line}\n{line}")).unwrap();
        let error = ByPeriod::<Value>::read(file.path()).err().unwrap().to_string();
        assert!(error.contains("ann 2026-W10"), "{error}");
    }
}
