//! Totals of histories: erasures by kind of target, and the number of places searched afterwards.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

/// Sums over all histories of a run.
#[derive(Debug, Default)]
pub struct Totals {
    pub histories: u64,
    /// By kind of target: the number of erasures, and of live and pruned turns that they deleted.
    pub targets: BTreeMap<&'static str, [u64; 3]>,
    /// By kind of store: the number of places searched.
    pub searched: BTreeMap<&'static str, u64>,
}

/// Kinds of targets, as the totals count them.
const TARGETS: [&str; 6] = ["agent", "conversation", "entry", "range", "subject", "turns"];

impl Totals {
    pub fn searched(&mut self, store: &'static str, number: usize) {
        *self.searched.entry(store).or_default() += number as u64;
    }

    pub fn forgot(&mut self, target: &'static str, live: usize, pruned: usize) {
        let sum = self.targets.entry(target).or_default();
        for (sum, number) in sum.iter_mut().zip([1, live, pruned]) {
            *sum += number as u64;
        }
    }

    /// Expects that twelve or more histories used every kind of target.
    pub fn expect_every_kind_of_target(&self) {
        if self.histories >= 12 {
            let missing: Vec<_> = TARGETS.iter().filter(|target| !self.targets.contains_key(*target)).collect();
            assert!(missing.is_empty(), "never forgotten: {missing:?}");
        }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.histories += other.histories;
        for (target, numbers) in other.targets {
            let sum = self.targets.entry(target).or_default();
            sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
        for (store, number) in other.searched {
            *self.searched.entry(store).or_default() += number;
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} histories", self.histories)?;
        for (target, [times, live, pruned]) in &self.targets {
            writeln!(f, "forgotten by {target}: {times} times, {live} live turns, {pruned} pruned turns")?;
        }
        for (store, number) in &self.searched {
            writeln!(f, "searched: {number} {store}")?;
        }
        Ok(())
    }
}
