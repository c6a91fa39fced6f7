//! Generates questions about periods from the dates of an agent's messages: about each month, quarter and year with messages,
//! every second week and every third day. Each question is asked after its period is over. Pure.

use std::collections::BTreeSet;

use annals_core::{Date, Grain, Message, Period, Timestamp, Zones};
use jiff::ToSpan;

/// A question with the summary of a period as its answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PeriodQuestion {
    pub text: String,
    pub period: Period,
    /// The time at which the question is asked, after the period is over.
    pub now: Timestamp,
}

/// A function that writes the question for a period and a name, and the number of days after the period's end at which the
/// question is asked.
type Template = (fn(Period, &str) -> String, i64);

/// Grain, sampling step over its periods, and templates used in rotation.
const GRAINS: [(Grain, usize, &[Template]); 5] = [
    (
        Grain::Daily,
        3,
        &[
            (|period, _| format!("What happened on {}?", long(period.first_day())), 40),
            (|_, _| "What happened yesterday?".into(), 1),
            (|period, name| format!("How was {period} for {name}?"), 10),
        ],
    ),
    (
        Grain::Weekly,
        2,
        &[
            (|period, name| format!("How was the week of {} for {name}?", long(period.first_day())), 30),
            (|_, _| "What happened last week?".into(), 3),
            (|period, _| format!("Summarise {period}."), 100),
            (|_, name| format!("How was last week for {name}?"), 5),
        ],
    ),
    (
        Grain::Monthly,
        1,
        &[
            (|period, _| format!("What happened in {}?", month(period)), 45),
            (|_, _| "Summarise last month".into(), 10),
            (|period, name| format!("How was {} for {name}?", month(period)), 200),
            (|period, _| format!("Give me an overview of {}.", month(period)), 20),
        ],
    ),
    (Grain::Quarterly, 1, &[(|period, _| format!("Summarise {period}"), 20)]),
    (Grain::Yearly, 1, &[(|period, _| format!("What happened in {period}?"), 30)]),
];

pub(crate) fn questions(messages: &[Message]) -> Vec<PeriodQuestion> {
    let utc = Zones::new("UTC").expect("UTC is a zone");
    let days: BTreeSet<Date> = messages.iter().map(|message| utc.day_of(message.at)).collect();
    let names: BTreeSet<&str> = messages.iter().map(|message| message.name.as_deref().unwrap_or("me")).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut questions = Vec::new();
    for (grain, every, templates) in GRAINS {
        let periods: BTreeSet<Period> = days.iter().map(|day| Period::of(grain, *day)).collect();
        for (index, period) in periods.into_iter().step_by(every).enumerate() {
            let (text, after) = templates[index % templates.len()];
            let day = period.last_day().saturating_add(after.days());
            let now = utc.day_interval(day).start + annals_core::SignedDuration::from_hours(12);
            questions.push(PeriodQuestion { text: text(period, names[index % names.len()]), period, now });
        }
    }
    questions
}

fn long(day: Date) -> String {
    day.strftime("%-d %B %Y").to_string()
}

fn month(period: Period) -> String {
    period.first_day().strftime("%B %Y").to_string()
}

#[cfg(test)]
mod tests {
    use annals_core::Role;

    use super::*;

    #[test]
    fn questions_are_asked_after_their_period_ends() {
        let message = |at: &str| Message {
            conversation: "c".into(),
            client_id: None,
            role: Role::User,
            name: Some("Ann".into()),
            content: "x".into(),
            at: at.parse().unwrap(),
        };
        let questions = questions(&[message("2026-03-04T10:00:00Z"), message("2026-03-05T10:00:00Z")]);
        let questions: Vec<String> = questions
            .iter()
            .map(|question| format!("{} {} {}", question.period, &question.now.to_string()[..10], question.text))
            .collect();
        assert_eq!(
            questions,
            [
                "2026-03-04 2026-04-13 What happened on 4 March 2026?",
                "2026-W10 2026-04-07 How was the week of 2 March 2026 for Ann?",
                "2026-03 2026-05-15 What happened in March 2026?",
                "2026-Q1 2026-04-20 Summarise 2026-Q1",
                "2026 2027-01-30 What happened in 2026?",
            ]
        );
    }
}
