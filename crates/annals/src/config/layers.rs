//! Merges file, environment and flags: determines the effective value of each key, its origin, and the place of each error.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use annals_core::{Error, Fault, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Setting, file};
use crate::failure::unreadable;

/// Prefix of all environment variables of Annals. Not all are settings: some name the data folder and the configuration file,
/// or serve tests and scripts.
const PREFIX: &str = "ANNALS_";

/// Where the value of a key comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "origin", rename_all = "lowercase")]
pub(crate) enum Origin {
    /// Nothing sets it.
    Default,
    /// A line of the configuration file.
    File { file: PathBuf, line: usize },
    /// An environment variable.
    Env { variable: String },
    /// `--set` on the command line.
    Flag,
}

/// The settings merged so far.
pub(crate) struct Layers {
    /// The known keys, with their defaults.
    known: BTreeMap<String, Value>,
    pub(super) tree: Map<String, Value>,
    origins: BTreeMap<String, Origin>,
    /// Text from the environment or a flag may mean a number, a string or a list. Holds the alternatives not yet tried; the
    /// next one is last.
    pub(super) readings: BTreeMap<String, Vec<Value>>,
    file: Option<PathBuf>,
    unknown_variables: Vec<String>,
    faults: Vec<Fault>,
}

impl Layers {
    /// Returns layers without any settings; `defaults` defines the known keys.
    pub(crate) fn new(defaults: &Value) -> Layers {
        let mut known = BTreeMap::new();
        flatten("", defaults, &mut known);
        Layers {
            known,
            tree: Map::new(),
            origins: BTreeMap::new(),
            readings: BTreeMap::new(),
            file: None,
            unknown_variables: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Adds the settings of the file. Fails if it cannot be read or is not valid TOML.
    pub(crate) fn add_file(&mut self, path: &Path) -> Result<()> {
        let text = std::fs::read_to_string(path).map_err(|cause| unreadable(path, cause))?;
        let in_file = |fault: Fault| Fault { file: Some(path.display().to_string()), ..fault };
        let parsed = file::parse(&text).map_err(|faults| Error::Faults(faults.into_iter().map(in_file).collect()))?;
        self.tree = parsed.tree;
        self.origins
            .extend(parsed.lines.into_iter().map(|(key, line)| (key, Origin::File { file: path.to_owned(), line })));
        self.file = Some(path.to_owned());
        Ok(())
    }

    /// Adds every variable that has the name of a key. An empty value counts as not set. Notes the variables that only look
    /// like a setting, for [`Layers::refuse_unknown_variables`].
    pub(crate) fn add_environment(&mut self, variables: impl Iterator<Item = (OsString, OsString)>) {
        let keys: BTreeMap<String, String> = self.known.keys().map(|key| (variable(key), key.clone())).collect();
        for (name, value) in variables {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
            match keys.get(name) {
                Some(key) if !value.is_empty() => self.add_text(key, value, Origin::Env { variable: name.to_owned() }),
                None if self.is_like_a_key(name) => self.unknown_variables.push(name.to_owned()),
                _ => {}
            }
        }
    }

    /// Adds the `key=value` of each flag. A flag without `=` is a fault.
    pub(crate) fn add_flags(&mut self, flags: &[String]) {
        for flag in flags {
            match flag.split_once('=') {
                Some((key, value)) => self.add_text(key.trim(), value, Origin::Flag),
                // The text is not shown: it may be a secret value without its key.
                None => {
                    self.faults.push(Fault::new("--set", "needs a key and a value, as in server.listen=127.0.0.1:80"));
                }
            }
        }
    }

    fn add_text(&mut self, key: &str, text: &str, origin: Origin) {
        let list = text.split(',').map(|item| Value::from(item.trim())).collect();
        let mut readings = vec![Value::Array(list), Value::from(text)];
        readings.extend(toml_value(text));
        if let Some(first) = readings.pop() {
            set(&mut self.tree, key, first);
        }
        self.readings.insert(key.to_owned(), readings);
        self.origins.insert(key.to_owned(), origin);
    }

    /// Returns whether a variable looks like a setting, because its name begins with that of a table: `ANNALS_SERVER_LISTN`.
    fn is_like_a_key(&self, name: &str) -> bool {
        let tables = self.known.keys().filter_map(|key| key.split_once('.'));
        tables.map(|(table, _)| format!("{}_", variable(table))).any(|prefix| name.starts_with(&prefix))
    }

    /// Reports variables that look like settings and match no key, unless a `key_env` names them.
    pub(crate) fn refuse_unknown_variables(&mut self) {
        let mut named = BTreeMap::new();
        flatten("", &Value::Object(self.tree.clone()), &mut named);
        let is_named = |variable: &String| {
            named.iter().any(|(key, value)| key.ends_with("key_env") && value.as_str() == Some(variable))
        };
        let unknown = std::mem::take(&mut self.unknown_variables);
        let faults = unknown.into_iter().filter(|name| !is_named(name));
        self.faults
            .extend(faults.map(|name| Fault::new(name, "in the environment does not match any configuration key")));
    }

    /// Adds faults. Each gets the file and line of its key, or of the table where the key belongs.
    pub(crate) fn fault_all(&mut self, faults: Vec<Fault>) {
        for fault in faults {
            let fault = self.placed(fault);
            if !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
        }
    }

    fn placed(&self, fault: Fault) -> Fault {
        match self.origin_of(&fault.field) {
            Some(Origin::File { file, line }) => {
                Fault { file: Some(file.display().to_string()), line: Some(*line), ..fault }
            }
            Some(Origin::Env { variable }) => Fault { file: Some(variable.clone()), ..fault },
            Some(Origin::Flag) => Fault { file: Some("--set".into()), ..fault },
            Some(Origin::Default) | None => {
                Fault { file: self.file.as_ref().map(|path| path.display().to_string()), ..fault }
            }
        }
    }

    /// Returns the origin of the key, of a key below it, or of the nearest table above it; `None` if nothing sets any of these.
    fn origin_of(&self, key: &str) -> Option<&Origin> {
        let below = format!("{key}.");
        let mut from = self.origins.range(below.clone()..).take_while(|(found, _)| found.starts_with(&below));
        let above = || key.rsplit_once('.').and_then(|(table, _)| self.origin_of(table));
        self.origins.get(key).or_else(|| from.next().map(|(_, origin)| origin)).or_else(above)
    }

    /// Returns every key with its effective value and origin.
    pub(crate) fn settings(&self, written: &Value) -> Vec<Setting> {
        let mut values = BTreeMap::new();
        flatten("", written, &mut values);
        let origin = |key: &str| self.origins.get(key).cloned().unwrap_or(Origin::Default);
        values.into_iter().map(|(key, value)| Setting { origin: origin(&key), key, value }).collect()
    }

    /// Returns the faults in the order in which they were found.
    pub(crate) fn into_faults(self) -> Vec<Fault> {
        self.faults
    }
}

/// Returns the environment variable for a key or table.
pub(crate) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_uppercase())
}

fn toml_value(text: &str) -> Option<Value> {
    let mut table: Map<String, Value> = toml::from_str(&format!("value = {text}")).ok()?;
    table.remove("value").filter(|_| table.is_empty())
}

/// Collects the leaves of a tree by their full keys.
fn flatten(above: &str, value: &Value, leaves: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(table) => {
            for (name, value) in table {
                let key = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
                flatten(&key, value, leaves);
            }
        }
        leaf => drop(leaves.insert(above.to_owned(), leaf.clone())),
    }
}

/// Sets the value of a key. If another value is in the place of one of its tables, replaces that value.
pub(crate) fn set(tree: &mut Map<String, Value>, key: &str, value: Value) {
    match key.split_once('.') {
        None => drop(tree.insert(key.to_owned(), value)),
        Some((name, rest)) => {
            let table = tree.entry(name).or_insert_with(|| Value::Object(Map::new()));
            if !table.is_object() {
                *table = Value::Object(Map::new());
            }
            if let Value::Object(table) = table {
                set(table, rest, value);
            }
        }
    }
}

/// Removes a key. Returns whether it was there.
pub(crate) fn remove(tree: &mut Map<String, Value>, key: &str) -> bool {
    match key.split_once('.') {
        None => tree.remove(key).is_some(),
        Some((name, rest)) => {
            tree.get_mut(name).and_then(Value::as_object_mut).is_some_and(|table| remove(table, rest))
        }
    }
}
