//! Messages for tests: a generated story of any number of days, and single lines.

/// Returns one line of an import file.
pub fn line(agent: &str, conversation: &str, id: &str, name: &str, content: &str, at: &str) -> String {
    let message = serde_json::json!({
        "agent": agent, "conversation": conversation, "id": id, "role": "user", "name": name, "content": content, "at": at,
    });
    format!("{message}\n")
}

/// Returns `per_day` different messages for each of `days` days from 2026-01-01 on, with 28 days in each month.
pub fn days(agent: &str, days: u32, per_day: u32) -> String {
    let places = ["Lisbon", "Porto", "Uppsala", "Kyoto", "Oslo", "Ghent", "Turin"];
    let things = ["a boat", "the cello", "a bicycle", "two lamps", "the contract", "a cat", "old maps", "a window"];
    let mut lines = String::new();
    for day in 0..days {
        let (month, date) = (day / 28 + 1, day % 28 + 1);
        for n in 0..per_day {
            let (place, thing) = (places[(day + n) as usize % 7], things[(day * 3 + n) as usize % 8]);
            let content = format!("On day {day} I went to {place} and saw {thing}, number {n}, with my brother.");
            let at = format!("2026-{month:02}-{date:02}T{:02}:{:02}:00Z", 8 + n / 60, n % 60);
            lines += &line(agent, &format!("day {day}"), &format!("{day}#{n}"), "Ann", &content, &at);
        }
    }
    lines
}
