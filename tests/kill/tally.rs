//! Totals of kills: the phases in which they came, and lost or doubled lines.

use std::collections::BTreeMap;

use super::timing::Landing;

/// Difference between a result and that of an undisturbed run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Number of missing lines.
    pub lost: usize,
    /// Number of lines that are repeated or should not be there.
    pub doubled: usize,
}

impl Losses {
    /// Compares two dumps line by line, in any order.
    pub fn between(undisturbed: &str, end: &str) -> Losses {
        let mut counts = BTreeMap::<&str, i64>::new();
        undisturbed.lines().for_each(|line| *counts.entry(line).or_default() -= 1);
        end.lines().for_each(|line| *counts.entry(line).or_default() += 1);
        let sum = |sign: i64| counts.values().map(|count| usize::try_from(sign * count).unwrap_or(0)).sum();
        Losses { lost: sum(-1), doubled: sum(1) }
    }
}

/// Number of kills between two outputs in a long run.
const STEP: u32 = 50;

/// Totals by kind of work.
#[derive(Default)]
pub struct Tally {
    /// Number of kills by [`Landing`].
    kills: BTreeMap<&'static str, [u32; 3]>,
    losses: Losses,
}

impl Tally {
    pub fn add(&mut self, work: &'static str, landing: Landing, losses: Losses) {
        self.kills.entry(work).or_default()[landing as usize] += 1;
        self.losses.lost += losses.lost;
        self.losses.doubled += losses.doubled;
        let all: u32 = self.kills.values().flatten().sum();
        if all.is_multiple_of(STEP) {
            self.print();
        }
    }

    #[expect(clippy::print_stderr, reason = "how the kills were spread is part of the result")]
    pub fn print(&self) {
        let mut all = [0; 3];
        for (work, kills) in &self.kills {
            eprintln!("kills in {work}: {}", in_words(*kills));
            all.iter_mut().zip(kills).for_each(|(sum, kills)| *sum += kills);
        }
        eprintln!("kills in all: {}; {} lost, {} doubled", in_words(all), self.losses.lost, self.losses.doubled);
    }
}

fn in_words([early, inside, late]: [u32; 3]) -> String {
    let all = early + inside + late;
    let share = 100.0 * f64::from(inside) / f64::from(all.max(1));
    format!("{all}, {inside} under way ({share:.0} %), {early} before the first write, {late} after the end")
}

#[test]
fn missing_and_repeated_lines_are_counted() {
    let check = |end: &str, lost, doubled| assert_eq!(Losses::between("a\nb\nb", end), Losses { lost, doubled });
    check("b\na\nb", 0, 0);
    check("a\nb", 1, 0);
    check("a\na\nb\nb\nc", 0, 2);
}
