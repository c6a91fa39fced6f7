//! Draws tokens and their cost: columns by day, and tables by purpose, model, agent and day.

use annals_core::Date;
use annals_service::cost_sums::{CostSum, agent_in_words, purpose_in_words, sums_by};
use annals_service::wire::{CostView, CostsAnswer};
use jiff::ToSpan;
use maud::{Markup, html};

use crate::labels;

/// Height of the highest column, in pixels.
const HEIGHT: f64 = 90.0;
/// Maximum number of rows of a table. Further rows are only counted.
const MAX_ROWS: usize = 50;

/// Draws a column for each day. Draws a line at the daily budget if it is at most four times as high as the highest column.
pub(super) fn columns(answer: &CostsAnswer, budget: Option<u64>) -> Markup {
    let by_day = sums_by(&answer.costs, |view| view.day);
    let days = days(answer.from, answer.to);
    let highest = by_day.values().map(CostSum::tokens).max().unwrap_or_default().max(1);
    // A line far above the columns would flatten them.
    let budget = budget.filter(|budget| *budget <= highest.saturating_mul(4));
    let top = budget.unwrap_or_default().max(highest);
    let height = |tokens: u64| tokens as f64 / top as f64 * HEIGHT;
    let step = 100.0 / days.len().max(1) as f64;
    let base = HEIGHT + 15.0;
    html! {
        figure.cost {
            svg width="100%" height="122" role="img" aria-label="Tokens per day; the tables below have the numbers" {
                text.most x="0" y="10" { "at most " (labels::count(highest)) " tokens a day" }
                @for (number, day) in days.iter().enumerate() {
                    @let x = format!("{:.2}%", number as f64 * step + step * 0.1);
                    @let width = format!("{:.2}%", step * 0.8);
                    @if let Some(sum) = by_day.get(day) {
                        @let (read, all) = (height(sum.tokens_in), height(sum.tokens()));
                        g {
                            title { (labels::day(*day)) ": " (labels::count(sum.tokens_in)) " in, " (labels::count(sum.tokens_out)) " out"
                                @if sum.in_batches > 0 { ", " (labels::count(sum.in_batches)) " of them in batches" } }
                            rect.in x=(x) width=(width) y=(format!("{:.1}", base - read)) height=(format!("{read:.1}")) {}
                            rect.out x=(x) width=(width) y=(format!("{:.1}", base - all)) height=(format!("{:.1}", all - read)) {}
                        }
                    }
                    @if days.len() <= 10 || number % 5 == 0 { text x=(x) y="119" { (day.day()) " " (labels::short_month(*day)) } }
                }
                line.base x1="0" x2="100%" y1=(base) y2=(base) {}
                @if let Some(budget) = budget {
                    @let y = format!("{:.1}", base - height(budget));
                    line.budget x1="0" x2="100%" y1=(y) y2=(y) { title { "Budget: " (labels::count(budget)) " tokens a day" } }
                }
            }
            figcaption { ul.inline {
                li { svg.swatch width="12" height="12" aria-hidden="true" { rect.in width="12" height="12" {} } " read by models" }
                li { svg.swatch width="12" height="12" aria-hidden="true" { rect.out width="12" height="12" {} } " written by models" }
                @if budget.is_some() { li { svg.swatch width="18" height="12" aria-hidden="true" { line.budget x1="0" x2="18" y1="6" y2="6" {} } " budget of a day" } }
            } }
        }
    }
}

fn days(from: Date, to: Date) -> Vec<Date> {
    std::iter::successors(Some(from), |day| day.checked_add(1.day()).ok())
        .take_while(|day| *day <= to)
        .take(400)
        .collect()
}

/// Draws the tables by purpose, model, agent and day; without the table by agent if `has_agents` is false.
pub(super) fn tables(answer: &CostsAnswer, has_agents: bool) -> Markup {
    html! {
        div.tables {
            (table("By purpose", "For", answer, |view| purpose_in_words(&view.purpose).to_owned()))
            (table("By model", "Model", answer, |view| view.model.clone()))
            @if has_agents { (table("By agent", "Agent", answer, |view| agent_in_words(&view.agent).to_owned())) }
            (table("By day", "UTC day", answer, |view| view.day.to_string()))
        }
    }
}

fn table(title: &str, first: &str, answer: &CostsAnswer, key: fn(&CostView) -> String) -> Markup {
    let sums = sums_by(&answer.costs, key);
    let most = sums.values().map(CostSum::tokens).max().unwrap_or_default().max(1);
    let has_batches = answer.costs.iter().any(|view| view.batch);
    let has_cached = answer.costs.iter().any(|view| view.cache_read > 0);
    let mut rows: Vec<(&String, &CostSum)> = sums.iter().collect();
    if first != "UTC day" {
        rows.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.tokens()));
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label=(title) { table.costs {
            caption { (title) }
            thead { tr {
                th scope="col" { (first) } th.n scope="col" { "Calls" } th.n scope="col" { "Tokens in" }
                @if has_cached { th.n scope="col" { "From cache" } }
                th.n scope="col" { "Tokens out" }
                @if has_batches { th.n scope="col" { "In batches" } }
                th.n scope="col" { "Cost" } th scope="col" { span.hidden { "Share" } }
            } }
            tbody { @for (name, sum) in rows.iter().take(MAX_ROWS) { tr {
                th.t scope="row" { bdi { (name) } }
                td.n { (labels::count(sum.calls)) } td.n { (labels::count(sum.tokens_in)) }
                @if has_cached { td.n { (labels::count(sum.cache_read)) } }
                td.n { (labels::count(sum.tokens_out)) }
                @if has_batches { td.n { (labels::count(sum.in_batches)) } }
                td.n.t { (sum.cost_in(&answer.currency)) }
                td.share { svg width="100%" height="10" aria-hidden="true" { rect.in width=(format!("{:.1}%", sum.tokens() as f64 / most as f64 * 100.0)) height="10" {} } }
            } } }
        } }
        @if rows.len() > MAX_ROWS { p.hint { (labels::count((rows.len() - MAX_ROWS) as u64)) " more" } }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn every_day_has_a_place() {
        assert_eq!(days(date(2026, 2, 27), date(2026, 3, 2)).len(), 4);
    }
}
