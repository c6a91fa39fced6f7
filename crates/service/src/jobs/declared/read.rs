//! Reads the keys of one job file. A key that the user's file lacks is read from the built-in file. Faults are collected.

use annals_core::Fault;
use tokio_cron_scheduler::Job;
use toml::{Table, Value};

/// The user's file of a job and the built-in one. Each read removes a key, so the keys that are left at the end are unknown.
pub(super) struct Reader {
    file: String,
    own: Table,
    built_in: Table,
    faults: Vec<Fault>,
}

impl Reader {
    /// Parses the built-in file of a job, and the user's file (`own`) if there is one. A user's file that is not TOML is
    /// recorded as a fault.
    pub(super) fn new(name: &str, built_in: &str, own: Option<&str>) -> Reader {
        let built_in = built_in.parse().expect("a test reads them all");
        let mut reader = Reader { file: format!("{name}.toml"), own: Table::new(), built_in, faults: Vec::new() };
        let text = own.unwrap_or_default();
        match text.parse() {
            Ok(table) => reader.own = table,
            Err(error) => reader.faults.push(unreadable(text, &error)),
        }
        reader
    }

    /// Reads a boolean. Returns false after a fault.
    pub(super) fn flag(&mut self, key: &str) -> bool {
        self.read(key, "true or false", |value| value.as_bool().ok_or(None)).unwrap_or_default()
    }

    /// Reads a whole number from 1 to `most`. Returns 0 after a fault.
    pub(super) fn number(&mut self, key: &str, most: u16) -> u16 {
        let within = |number: i64| u16::try_from(number).ok().filter(|number| (1..=most).contains(number));
        let read = |value: &Value| {
            let number = value.as_integer().ok_or(None)?;
            within(number).ok_or_else(|| Some(format!("is {number}; 1 to {most} are allowed")))
        };
        self.read(key, "a whole number", read).unwrap_or_default()
    }

    /// Reads a cron expression. Returns an empty text after a fault.
    pub(super) fn wake(&mut self, key: &str) -> String {
        let read = |value: &Value| {
            let wake = value.as_str().ok_or(None)?;
            check_wake(wake).map(|()| wake.to_owned()).map_err(Some)
        };
        self.read(key, "a text", read).unwrap_or_default()
    }

    /// Reads the value of a key. Returns `None` after a fault, which it records, and if neither file has the key. `read`
    /// returns `Err(None)` for a value that is not of type `kind`.
    fn read<T>(&mut self, key: &str, kind: &str, read: impl Fn(&Value) -> Result<T, Option<String>>) -> Option<T> {
        let built_in = self.built_in.remove(key);
        let value = self.own.remove(key).or(built_in)?;
        let reason = match read(&value) {
            Ok(value) => return Some(value),
            Err(reason) => reason.unwrap_or_else(|| format!("is {}; it must be {kind}", value.type_str())),
        };
        self.faults.push(Fault::new(key, reason));
        None
    }

    /// Returns all faults, with the name of the file. Keys that were not read are faults too.
    pub(super) fn finish(self) -> impl Iterator<Item = Fault> {
        let unknown = self.own.into_iter().map(|(key, _)| Fault::new(key, "is not a known key"));
        let file = self.file;
        self.faults.into_iter().chain(unknown).map(move |fault| Fault { file: Some(file.clone()), ..fault })
    }
}

/// Checks a cron expression with the scheduler's own parser, so that the scheduler accepts whatever passes here. Returns why an
/// expression is refused.
fn check_wake(wake: &str) -> Result<(), String> {
    let fields = wake.split_whitespace().count();
    if fields != 6 {
        return Err(format!(
            "has {fields} fields; it has six: second, minute, hour, day of the month, month, day of the week"
        ));
    }
    let mut job = Job::new(wake, |_, _| ()).map_err(|_| format!("is {wake:?}, which is not a cron expression"))?;
    let data = job.job_data().map_err(|_| format!("is {wake:?}, which the scheduler does not accept"))?;
    data.next_tick_utc().map(|_| ()).ok_or_else(|| format!("is {wake:?}, which never occurs"))
}

fn unreadable(text: &str, error: &toml::de::Error) -> Fault {
    let fault = Fault::new("the file", format!("is not TOML: {}", error.message()));
    match error.span() {
        Some(span) => fault.at_offset(text, span.start),
        None => fault,
    }
}
