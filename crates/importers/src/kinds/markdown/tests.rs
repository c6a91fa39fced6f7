use crate::Kind;
use crate::kinds::fixtures::{check, check_damaged, check_longer, fixture, options, read};
use crate::kinds::testing;

#[test]
fn vaults_graphs_and_plain_folders_are_read() {
    let mut lisbon = options("Europe/Lisbon");
    lisbon.me = Some("Rosa".into());
    for name in ["obsidian", "moment", "no-settings", "logseq", "plain", "broken-front-matter", "blocks"] {
        check(Kind::Markdown, &format!("markdown/{name}"), &lisbon);
    }
}

#[test]
fn section_that_is_added_later_is_the_only_new_one() {
    check_longer(Kind::Markdown, "markdown/plain", "markdown/longer", 1, &options("Europe/Lisbon"));
}

#[test]
fn note_of_today_is_not_in_the_future() {
    let mut morning = options("Europe/Lisbon");
    morning.now = "2026-03-09T08:00:00Z".parse().unwrap();
    let (items, _) = read(Kind::Markdown, &fixture("markdown/longer"), &morning).unwrap();
    let times: Vec<String> = items.iter().filter_map(|found| Some(message(found)?.at.to_string())).collect();
    assert_eq!(times, ["2026-03-09T00:00:00Z", "2026-03-09T00:00:00Z"]);
}

fn message(imported: &crate::Imported) -> Option<&annals_core::Message> {
    if let crate::Item::Message(message) = &imported.item { Some(message) } else { None }
}

#[test]
fn damaged_input_does_no_harm() {
    for name in ["obsidian", "logseq", "moment"] {
        check_damaged(Kind::Markdown, &format!("markdown/{name}"), 30, &options("Europe/Lisbon"));
    }
}

#[test]
fn empty_journals_and_queries_are_counted() {
    testing::check_with(
        Kind::Markdown,
        &testing::options(),
        &[
            ("logseq/config.edn", "{}"),
            ("journals/2024_01_15.md", "- Rowed\n- {{query (todo todo)}}\n"),
            ("journals/2024_01_16.md", ""),
        ],
        "conversation markdown:journals/2024_01_15.md 2024_01_15
         markdown:journals/2024_01_15.md 37d7683418b993a2ae64200f user 2024-01-15T12:00:00Z Rowed
         skip 1 empty note
         skip 1 file of Logseq
         skip 1 query or embedded block",
    );
}
