//! Shares of the daily budgets by purpose.

use annals_core::{Fault, Purpose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The table `[models.shares]`, in per cent. A request is sent only if the tokens used and reserved on that day by all
/// purposes, with those of the request, stay within the share of its purpose. The rest is left for purposes with larger shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Shares {
    /// Share for extracting facts.
    pub extraction: u8,
    /// Share for daily summaries.
    pub daily: u8,
    /// Share for weekly to yearly summaries.
    pub longer: u8,
    /// Share for work on messages older than a week, such as imports. The smaller of this share and that of the purpose applies.
    /// Does not apply to `annals rollup --batch`.
    pub old: u8,
}

impl Default for Shares {
    fn default() -> Shares {
        Shares { extraction: 60, daily: 100, longer: 100, old: 50 }
    }
}

impl Shares {
    /// Returns the part of a limit that a purpose may use. For work that is not recent, this is at most the share `old`.
    pub(crate) fn part(self, limit: u64, purpose: Purpose, is_recent: bool) -> u64 {
        let own = match purpose {
            Purpose::Extraction => self.extraction,
            Purpose::Daily => self.daily,
            Purpose::Weekly | Purpose::Monthly | Purpose::Quarterly | Purpose::Yearly => self.longer,
            Purpose::Rerank => 100,
        };
        let share = if is_recent { own } else { own.min(self.old) };
        u64::try_from(u128::from(limit) * u128::from(share) / 100).unwrap_or(limit)
    }

    pub(super) fn faults(self) -> Vec<Fault> {
        let all = [("extraction", self.extraction), ("daily", self.daily), ("longer", self.longer), ("old", self.old)];
        let wrong = all.into_iter().filter(|(_, share)| !(1..=100).contains(share));
        wrong
            .map(|(name, share)| {
                Fault::new(format!("models.shares.{name}"), format!("is {share}; 1 to 100 are allowed"))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_share_of_purpose_and_age_applies() {
        fn check(purpose: Purpose, is_recent: bool, expect: u64) {
            assert_eq!(Shares::default().part(1_000, purpose, is_recent), expect, "{purpose:?} {is_recent}");
        }
        check(Purpose::Extraction, true, 600);
        check(Purpose::Extraction, false, 500);
        check(Purpose::Daily, true, 1_000);
        check(Purpose::Yearly, false, 500);
        assert_eq!(Shares::default().part(u64::MAX, Purpose::Daily, true), u64::MAX);
        assert_eq!(Shares { old: 0, daily: 101, ..Shares::default() }.faults().len(), 2);
    }
}
