//! Tests of contexts with candidates that a reranking model ranks.

use std::sync::Arc;

use annals_core::{Reranked, Reranker};
use annals_testkit::{Faulty, WordReranker};

use super::*;

async fn ask_with(reranker: Arc<dyn Reranker>, request: &ContextQuery) -> Context {
    let search = world().await.search.reranked_by(reranker, 50);
    search.context(&agent("a"), request, at(NOW)).await.unwrap()
}

fn a_bit_of_everything(budget: u64) -> ContextQuery {
    ContextQuery {
        conversation: Some("talk".into()),
        blocks: vec![ContextBlock { name: "persona".into(), text: "Be brief.".into() }],
        documents: vec![ContextDocument { id: "d1".into(), title: "Cake".into(), text: "How Bob bakes a cake".into() }],
        ..prompt("where in Bern does Ann live?", budget)
    }
}

#[tokio::test]
async fn model_ranks_all_items_at_once_except_the_fixed_ones() {
    let reranker = Arc::new(WordReranker::new());
    let request = ContextQuery { conversation: None, ..a_bit_of_everything(1000) };
    let context = ask_with(reranker.clone(), &request).await;
    assert_eq!(context.reranked, Reranked::Yes);
    let [sent]: [Vec<String>; 1] = reranker.requests().try_into().unwrap();
    let (judged, kept): (Vec<_>, Vec<_>) = context.items.iter().partition(|item| sent.contains(&item.text));
    assert_eq!((judged.len(), sent.len()), (6, 6), "a fact, four turns, a document");
    assert!(kept.iter().all(|item| item.kind == ContextKind::Block) && kept.len() == 1);
    let best = judged.iter().max_by(|a, b| a.score.total_cmp(&b.score)).unwrap();
    assert_eq!(best.kind, ContextKind::Fact, "{judged:?}");
    // The last turns are not ranked: they are included because they were just said.
    let reranker = Arc::new(WordReranker::new());
    ask_with(reranker.clone(), &a_bit_of_everything(1000)).await;
    assert!(reranker.requests()[0].iter().all(|text| !text.contains("boat")), "{:?}", reranker.requests());
}

#[tokio::test]
async fn item_ranked_first_by_the_model_gets_the_room() {
    let document = |id: &str, text: &str| ContextDocument { id: id.into(), title: String::new(), text: text.into() };
    let documents = vec![document("long", "boat boat boat boat boat boat boat tale"), document("short", "my boat")];
    let request = |budget| ContextQuery { documents: documents.clone(), ..prompt("boat", budget) };
    let all = ask(request(1000)).await;
    let long = all.items.iter().find(|item| item.id == "long").unwrap();
    let one = request(render::FRAME + HEADING + long.tokens);
    let ids = |context: Context| context.items.into_iter().map(|item| item.id).collect::<Vec<_>>();
    assert_eq!(ids(ask(one.clone()).await), ["long"]);
    assert_eq!(ids(ask_with(Arc::new(WordReranker::new()), &one).await), ["short"]);
}

#[tokio::test]
async fn failed_model_leaves_the_context_unchanged_and_is_reported() {
    let away = Arc::new(Faulty::at_call(WordReranker::new(), 1));
    let context = ask_with(away, &a_bit_of_everything(100)).await;
    assert_eq!(context.reranked, Reranked::No("it is away".into()));
    assert_eq!(Context { reranked: Reranked::NotRequested, ..context }, ask(a_bit_of_everything(100)).await);
}
