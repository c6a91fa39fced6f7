//! Deserializes the merged values and collects every error. serde stops at the first error, so the loop records it, removes its
//! key, and deserializes the rest again.

use std::collections::BTreeMap;

use annals_core::Fault;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::Written;
use super::layers::{Layers, remove, set};

impl Layers {
    /// Returns the tables, with defaults in place of values that cannot be used. Adds a fault for each of these.
    pub(super) fn read(&mut self) -> Written {
        // If no interpretation of a text fits, the error of the first one is reported.
        let mut first: BTreeMap<String, String> = BTreeMap::new();
        loop {
            let error = match serde_path_to_error::deserialize(&Value::Object(self.tree.clone())) {
                Ok(written) => return written,
                Err(error) => error,
            };
            let key = key_of(error.path());
            let reason_text = first.entry(key.clone()).or_insert_with(|| reason(&error.inner().to_string())).clone();
            if let Some(other) = self.readings.get_mut(&key).and_then(Vec::pop) {
                set(&mut self.tree, &key, other);
                continue;
            }
            self.fault_all(vec![Fault::new(key.clone(), reason_text)]);
            if !remove(&mut self.tree, &key) {
                return Written::default();
            }
        }
    }
}

/// Returns the key at which deserialization stopped, without indices into a list below it.
fn key_of(path: &Path) -> String {
    let names = path.iter().map_while(|segment| match segment {
        Segment::Map { key } => Some(key.as_str()),
        _ => None,
    });
    names.collect::<Vec<_>>().join(".")
}

/// Returns the reason without the value, which may be a secret.
fn reason(error: &str) -> String {
    let expected = error.rsplit_once("expected ").map(|(_, expected)| expected);
    match expected {
        Some(known) if error.starts_with("unknown field") => {
            format!("is not a configuration key; expected one of {}", known.trim_start_matches("one of "))
        }
        Some("u8" | "u16" | "u32" | "u64") => "must be a whole number, and not a negative one".into(),
        Some("f32") => "must be a number".into(),
        Some("string or map") => "must be a text".into(),
        Some("a sequence") => "must be a list".into(),
        Some("socket address") => "must be an address with a port, such as 127.0.0.1:7411".into(),
        Some(what) if what.starts_with("struct") => "must be a table".into(),
        Some("a boolean") => "must be true or false".into(),
        Some(what) => format!("must be {what}"),
        None if error.contains("enum DurationSetting") => "must be seconds or words such as 2m 30s".into(),
        None if error.contains("socket address") => "must be an address with a port, such as 127.0.0.1:7411".into(),
        None => "cannot be read".into(),
    }
}
