//! Finds the window for the field "Go to": from a label such as `2026-W24`, or from the days that words such as "last week"
//! mean.

use annals_core::{Date, Grain};

use super::window::Window;

/// Returns the window that a label names. Accepts lower case, spaces, and a week or quarter without a year, which stands for
/// the latest that has begun by `today`. `None` for other text.
pub(crate) fn labelled(text: &str, today: Date) -> Option<Window> {
    let text = text.trim().to_uppercase().replace("WEEK", "W").replace("QUARTER", "Q").replace(' ', "");
    let label = match text.strip_suffix('S') {
        Some(decade) => format!("{decade}s"),
        None => text,
    };
    if let Some((first, rest)) = label.split_at_checked(1).filter(|(first, _)| ["W", "Q"].contains(first)) {
        let part = if first == "W" { format!("W{rest:0>2}") } else { format!("Q{rest}") };
        let years = [today.year(), today.year().saturating_sub(1)];
        let windows = years.into_iter().filter_map(|year| format!("{year:04}-{part}").parse::<Window>().ok());
        return windows.into_iter().find(|window| window.days().0 <= today);
    }
    label.parse().ok()
}

/// Returns the window of about the length of these days that contains their middle.
pub(crate) fn around(from: Date, to: Date) -> Window {
    let days = (to - from).get_days();
    let grain = match days {
        ..1 => Some(Grain::Daily),
        1..14 => Some(Grain::Weekly),
        14..46 => Some(Grain::Monthly),
        46..120 => Some(Grain::Quarterly),
        120..740 => Some(Grain::Yearly),
        740.. => None,
    };
    Window::containing(grain, from.saturating_add(jiff::Span::new().days(days / 2)))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn labels_are_read_as_people_type_them() {
        let today = date(2026, 3, 11);
        for (text, expect) in [
            ("2025-W24", "2025-W24"),
            (" 2025-w24 ", "2025-W24"),
            ("week 24", "2025-W24"),
            ("w9", "2026-W09"),
            ("Q4", "2025-Q4"),
            ("quarter 1", "2026-Q1"),
            ("2026-03", "2026-03"),
            ("2026-03-05", "2026-03-05"),
            ("2020s", "2020s"),
        ] {
            assert_eq!(labelled(text, today).map(|window| window.to_string()).as_deref(), Some(expect), "{text}");
        }
        for text in ["", "w", "w99", "soon", "<b>", "2025-13", "é", "s"] {
            assert_eq!(labelled(text, today), None, "{text}");
        }
    }

    #[test]
    fn days_lead_to_a_window_of_their_length() {
        for (from, to, expect) in [
            (date(2025, 6, 10), date(2025, 6, 10), "2025-06-10"),
            (date(2025, 6, 9), date(2025, 6, 15), "2025-W24"),
            (date(2025, 3, 1), date(2025, 3, 31), "2025-03"),
            (date(2025, 1, 1), date(2025, 12, 31), "2025"),
            (date(2021, 1, 1), date(2025, 12, 31), "2020s"),
        ] {
            assert_eq!(around(from, to).to_string(), expect);
        }
    }
}
