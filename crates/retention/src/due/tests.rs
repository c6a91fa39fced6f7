//! Which sets are pruned, which stay, and why, over small trees under the plan `free`.

use super::*;
use crate::Plans;

/// Checks which sets are due and which are held. `sets` has the label of each set's period, or `=` and the label of a yearly
/// summary; then `*` if the set is pinned, `u` if it is unread, `~` if its period is dirty, `?` if the period has no summary,
/// `d` if the summary is degraded. `expect` has the due sets, and after `|` the held sets with the reason.
#[track_caller]
fn check(sets: &str, now: &str, expect: &str) {
    check_plan("free", sets, now, expect);
}

#[track_caller]
fn check_plan(plan: &str, sets: &str, now: &str, expect: &str) {
    let sets: Vec<(&str, Children)> = sets.split_whitespace().map(set).collect();
    let children: Vec<Children> = sets.iter().map(|(_, set)| set.clone()).collect();
    let ledger: Vec<LedgerRow> = sets.iter().map(|(marks, set)| row(marks, set)).collect();
    let summarized = sets.iter().filter(|(marks, _)| !marks.contains('?')).map(|(_, set)| set.parent).collect();
    let (plans, zones) = (plans(), Zones::new("UTC").unwrap());
    let state = State {
        plan: plans.get(plan).unwrap(),
        zones: &zones,
        children: &children,
        ledger: &ledger,
        summarized: &summarized,
        extracted: 10,
        now: format!("{now}T00:00:00Z").parse().unwrap(),
    };
    let due = due(&state);
    let goes: Vec<String> = due.prunings.iter().map(|pruning| label(&pruning.children)).collect();
    let held: Vec<String> = due.held.iter().map(|held| format!("{}:{:?}", label(&held.children), held.hold)).collect();
    assert_eq!(format!("{} | {}", goes.join(" "), held.join(" ")).trim(), expect, "at {now}");
}

fn plans() -> Plans {
    let mut plans = Plans::built_in();
    let text =
        "working = \"forever\"\ndaily = \"0d\"\nweekly = \"0d\"\nmonthly = \"0d\"\nquarterly = \"0d\"\nyearly = \"0d\"";
    plans.add("turns", text).unwrap();
    plans
}

fn set(text: &str) -> (&str, Children) {
    let (label, marks) = text.split_at(text.find(['*', 'u', '~', '?', 'd']).unwrap_or(text.len()));
    let parent: Period = label.trim_start_matches('=').parse().unwrap();
    let children = Children {
        parent,
        yearly: label.starts_with('='),
        rows: 2,
        bytes: 100,
        last_day: parent.cover_days().1,
        pinned: marks.contains('*'),
        last_turn: if marks.contains('u') { 11 } else { 10 },
    };
    (marks, children)
}

fn row(marks: &str, set: &Children) -> LedgerRow {
    let row = LedgerRow::new(set.parent, 7, Timestamp::UNIX_EPOCH);
    LedgerRow { clean_seq: if marks.contains('~') { 6 } else { 7 }, degraded: marks.contains('d'), ..row }
}

fn label(set: &Children) -> String {
    format!("{}{}", if set.yearly { "=" } else { "" }, set.parent)
}

#[test]
fn turns_are_due_when_past_the_plan() {
    check("2026-03-04", "2026-03-06", "|");
    check("2026-03-04", "2026-03-07", "2026-03-04 |");
    check_plan("keep", "2026-03-04", "2036-03-07", "|");
}

#[test]
fn needed_or_pinned_sets_are_held() {
    check("2026-03-04~", "2026-03-07", "| 2026-03-04:Uncovered");
    check("2026-03-04?", "2026-03-07", "| 2026-03-04:Uncovered");
    check("2026-03-04d", "2026-03-07", "| 2026-03-04:Degraded");
    check("2026-03-04u", "2026-03-07", "| 2026-03-04:Unread");
    check("2026-03-04*", "2026-03-07", "| 2026-03-04:Pinned");
    check("2026-03-04 2026-03-05*", "2026-03-09", "2026-03-04 | 2026-03-05:Pinned");
}

#[test]
fn days_are_due_thirty_days_after_their_week_and_after_their_turns() {
    check("2026-W10", "2026-04-07", "|");
    check("2026-W10", "2026-04-08", "2026-W10 |");
    check("2026-W10 2026-03-04", "2026-04-08", "2026-03-04 2026-W10 |");
    check("2026-W10 2026-03-04*", "2026-04-08", "| 2026-03-04:Pinned 2026-W10:Finer");
    check("2026-W10 2026-03-11*", "2026-04-08", "2026-W10 | 2026-03-11:Pinned");
}

#[test]
fn kept_set_holds_only_the_sets_above_it() {
    let tree = "2026-03-04 2026-W10 2026-03 2026-Q1 2026 =2026";
    check(tree, "2036-01-01", "2026-03-04 2026-W10 2026-03 2026-Q1 2026 =2026 |");
    check(
        &tree.replace("2026-W10 ", "2026-W10* 2026-W09 "),
        "2036-01-01",
        "2026-03-04 2026-W09 | 2026-W10:Pinned 2026-03:Finer 2026-Q1:Finer 2026:Finer =2026:Finer",
    );
    check(&tree.replace("=2026", "=2025"), "2036-01-01", "2026-03-04 2026-W10 2026-03 2026-Q1 2026 =2025 |");
}

/// 30 March lies in the first week of April and of the second quarter.
#[test]
fn weeks_belong_to_the_month_of_their_thursday() {
    check("2026-03-30* 2026-03 2026-04", "2027-01-01", "2026-03 | 2026-03-30:Pinned 2026-04:Finer");
}

#[test]
fn year_is_due_after_its_quarters() {
    check("=2026", "2029-01-01", "|");
    check("=2026", "2029-01-04", "=2026 |");
    check("2026~ =2026~", "2029-01-04", "| 2026:Uncovered =2026:Uncovered");
    check("2026 =2026*", "2029-01-04", "2026 | =2026:Pinned");
}

#[test]
fn finer_grain_kept_longer_holds_the_coarser_ones() {
    check_plan("turns", "2026-03-04 2026-W10 2026-W11", "2026-04-08", "2026-W11 | 2026-W10:Finer");
}

#[test]
fn totals_are_summed_by_grain() {
    let sets = ["2026-03-04", "2026-03-05", "2026-W10", "2026", "=2026"].map(|text| set(text).1);
    let total = |sets: u64| Totals { sets, rows: 2 * sets, bytes: 100 * sets };
    assert_eq!(totals(sets.iter()), [2, 1, 0, 0, 1, 1].map(total));
}
