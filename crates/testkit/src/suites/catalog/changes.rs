//! Changes for projections: their order, the backlog, and the watermark of each table.

use annals_core::ports::{Building, Change, OnConflict, VectorModel, Watermark};
use annals_core::{Catalog, Error, Grain, MemoryId};

use super::{all_changes, later, me, now, say, user_turn};
use crate::{agent, building, made, period, replacing, set_watermark, summary, turn};

pub(super) async fn changes_are_ordered_and_paged(catalog: &dyn Catalog) {
    let ids: Vec<String> = (0..10).map(|index| format!("{index}")).collect();
    for half in ids.chunks(5) {
        say(catalog, half.iter().rev().map(|id| user_turn(id, "2026-03-04T10:00:00Z", id)).collect()).await;
    }
    let all = all_changes(catalog, Grain::Working).await;
    assert_eq!(all.len(), 10);
    assert!(all.windows(2).all(|pair| pair[0].seq() < pair[1].seq()), "not ascending: {all:?}");
    let mut pieces = Vec::new();
    let mut after = 0;
    loop {
        let left = catalog.backlog(&me(), Grain::Working, after).await.unwrap();
        assert_eq!(left as usize, all.len() - pieces.len());
        let piece = catalog.changes(&me(), Grain::Working, after, 3).await.unwrap();
        assert_eq!(piece.len(), 3.min(left as usize));
        let Some(last) = piece.last() else { break };
        after = last.seq();
        pieces.extend(piece);
    }
    assert_eq!(pieces, all);
}

pub(super) async fn only_the_last_change_of_a_memory_is_listed(catalog: &dyn Catalog) {
    say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("2", "2026-03-04T11:00:00Z", "cake")])
        .await;
    let coffee = vec![user_turn("1", "2026-03-04T10:00:00Z", "coffee")];
    let revised = catalog.ingest(&me(), coffee, OnConflict::Revise, later()).await.unwrap();
    let changes = all_changes(catalog, Grain::Working).await;
    let [Change::Upsert(first), Change::Upsert(second)] = &changes[..] else { panic!("{changes:?}") };
    assert_eq!((first.text.as_str(), second.text.as_str(), second.seq), ("cake", "coffee", revised.seq));
    assert_eq!(catalog.backlog(&me(), Grain::Working, 0).await.unwrap(), 2);
}

pub(super) async fn changes_are_of_one_grain(catalog: &dyn Catalog) {
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    let seq = say(catalog, vec![turn.clone()]).await.seq;
    let day = summary("2026-03-04", seq, &[turn.id], "tea");
    catalog.save_summaries(&me(), vec![day], now()).await.unwrap();
    for (grain, expect) in Grain::ALL.into_iter().zip([1, 1, 0, 0, 0, 0]) {
        assert_eq!(all_changes(catalog, grain).await.len(), expect, "{grain}");
        assert_eq!(catalog.backlog(&me(), grain, 0).await.unwrap(), expect as u64, "{grain}");
    }
    assert!(all_changes(catalog, Grain::Daily).await[0].seq() > seq, "one sequence numbers all changes");
}

pub(super) async fn each_agent_has_its_own_sequence(catalog: &dyn Catalog) {
    let other = agent("other");
    let first = say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await.seq;
    let theirs =
        [("2026-03-04T10:00:00Z", "rye"), ("2026-03-04T11:00:00Z", "ham")].map(|(at, text)| turn(&other, at, text));
    assert_eq!(catalog.ingest(&other, theirs.to_vec(), OnConflict::Refuse, now()).await.unwrap().seq, first + 1);
    assert_eq!(say(catalog, vec![user_turn("2", "2026-03-04T11:00:00Z", "cake")]).await.seq, first + 1);
    let seqs = |changes: &[Change]| changes.iter().map(Change::seq).collect::<Vec<_>>();
    assert_eq!(seqs(&all_changes(catalog, Grain::Working).await), [first, first + 1]);
    let theirs = catalog.changes(&other, Grain::Working, 0, 9).await.unwrap();
    assert_eq!(seqs(&theirs), [first, first + 1]);
}

pub(super) async fn deletion_is_listed_until_the_memory_returns(catalog: &dyn Catalog) {
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    let seq = say(catalog, vec![turn.clone()]).await.seq;
    let written = summary("2026-03-04", seq, &[turn.id], "tea");
    let emptied = annals_core::Summary { draft: None, ..summary("2026-03-04", seq, &[], "") };
    let save = async |summary| {
        catalog.save_summaries(&me(), vec![replacing(catalog, &me(), summary).await], now()).await.unwrap();
    };
    save(written.clone()).await;
    let upsert = all_changes(catalog, Grain::Daily).await;
    save(emptied).await;
    let changes = all_changes(catalog, Grain::Daily).await;
    let [Change::Delete { id, seq: deleted }] = &changes[..] else { panic!("{changes:?}") };
    assert_eq!(*id, MemoryId::summary(&me(), period("2026-03-04")));
    assert!(*deleted > upsert[0].seq());
    assert_eq!(catalog.backlog(&me(), Grain::Daily, upsert[0].seq()).await.unwrap(), 1);
    save(written).await;
    let changes = all_changes(catalog, Grain::Daily).await;
    assert!(matches!(&changes[..], [Change::Upsert(memory)] if memory.seq > *deleted), "{changes:?}");
}

pub(super) async fn deletion_applied_by_every_table_is_dropped(catalog: &dyn Catalog) {
    let source = [MemoryId::from_text("t-any")];
    let save = async |summary| {
        catalog.save_summaries(&me(), vec![replacing(catalog, &me(), summary).await], now()).await.unwrap();
    };
    save(summary("2026-03-04", 1, &source, "tea")).await;
    save(annals_core::Summary { draft: None, ..summary("2026-03-04", 1, &[], "") }).await;
    let deleted = all_changes(catalog, Grain::Daily).await[0].seq();
    for (grain, watermark, kept) in [
        (Grain::Weekly, made(1, deleted), 1),
        (Grain::Daily, made(1, deleted - 1), 1),
        (Grain::Daily, Watermark { building: Some(building(2, deleted)), ..made(1, deleted - 1) }, 1),
        (Grain::Daily, Watermark { building: Some(building(2, deleted - 1)), ..made(1, deleted) }, 1),
        (Grain::Daily, made(1, deleted), 0),
    ] {
        set_watermark(catalog, &me(), grain, watermark.clone()).await;
        assert_eq!(all_changes(catalog, Grain::Daily).await.len(), kept, "{grain} {watermark:?}");
    }
}

pub(super) async fn watermarks_are_per_agent_and_grain(catalog: &dyn Catalog) {
    let unknown = Watermark::default();
    let rebuilt = Watermark { building: Some(building(4, 7)), ..made(3, 41) };
    set_watermark(catalog, &me(), Grain::Weekly, made(0, 5)).await;
    set_watermark(catalog, &me(), Grain::Weekly, rebuilt.clone()).await;
    assert_eq!(catalog.watermark(&me(), Grain::Weekly).await.unwrap(), rebuilt);
    assert_eq!(catalog.watermark(&me(), Grain::Daily).await.unwrap(), unknown);
    set_watermark(catalog, &me(), Grain::Weekly, made(3, 41)).await;
    assert_eq!(catalog.watermark(&me(), Grain::Weekly).await.unwrap(), made(3, 41));
}

/// A writer was paused while another one continued. When it then saves over the outdated state that it read, nothing changes.
pub(super) async fn stale_watermark_changes_nothing(catalog: &dyn Catalog) {
    let first = made(1, 5);
    let rebuilt = Watermark { building: Some(building(2, 3)), ..first.clone() };
    let second = made(2, 4);
    let later = made(2, 7);
    let mut read = Watermark::default();
    let mut former: Vec<Watermark> = Vec::new();
    for present in [first, rebuilt, second, later] {
        catalog.save_watermark(&me(), Grain::Daily, read.clone(), present.clone()).await.unwrap();
        former.push(read);
        for slept in &former {
            let (further, newer) =
                (Watermark { applied: 9, ..slept.clone() }, Watermark { generation: 9, ..slept.clone() });
            for next in [slept.clone(), further, newer] {
                refused(catalog, slept, next).await;
            }
        }
        read = present;
    }
}

pub(super) async fn watermark_does_not_decrease(catalog: &dyn Catalog) {
    let present = Watermark { building: Some(building(3, 4)), ..made(2, 7) };
    set_watermark(catalog, &me(), Grain::Daily, present.clone()).await;
    refused(catalog, &present, Watermark { generation: 1, applied: 9, ..present.clone() }).await;
    refused(catalog, &present, Watermark { applied: 6, ..present.clone() }).await;
    // The build of a generation may start again from 0, and the next generation may have applied less than the present one.
    for next in [Watermark { building: Some(building(3, 0)), ..present }, made(3, 0)] {
        set_watermark(catalog, &me(), Grain::Daily, next).await;
    }
}

/// All vectors of a generation are of one model, which the first change sets. Later changes may replace it by placeholders.
/// Another model needs a new generation.
pub(super) async fn generation_keeps_its_model(catalog: &dyn Catalog) {
    let (nothing, first) = (Watermark::default(), made(0, 5));
    let model = first.model.clone().unwrap();
    let with = |model: VectorModel| Watermark { model: Some(model), ..first.clone() };
    set_watermark(catalog, &me(), Grain::Daily, nothing).await;
    set_watermark(catalog, &me(), Grain::Daily, first.clone()).await;
    let (other, longer) =
        (VectorModel { name: "other".into(), ..model.clone() }, VectorModel { dimension: 9, ..model.clone() });
    for next in [with(other.clone()), with(longer), Watermark { model: None, ..first.clone() }] {
        refused(catalog, &first, next).await;
    }
    let changing = Building { model: other.clone(), urgent: false, ..building(1, 3) };
    let next = Watermark { building: Some(changing), ..first.clone() };
    set_watermark(catalog, &me(), Grain::Daily, next.clone()).await;
    assert_eq!(catalog.watermark(&me(), Grain::Daily).await.unwrap(), next);
    let placeholders = with(model.placeholder());
    set_watermark(catalog, &me(), Grain::Daily, placeholders.clone()).await;
    refused(catalog, &placeholders, with(model)).await;
    set_watermark(catalog, &me(), Grain::Daily, Watermark { generation: 1, ..with(other) }).await;
}

/// Expects that saving a watermark fails and changes nothing.
async fn refused(catalog: &dyn Catalog, read: &Watermark, next: Watermark) {
    let before = catalog.watermark(&me(), Grain::Daily).await.unwrap();
    let refused = catalog.save_watermark(&me(), Grain::Daily, read.clone(), next.clone()).await;
    assert!(matches!(refused, Err(Error::Stale { .. })), "{read:?} to {next:?}: {refused:?}");
    assert_eq!(catalog.watermark(&me(), Grain::Daily).await.unwrap(), before);
}
