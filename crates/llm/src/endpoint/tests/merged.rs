//! Inputs that are longer than a window.

use std::collections::BTreeSet;

use annals_testkit::ModelRequest;

use super::*;
use crate::endpoint::tokens::of_messages;

const SMALL: u64 = 2_600;

fn small(server: &ModelServer) -> Rig {
    Rig::with(server, json!({ "window": SMALL, "max_output_tokens": 400, "daily_tokens": 10_000_000 }))
}

#[tokio::test]
async fn long_day_is_read_in_parts_that_fit() {
    let server = ModelServer::start([]);
    let (rig, day) = (small(&server), a_long_day(6, 8).await);
    let draft = rig.day(&day).await.unwrap();
    let requests = server.requests();
    assert!(requests.len() > 6, "{}", requests.len());
    for request in &requests {
        let count = of_messages([request.content_of("system"), request.content_of("user")]);
        assert!(count + 400 <= SMALL, "{count}");
    }
    assert!(requests.iter().any(merges));
    // Sentences that remain after all cuts are still traced to turns.
    let ids: BTreeSet<&MemoryId> = day.iter().map(|turn| &turn.id).collect();
    assert!(
        draft
            .sentences
            .iter()
            .all(|sentence| !sentence.from.is_empty() && sentence.from.iter().all(|id| ids.contains(id)))
    );
    assert_eq!((requests.len() as u64, draft.tokens), rig.spent().await);
}

#[tokio::test]
async fn paid_parts_survive_an_outage() {
    let day = a_long_day(6, 8).await;
    let reference = ModelServer::start([]);
    let whole = small(&reference).day(&day).await.unwrap();
    let needed = reference.requests().len();

    let mut script = vec![Script::Good; 3];
    script.extend(vec![Script::Refuses(500, None); 4]);
    let server = ModelServer::start(script);
    let table = json!({
        "base_url": server.base_url(), "model": "test", "window": SMALL, "max_output_tokens": 400,
        "daily_tokens": 10_000_000,
    });
    let rig = Rig::paced(table, RetryPolicy { cool_down: Duration::ZERO, ..QUICK });
    assert!(matches!(rig.day(&day).await, Err(Error::Unavailable { .. })));
    assert_eq!(rig.day(&day).await.unwrap().sentences, whole.sentences);
    assert_eq!(server.requests().len(), needed + 4);
}

/// Answers with sentences of eleven words each, twice as many words as requested.
fn twice(request: &ModelRequest, first: &str) -> Script {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number).unwrap());
    let sentence = |number: usize| {
        let own = [letter(number / 26), letter(number % 26)].iter().collect::<String>();
        let text = format!("{first} {own} somebody tells something of little weight, and somebody tells");
        json!({ "text": text, "day": null, "sources": [1] })
    };
    sentences(json!((0..2 * word_limit(request) / 11).map(sentence).collect::<Vec<_>>()))
}

/// Returns the maximum words that a request asks for.
fn word_limit(request: &ModelRequest) -> usize {
    let prompt = request.content_of("user");
    let (_, rest) = prompt.split_once("at most ").unwrap();
    rest.split(' ').next().unwrap().parse().unwrap()
}

fn merges(request: &ModelRequest) -> bool {
    request.content_of("system").contains("partial summaries")
}

/// Without this, the partial summaries of a model that writes too much would be merged over and over.
#[tokio::test]
async fn partial_summaries_are_shortened_before_merging() {
    let server = ModelServer::choosing(|request| twice(request, if merges(request) { "Whole" } else { "Partial" }));
    small(&server).day(&a_long_day(6, 8).await).await.unwrap();
    let (merged, partial): (Vec<_>, Vec<_>) = server.requests().into_iter().partition(merges);
    let kept: usize = merged.iter().map(|request| request.content_of("user").matches("Partial ").count()).sum();
    // Half more words than requested are kept, in whole sentences.
    let expected: usize = partial.iter().map(|request| word_limit(request) * 3 / 2 / 11).sum();
    assert!(partial.len() > 1, "{}", partial.len());
    assert_eq!(kept, expected);
}

#[tokio::test]
async fn turn_longer_than_the_window_is_read_in_pieces() {
    let text = "word after word after word and no end in sight ".repeat(300);
    let day = turns(&[("c", "Ann", &text)]).await;
    let server = ModelServer::start([]);
    let draft = small(&server).day(&day).await.unwrap();
    assert!(server.requests().len() > 2);
    assert!(draft.sentences.iter().all(|sentence| sentence.from == [day[0].id.clone()]));
}

#[tokio::test]
async fn model_that_does_not_shorten_is_asked_a_limited_number_of_times() {
    // The model repeats its whole input, so partial summaries never become fewer.
    let server = ModelServer::choosing(|request| {
        let lines = request.content_of("user").lines().filter(|line| line.starts_with('['));
        let all: Vec<Value> = lines.map(|line| json!({ "text": line, "day": null, "sources": [] })).collect();
        sentences(json!(all))
    });
    let rig = small(&server);
    let _ = rig.day(&a_long_day(4, 8).await).await;
    assert!(server.requests().len() < 60, "{}", server.requests().len());
}

#[tokio::test]
async fn window_without_room_is_an_error() {
    let server = ModelServer::start([]);
    let rig = Rig::with(&server, json!({ "window": 1_024, "max_output_tokens": 400 }));
    let error = rig.day(&a_day().await).await.unwrap_err();
    assert!(error.to_string().contains("leave no room for messages in a context window of 1024"), "{error}");
    assert!(server.requests().is_empty());
}
