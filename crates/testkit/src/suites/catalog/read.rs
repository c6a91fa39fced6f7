//! Reads by range and by id, and counts.

use annals_core::ports::{Counts, OnConflict, Outline, Select, StoredConversation};
use annals_core::{Catalog, Grain, Interval, Kind, MemoryId, Message};

use super::{me, now, say, texts, user_turn};
use crate::{agent, at, message, replacing, summary, turn, turn_of};

fn between(start: &str, end: &str) -> Interval {
    Interval { start: at(start), end: at(end) }
}

async fn check(catalog: &dyn Catalog, select: Select, expect: &[&str]) {
    let listed = catalog.list(&me(), &select).await.unwrap();
    assert_eq!(texts(&listed), expect, "{select:?}");
}

pub(super) async fn memory_is_found_without_its_agent(catalog: &dyn Catalog) {
    let other = agent("other");
    say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    let turns = vec![turn(&other, "2026-03-04T10:00:00Z", "tea")];
    catalog.ingest(&other, turns, OnConflict::Refuse, now()).await.unwrap();
    let source = [MemoryId::from_text("s-any")];
    catalog.save_summaries(&other, vec![summary("2026-03", 0, &source, "March")], now()).await.unwrap();
    for owner in [me(), other] {
        for grain in [Grain::Working, Grain::Monthly] {
            for memory in catalog.list(&owner, &Select::all(grain)).await.unwrap() {
                assert_eq!(catalog.agent_of(&memory.id).await.unwrap().as_ref(), Some(&owner), "{}", memory.id);
            }
        }
    }
    for id in ["t-none", "s-none", "f-none", "p-none", "x", "", "t-' OR ''='"] {
        assert_eq!(catalog.agent_of(&MemoryId::from_text(id)).await.unwrap(), None, "{id}");
    }
}

pub(super) async fn lists_memories_that_overlap_the_range(catalog: &dyn Catalog) {
    say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "x")]).await;
    let cases = [
        ("2026-03-04T10:00:00Z", "2026-03-04T10:00:00.000001Z", true),
        ("2026-03-04T10:00:00Z", "2026-03-05T00:00:00Z", true),
        ("2026-03-04T09:00:00Z", "2026-03-04T10:00:00Z", false),
        ("2026-03-04T10:00:00.000001Z", "2026-03-05T00:00:00Z", false),
        ("2026-03-04T10:00:00Z", "2026-03-04T10:00:00Z", false),
        ("2026-03-05T00:00:00Z", "2026-03-04T00:00:00Z", false),
    ];
    for (start, end, found) in cases {
        let select = Select { within: between(start, end), ..Select::all(Grain::Working) };
        check(catalog, select, if found { &["x"] } else { &[] }).await;
    }
}

pub(super) async fn lists_a_coarser_memory_that_overlaps_the_edge(catalog: &dyn Catalog) {
    // 2026-03 covers 2 to 29 March.
    let source = [MemoryId::from_text("s-any")];
    catalog.save_summaries(&me(), vec![summary("2026-03", 0, &source, "March")], now()).await.unwrap();
    let cases = [
        ("2026-02-01T00:00:00Z", "2026-03-02T00:00:00Z", false),
        ("2026-02-01T00:00:00Z", "2026-03-02T00:00:00.000001Z", true),
        ("2026-03-10T00:00:00Z", "2026-03-11T00:00:00Z", true),
        ("2026-03-29T23:59:59.999999Z", "2026-05-01T00:00:00Z", true),
        ("2026-03-30T00:00:00Z", "2026-05-01T00:00:00Z", false),
        ("2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z", true),
    ];
    for (start, end, found) in cases {
        let select = Select { within: between(start, end), ..Select::all(Grain::Monthly) };
        check(catalog, select, if found { &["March"] } else { &[] }).await;
    }
}

pub(super) async fn lists_the_newest_first(catalog: &dyn Catalog) {
    let instants = ["2026-03-04T10:00:00Z", "1660-01-11T21:00:00Z", "2026-03-05T10:00:00Z"];
    say(catalog, instants.iter().map(|instant| user_turn(instant, instant, &instant[..10])).collect()).await;
    let newest = Select { newest_first: true, ..Select::all(Grain::Working) };
    check(catalog, Select::all(Grain::Working), &["1660-01-11", "2026-03-04", "2026-03-05"]).await;
    check(catalog, newest.clone(), &["2026-03-05", "2026-03-04", "1660-01-11"]).await;
    check(catalog, Select { limit: 2, ..newest.clone() }, &["2026-03-05", "2026-03-04"]).await;
    check(catalog, Select { limit: 2, ..Select::all(Grain::Working) }, &["1660-01-11", "2026-03-04"]).await;
    check(catalog, Select { limit: 0, ..newest }, &[]).await;
}

pub(super) async fn lists_equal_times_by_conversation_and_arrival(catalog: &dyn Catalog) {
    let turns = ["b2", "a2", "b1", "a1"].map(|text| {
        let sent = message("2026-03-04T10:00:00Z", text);
        turn_of(&me(), Message { conversation: text[..1].into(), client_id: Some(text[1..].into()), ..sent })
    });
    say(catalog, turns.to_vec()).await;
    check(catalog, Select::all(Grain::Working), &["a2", "b2", "a1", "b1"]).await;
    let newest = Select { newest_first: true, ..Select::all(Grain::Working) };
    check(catalog, newest, &["b1", "a1", "b2", "a2"]).await;
}

pub(super) async fn lists_one_conversation(catalog: &dyn Catalog) {
    let turns = ["talk", "Talk", "o'clock"].map(|conversation| {
        let sent = message("2026-03-04T10:00:00Z", conversation);
        turn_of(&me(), Message { conversation: conversation.into(), ..sent })
    });
    say(catalog, turns.to_vec()).await;
    for conversation in ["talk", "Talk", "o'clock"] {
        let select = Select { conversation: Some(conversation.into()), ..Select::all(Grain::Working) };
        check(catalog, select, &[conversation]).await;
    }
    check(catalog, Select { conversation: Some("none".into()), ..Select::all(Grain::Working) }, &[]).await;
}

pub(super) async fn lists_conversations_by_name(catalog: &dyn Catalog) {
    let sent = [
        ("talk", "2026-03-04T10:00:00Z"),
        ("walk", "2026-03-04T11:00:00Z"),
        ("talk", "1660-01-11T21:00:00Z"),
        ("Talk", "2026-03-05T10:00:00Z"),
    ];
    let turns = sent.map(|(conversation, instant)| {
        turn_of(&me(), Message { conversation: conversation.into(), ..message(instant, "x") })
    });
    say(catalog, turns.to_vec()).await;
    let expect = [
        ("Talk", 1, "2026-03-05T10:00:00Z", "2026-03-05T10:00:00Z"),
        ("talk", 2, "1660-01-11T21:00:00Z", "2026-03-04T10:00:00Z"),
        ("walk", 1, "2026-03-04T11:00:00Z", "2026-03-04T11:00:00Z"),
    ];
    let expect = expect.map(|(name, turns, first, last)| StoredConversation {
        name: name.into(),
        turns,
        first: at(first),
        last: at(last),
    });
    let list = async |after: Option<&str>, limit: usize| catalog.conversations(&me(), after, limit).await.unwrap();
    assert_eq!(list(None, usize::MAX).await, expect);
    assert_eq!(list(None, 2).await, expect[..2]);
    assert_eq!(list(Some("Talk"), 1).await, expect[1..2]);
    assert_eq!(list(Some("walk"), 9).await, []);
    let other = annals_core::Agent::new("nobody").unwrap();
    assert_eq!(catalog.conversations(&other, None, 9).await.unwrap(), []);
}

pub(super) async fn lists_one_grain(catalog: &dyn Catalog) {
    say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "turn")]).await;
    let source = [MemoryId::from_text("s-any")];
    let labels = ["2026-03-04", "2026-W10", "2026-03", "2026-Q1", "2026"];
    let summaries = labels.iter().map(|label| summary(label, 0, &source, label)).collect();
    catalog.save_summaries(&me(), summaries, now()).await.unwrap();
    for (grain, label) in Grain::SUMMARIES.into_iter().zip(labels) {
        check(catalog, Select::all(grain), &[label]).await;
    }
    check(catalog, Select::all(Grain::Working), &["turn"]).await;
}

/// Uses a catalog without a journal. The suite of `Journal` tests the listing of statements by kind.
pub(super) async fn lists_by_kind(catalog: &dyn Catalog) {
    let turns = [user_turn("1", "2026-03-04T10:00:00Z", "turn"), user_turn("2", "2026-03-04T11:00:00Z", "later")];
    say(catalog, turns.to_vec()).await;
    let source = [MemoryId::from_text("s-any")];
    catalog.save_summaries(&me(), vec![summary("2026-03-04", 0, &source, "day")], now()).await.unwrap();
    let (turn, summary) = (vec![Kind::Turn], vec![Kind::Statement, Kind::Summary]);
    for (grain, kinds, expect) in [
        (Grain::Working, vec![], vec!["turn", "later"]),
        (Grain::Working, turn.clone(), vec!["turn", "later"]),
        (Grain::Working, summary.clone(), vec![]),
        (Grain::Daily, turn.clone(), vec![]),
        (Grain::Daily, summary, vec!["day"]),
        (Grain::Daily, vec![Kind::Statement], vec![]),
    ] {
        check(catalog, Select { kinds, ..Select::all(grain) }, &expect).await;
    }
    let of_conversation =
        Select { conversation: Some(turns[0].key.conversation.clone()), ..Select::all(Grain::Working) };
    check(catalog, Select { kinds: turn, ..of_conversation.clone() }, &["turn", "later"]).await;
    check(catalog, Select { kinds: vec![Kind::Statement], ..of_conversation }, &[]).await;
}

pub(super) async fn gets_in_the_requested_order(catalog: &dyn Catalog) {
    let turns = [user_turn("1", "2026-03-04T10:00:00Z", "a"), user_turn("2", "2026-03-04T11:00:00Z", "b")];
    say(catalog, turns.to_vec()).await;
    let source = std::slice::from_ref(&turns[0].id);
    catalog.save_summaries(&me(), vec![summary("2026-03-04", 0, source, "day")], now()).await.unwrap();
    let day = MemoryId::summary(&me(), crate::period("2026-03-04"));
    let [a, b] = turns.map(|turn| turn.id);
    let absent = MemoryId::from_text("t-' OR 1=1 --");
    for (ids, expect) in [
        (vec![a.clone(), day.clone(), b.clone()], vec!["a", "day", "b"]),
        (vec![b.clone(), absent.clone(), a.clone()], vec!["b", "a"]),
        (vec![absent], vec![]),
        (vec![], vec![]),
    ] {
        assert_eq!(texts(&catalog.get(&me(), &ids).await.unwrap()), expect);
    }
    // More ids than SQLite accepts as parameters by default.
    let mut many: Vec<_> = (0..40_000).map(|n| MemoryId::from_text(format!("t-{n}"))).collect();
    many.extend([b, a]);
    assert_eq!(texts(&catalog.get(&me(), &many).await.unwrap()), ["b", "a"]);
}

pub(super) async fn counts_live_memories(catalog: &dyn Catalog) {
    assert_eq!(catalog.counts(&me()).await.unwrap(), Counts::default());
    let instants = ["2026-03-04T10:00:00Z", "1660-01-11T21:00:00Z", "2026-03-05T10:00:00Z"];
    say(catalog, instants.iter().map(|instant| user_turn(instant, instant, "x")).collect()).await;
    let source = [MemoryId::from_text("t-any")];
    let labels = ["2026-03-04", "2026-03-05", "2026-W10"];
    let summaries = labels.iter().map(|label| summary(label, 0, &source, label)).collect();
    catalog.save_summaries(&me(), summaries, now()).await.unwrap();
    let gone = annals_core::Summary { draft: None, ..summary("2026-03-05", 0, &[], "") };
    catalog.save_summaries(&me(), vec![replacing(catalog, &me(), gone).await], now()).await.unwrap();
    let extent = Some((at("1660-01-11T21:00:00Z"), at("2026-03-05T10:00:00Z")));
    let counts = Counts { memories: [3, 1, 1, 0, 0, 0], extent, last_ingest: Some(now()) };
    assert_eq!(catalog.counts(&me()).await.unwrap(), counts);
}

pub(super) async fn finds_by_prefix_of_an_id(catalog: &dyn Catalog) {
    let turns = ["tea", "cake"].map(|text| user_turn(text, "2026-03-04T10:00:00Z", text));
    let first = turns[0].id.clone();
    catalog.ingest(&me(), turns.to_vec(), OnConflict::Refuse, now()).await.unwrap();
    let found = async |prefix: &str, limit: usize| {
        let found = catalog.find_by_prefix(&me(), prefix, limit).await.unwrap();
        found.into_iter().map(|memory| memory.id).collect::<Vec<_>>()
    };
    assert_eq!(found(&first.as_str()[..20], 9).await, std::slice::from_ref(&first));
    assert_eq!(found(first.as_str(), 9).await, [first]);
    assert_eq!((found("t-", 9).await.len(), found("t-", 1).await.len()), (2, 1));
    assert_eq!(found("f-", 9).await, []);
    assert_eq!(found("t-0", 9).await, []);
}

pub(super) async fn outlines_live_days_and_summaries(catalog: &dyn Catalog) {
    assert_eq!(catalog.outline(&me()).await.unwrap(), Outline::default());
    let instants = ["2026-03-04T10:00:00Z", "2026-03-04T21:00:00Z", "1660-01-11T21:00:00Z"];
    say(catalog, instants.iter().map(|instant| user_turn(instant, instant, "x")).collect()).await;
    let source = [MemoryId::from_text("t-any")];
    let labels = ["2026-03-04", "2026-W10", "2026"];
    let summaries = labels.iter().map(|label| summary(label, 0, &source, label)).collect();
    catalog.save_summaries(&me(), summaries, now()).await.unwrap();
    let gone = annals_core::Summary { draft: None, ..summary("2026", 0, &[], "") };
    catalog.save_summaries(&me(), vec![replacing(catalog, &me(), gone).await], now()).await.unwrap();
    let day = |label: &str| label.parse().unwrap();
    let turns = [(day("1660-01-11"), 1), (day("2026-03-04"), 2)].into();
    let summaries = ["2026-03-04", "2026-W10"].map(crate::period).into();
    assert_eq!(catalog.outline(&me()).await.unwrap(), Outline { turns, summaries });
}
