//! Retention plans: how long each grain is kept. Four are built in, from `retention/*.toml`; others are read from text.
//!
//! A plan may name any durations, such as turns for ever and weeks for a month. Memories are kept longer than the plan says
//! until a coarser summary covers them and the finer memories below them are gone. Only yearly summaries need no coarser
//! summary.

use std::collections::BTreeMap;

use annals_core::{Error, Fault, Grain, ObjectKind, Result};
use toml::{Table, Value};

use crate::Keep;

/// How long each grain is kept after the end of its cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    keeps: [Keep; 6],
}

/// Plans by name.
#[derive(Clone, Debug)]
pub struct Plans(BTreeMap<String, Plan>);

const BUILT_IN: [(&str, &str); 4] = [
    ("keep", include_str!("../../../retention/keep.toml")),
    ("free", include_str!("../../../retention/free.toml")),
    ("starter", include_str!("../../../retention/starter.toml")),
    ("pro", include_str!("../../../retention/pro.toml")),
];

impl Plan {
    /// Returns how long a grain is kept.
    pub fn keep(&self, grain: Grain) -> Keep {
        self.keeps[grain as usize]
    }

    /// Returns whether nothing is ever pruned.
    pub(crate) fn is_forever(&self) -> bool {
        self.keeps == [Keep::Forever; 6]
    }

    /// Reads a plan: one duration per grain, no other key. `name` is the file name in faults. Reports all faults at once.
    pub fn parse(name: &str, text: &str) -> Result<Plan> {
        let in_file = |fault: Fault| Fault { file: Some(name.to_owned()), ..fault };
        let mut table: Table = text.parse().map_err(|error| Error::Faults(vec![in_file(unreadable(text, &error))]))?;
        let keeps = Grain::ALL.map(|grain| read(grain, table.remove(grain.as_str())));
        let unknown = table.keys().map(|key| Fault::new(key, "is not one of the six grains"));
        let faults: Vec<Fault> = keeps.iter().filter_map(|keep| keep.clone().err()).chain(unknown).collect();
        if faults.is_empty() {
            Ok(Plan { keeps: keeps.map(|keep| keep.expect("there are no faults")) })
        } else {
            Err(Error::Faults(faults.into_iter().map(in_file).collect()))
        }
    }
}

fn read(grain: Grain, value: Option<Value>) -> std::result::Result<Keep, Fault> {
    let fault = |reason: &str| Fault::new(grain.as_str(), reason);
    match value {
        None => Err(fault("is missing; use \"forever\" to keep everything")),
        Some(Value::String(text)) => text.parse().map_err(|error| match error {
            Error::Invalid(Fault { reason, .. }) => fault(&reason),
            other => fault(&other.to_string()),
        }),
        Some(other) => Err(fault(&format!("is {}; expected a text such as \"30d\"", other.type_str()))),
    }
}

fn unreadable(text: &str, error: &toml::de::Error) -> Fault {
    let fault = Fault::new("the plan", format!("is not TOML: {}", error.message()));
    match error.span() {
        Some(span) => fault.at_offset(text, span.start),
        None => fault,
    }
}

impl Plans {
    /// Returns the built-in plans: keep, free, starter and pro.
    pub fn built_in() -> Plans {
        let plan =
            |(name, text): (&str, &str)| (name.to_owned(), Plan::parse(name, text).expect("a test reads them all"));
        Plans(BUILT_IN.into_iter().map(plan).collect())
    }

    /// Adds a custom plan. The names of built-in plans are refused, so that they always mean the same.
    pub fn add(&mut self, name: &str, text: &str) -> Result<()> {
        if BUILT_IN.iter().any(|(known, _)| *known == name) {
            return Err(Error::invalid("plan", format!("{name:?} is a built-in plan; choose another name")));
        }
        self.0.insert(name.to_owned(), Plan::parse(name, text)?);
        Ok(())
    }

    /// Returns the plan with that name. Fails with [`Error::NotFound`] if there is none.
    pub fn get(&self, name: &str) -> Result<&Plan> {
        self.0.get(name).ok_or_else(|| Error::NotFound { what: ObjectKind::Plan, name: name.to_owned() })
    }

    /// Returns all plans, sorted by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Plan)> {
        self.0.iter().map(|(name, plan)| (name.as_str(), plan))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_plans_have_their_documented_durations() {
        let plans = Plans::built_in();
        let check = |name: &str, expect: &str| {
            let plan = plans.get(name).unwrap();
            let keeps = Grain::ALL.map(|grain| plan.keep(grain).to_string());
            assert_eq!(keeps.join(" "), expect, "{name}");
        };
        check("keep", "forever forever forever forever forever forever");
        check("free", "48h 30d 6w 6mo 4q 2y");
        check("starter", "120h 60d 12w 12mo 8q 4y");
        check("pro", "240h 120d 24w 24mo 16q 8y");
        assert!(plans.get("keep").unwrap().is_forever() && !plans.get("pro").unwrap().is_forever());
        assert_eq!(plans.get("gold").unwrap_err().to_string(), "there is no plan \"gold\"");
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(Plan::parse("mine", text).map_err(|error| error.to_string()).unwrap_err(), expect);
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        check(
            "working = 48\nday = \"1d\"\ndaily = \"30 days\"\nweekly = \"6w\"\nmonthly = \"6mo\"\nquarterly = \"4q\"",
            "mine: working is integer; expected a text such as \"30d\"\n\
             mine: daily is \"30 days\"; expected a duration such as 48h, 30d, 6w, 6mo, 4q or 2y, or forever\n\
             mine: yearly is missing; use \"forever\" to keep everything\n\
             mine: day is not one of the six grains",
        );
    }

    #[test]
    fn invalid_toml_is_reported_with_its_line() {
        let text = "working = \"1d\"\ndaily = \"1d\n";
        let error = Plan::parse("mine", text).unwrap_err().to_string();
        assert!(error.starts_with("mine: line 2: the plan is not TOML: "), "{error}");
    }

    #[test]
    fn custom_plan_cannot_take_a_built_in_name() {
        let mut plans = Plans::built_in();
        let (_, free) = BUILT_IN[1];
        assert!(plans.add("free", free).is_err());
        plans.add("mine", free).unwrap();
        assert_eq!(plans.get("mine").unwrap(), plans.get("free").unwrap());
        assert_eq!(plans.all().map(|(name, _)| name).collect::<Vec<_>>(), ["free", "keep", "mine", "pro", "starter"]);
    }
}
