//! Conformance suite of port `Replies`.

use annals_core::ports::{RESERVATION_LIFETIME, Refusals, Target, TokenRequest, TokenSums};
use annals_core::{Agent, CacheTokens, Date, Digest, Error, Price, Purpose, Reply, SignedDuration, Timestamp, Usage};

use super::catalog::{later, me, now};
use super::{Store, SuiteTest, cases, run};
use crate::{agent, at, period};

/// Runs every case, each on a new empty store from `make`.
pub async fn replies_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        reply_is_kept,
        same_question_replaces_the_reply,
        useless_reply_is_charged_but_not_kept,
        agents_do_not_share_replies_or_costs,
        old_replies_are_dropped_but_stay_charged,
        costs_add_up_by_day_purpose_and_model,
        costs_are_listed_in_order_since_a_day,
        charging_creates_no_agent,
        tokens_are_reserved_within_all_limits_of_the_day,
        charging_and_releasing_end_a_reservation,
        forgotten_reservations_expire,
        erased_agents_have_spent_their_budget,
        call_that_outlives_its_agent_is_paid_and_not_kept,
        prices_are_replaced_as_a_whole,
        refusals_are_kept_by_key_and_old_ones_dropped,
    ];
    run("replies", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

fn reply(question: &str, text: &str) -> Reply {
    Reply {
        key: Digest::of([question]),
        purpose: Purpose::Daily,
        model: "m".into(),
        text: text.into(),
        tokens_in: 10,
        cache: CacheTokens { read: 4, written: 1 },
        tokens_out: 3,
        read_seq: 1_000,
        reservation: None,
        access_key: None,
    }
}

async fn answer(store: &dyn Store, question: &str) -> Option<String> {
    store.reply(&me(), &Digest::of([question])).await.unwrap()
}

async fn usage(store: &dyn Store, since: &str) -> Vec<Usage> {
    store.usage(&me(), at(since)).await.unwrap()
}

fn day(label: &str) -> Date {
    period(label).first_day()
}

async fn prices_are_replaced_as_a_whole(store: &dyn Store) {
    let price = |model: &str, input| Price {
        model: model.into(),
        currency: "€".into(),
        input,
        cached_input: Some(input / 2).filter(|cached| *cached > 0),
        cache_write: Some(u64::MAX >> 1).filter(|_| input == 2),
        output: u64::MAX >> 1,
    };
    assert_eq!(store.prices().await.unwrap(), []);
    store.save_prices(vec![price("z", 2), price("a", 0)]).await.unwrap();
    assert_eq!(store.prices().await.unwrap(), [price("a", 0), price("z", 2)]);
    store.save_prices(vec![price("a", 9)]).await.unwrap();
    assert_eq!(store.prices().await.unwrap(), [price("a", 9)]);
}

async fn refusals_are_kept_by_key_and_old_ones_dropped(store: &dyn Store) {
    let (one, other) = (Digest::of(["one"]), Digest::of(["other"]));
    let refusals = |names: &[&str], at| Refusals { parameters: names.iter().map(ToString::to_string).collect(), at };
    assert_eq!(store.refusals(&one).await.unwrap(), None);
    store.save_refusals(one, refusals(&["max_tokens", "stream"], now())).await.unwrap();
    store.save_refusals(one, refusals(&[], later())).await.unwrap();
    assert_eq!(store.refusals(&one).await.unwrap(), Some(refusals(&[], later())));
    assert_eq!(store.refusals(&other).await.unwrap(), None);
    let just_within = later() + Refusals::LIFETIME - SignedDuration::from_micros(1);
    store.save_refusals(other, refusals(&["temperature"], just_within)).await.unwrap();
    assert!(store.refusals(&one).await.unwrap().is_some());
    store.save_refusals(other, refusals(&["temperature"], later() + Refusals::LIFETIME)).await.unwrap();
    assert_eq!(store.refusals(&one).await.unwrap(), None);
    assert!(store.refusals(&other).await.unwrap().is_some());
}

async fn reply_is_kept(store: &dyn Store) {
    assert_eq!(answer(store, "q").await, None);
    let text = "{\"text\": \"Tea, 'they' said.\\n東京\"}";
    store.save_reply(&me(), reply("q", text), now()).await.unwrap();
    assert_eq!(answer(store, "q").await.as_deref(), Some(text));
    assert_eq!(answer(store, "other").await, None);
}

async fn same_question_replaces_the_reply(store: &dyn Store) {
    store.save_reply(&me(), reply("q", "first"), now()).await.unwrap();
    store.save_reply(&me(), reply("q", "second"), later()).await.unwrap();
    assert_eq!(answer(store, "q").await.as_deref(), Some("second"));
    assert_eq!(store.drop_replies(&me(), later()).await.unwrap(), 0, "it is as old as its last answer");
    assert_eq!(usage(store, "2026-01-01T00:00:00Z").await.len(), 2, "both were paid");
}

async fn useless_reply_is_charged_but_not_kept(store: &dyn Store) {
    store.charge(&me(), reply("q", "bad"), now()).await.unwrap();
    assert_eq!(answer(store, "q").await, None);
    store.save_reply(&me(), reply("q", "good"), now()).await.unwrap();
    store.charge(&me(), reply("q", "bad"), now()).await.unwrap();
    assert_eq!(answer(store, "q").await.as_deref(), Some("good"));
    let all = usage(store, "2026-01-01T00:00:00Z").await;
    assert_eq!((all.len(), all[0].calls, all[0].tokens_in, all[0].tokens_out), (1, 3, 30, 9));
}

async fn agents_do_not_share_replies_or_costs(store: &dyn Store) {
    let other = agent("other");
    store.save_reply(&me(), reply("q", "mine"), now()).await.unwrap();
    assert_eq!(store.reply(&other, &Digest::of(["q"])).await.unwrap(), None);
    assert_eq!(store.usage(&other, at("2026-01-01T00:00:00Z")).await.unwrap(), []);
    assert_eq!(store.drop_replies(&other, later()).await.unwrap(), 0);
    store.save_reply(&other, reply("q", "theirs"), now()).await.unwrap();
    assert_eq!(answer(store, "q").await.as_deref(), Some("mine"));
    assert_eq!(usage(store, "2026-01-01T00:00:00Z").await[0].calls, 1);
}

async fn old_replies_are_dropped_but_stay_charged(store: &dyn Store) {
    for (question, kept) in [("a", now()), ("b", later()), ("c", later())] {
        store.save_reply(&me(), reply(question, question), kept).await.unwrap();
    }
    assert_eq!(store.drop_replies(&me(), now()).await.unwrap(), 0, "kept at the instant is not kept before it");
    assert_eq!(store.drop_replies(&me(), later()).await.unwrap(), 1);
    assert_eq!((answer(store, "a").await, answer(store, "b").await.as_deref()), (None, Some("b")));
    assert_eq!(store.drop_replies(&me(), at("2030-01-01T00:00:00Z")).await.unwrap(), 2);
    let calls: u64 = usage(store, "2026-01-01T00:00:00Z").await.iter().map(|usage| usage.calls).sum();
    assert_eq!(calls, 3);
}

async fn costs_add_up_by_day_purpose_and_model(store: &dyn Store) {
    let just_before = Timestamp::from_microsecond(later().as_microsecond() - 1).unwrap();
    for (at, purpose, model) in [
        (now(), Purpose::Daily, "m"),
        (just_before, Purpose::Daily, "m"),
        (later(), Purpose::Daily, "m"),
        (now(), Purpose::Weekly, "m"),
        (now(), Purpose::Daily, "n"),
    ] {
        let question = format!("{at} {purpose:?} {model}");
        let reply = Reply { purpose, model: model.into(), ..reply(&question, "x") };
        store.save_reply(&me(), reply, at).await.unwrap();
    }
    let row = |label: &str, purpose, model: &str, calls: u64| {
        let (tokens_in, tokens_out) = (10 * calls, 3 * calls);
        let cache = CacheTokens { read: 4 * calls, written: calls };
        Usage { day: day(label), purpose, model: model.into(), batch: false, calls, tokens_in, cache, tokens_out }
    };
    let expected = [
        row("2026-06-01", Purpose::Daily, "m", 2),
        row("2026-06-01", Purpose::Daily, "n", 1),
        row("2026-06-01", Purpose::Weekly, "m", 1),
        row("2026-06-02", Purpose::Daily, "m", 1),
    ];
    assert_eq!(usage(store, "2026-06-01T00:00:00Z").await, expected);
}

async fn costs_are_listed_in_order_since_a_day(store: &dyn Store) {
    use Purpose::{Daily, Extraction, Monthly, Quarterly, Rerank, Weekly, Yearly};
    let order = [Extraction, Daily, Weekly, Monthly, Quarterly, Yearly, Rerank];
    for purpose in order.into_iter().rev() {
        for instant in [later(), now()] {
            store.charge(&me(), Reply { purpose, ..reply("q", "x") }, instant).await.unwrap();
        }
    }
    let listed = |usage: Vec<Usage>| usage.into_iter().map(|usage| (usage.day, usage.purpose)).collect::<Vec<_>>();
    let of = |label: &str| order.map(|purpose| (day(label), purpose));
    let both = [of("2026-06-01"), of("2026-06-02")].concat();
    // The whole UTC day of the instant is included.
    for (since, expected) in [
        ("2026-05-31T23:59:59Z", &both[..]),
        ("2026-06-01T00:00:00Z", &both[..]),
        ("2026-06-01T23:59:59.999999Z", &both[..]),
        ("2026-06-02T12:00:00Z", &both[7..]),
        ("2026-06-03T00:00:00Z", &[]),
    ] {
        assert_eq!(listed(usage(store, since).await), expected, "{since}");
    }
}

fn tokens(purpose: Purpose, tokens: u64) -> TokenRequest {
    TokenRequest { purpose, tokens, limits: TokenSums { agent: 100, workspace: 150, process: 170 }, access_key: None }
}

/// Reserves tokens for a summary. Returns the limit that refuses them, or 0.
async fn refused(store: &dyn Store, agent: &Agent, number: u64, now: Timestamp) -> u64 {
    match store.reserve(agent, &tokens(Purpose::Daily, number), now).await {
        Ok(_) => 0,
        Err(Error::Budget { limit, .. }) => limit,
        Err(other) => panic!("{other}"),
    }
}

async fn tokens_are_reserved_within_all_limits_of_the_day(store: &dyn Store) {
    let (other, elsewhere) = (agent("other"), Agent::in_workspace("elsewhere", "me").unwrap());
    store.charge(&me(), Reply { tokens_in: 50, tokens_out: 10, ..reply("q", "x") }, now()).await.unwrap();
    store.charge(&me(), Reply { purpose: Purpose::Rerank, ..reply("q", "x") }, now()).await.unwrap();
    assert_eq!(refused(store, &me(), 41, now()).await, 100);
    assert_eq!(refused(store, &me(), 40, now()).await, 0);
    assert_eq!(refused(store, &me(), 1, now()).await, 100, "what is reserved counts");
    assert_eq!(refused(store, &other, 51, now()).await, 150, "another agent does not get around it");
    assert_eq!(refused(store, &other, 50, now()).await, 0);
    assert_eq!(refused(store, &elsewhere, 21, now()).await, 170, "nor another workspace");
    assert_eq!(refused(store, &elsewhere, 20, now()).await, 0);
    let error = store.reserve(&me(), &tokens(Purpose::Weekly, 1), now()).await.unwrap_err();
    assert!(matches!(error, Error::Budget { again, .. } if again == at("2026-06-02T00:00:00Z")), "{error:?}");
    store.reserve(&me(), &tokens(Purpose::Rerank, 87), now()).await.unwrap();
    let error = store.reserve(&me(), &tokens(Purpose::Rerank, 1), now()).await;
    assert!(error.is_err(), "reranking has the same limits for itself");
    assert_eq!(refused(store, &me(), 100, at("2026-06-02T00:00:00Z")).await, 0, "the next day begins anew");
}

async fn charging_and_releasing_end_a_reservation(store: &dyn Store) {
    let reserve = async || store.reserve(&me(), &tokens(Purpose::Daily, 100), now()).await;
    let first = reserve().await.unwrap();
    assert!(reserve().await.is_err());
    store.release(&me(), first).await.unwrap();
    store.release(&me(), first).await.unwrap();
    let second = reserve().await.unwrap();
    assert_ne!(first, second);
    store.release(&agent("other"), second).await.unwrap();
    assert!(reserve().await.is_err(), "it is another agent's");
    let cost = |reservation| Reply { tokens_in: 20, tokens_out: 0, reservation: Some(reservation), ..reply("q", "x") };
    store.charge(&me(), cost(second), now()).await.unwrap();
    assert_eq!(refused(store, &me(), 81, now()).await, 100);
    let third = store.reserve(&me(), &tokens(Purpose::Daily, 80), now()).await.unwrap();
    store.save_reply(&me(), cost(third), now()).await.unwrap();
    assert_eq!(refused(store, &me(), 61, now()).await, 100);
    assert_eq!(refused(store, &me(), 60, now()).await, 0);
}

async fn forgotten_reservations_expire(store: &dyn Store) {
    assert_eq!(refused(store, &me(), 100, now()).await, 0);
    let end = now() + RESERVATION_LIFETIME;
    assert_eq!(refused(store, &me(), 1, end - SignedDuration::from_micros(1)).await, 100);
    assert_eq!(refused(store, &me(), 100, end).await, 0);
}

fn erased() -> Agent {
    Agent::erased(me().workspace()).unwrap()
}

/// Budgets count erased agents; otherwise anybody who may delete agents could spend without limit.
async fn erased_agents_have_spent_their_budget(store: &dyn Store) {
    let (alone, other) = (agent("alone"), agent("other"));
    for spender in [&me(), &alone] {
        store.save_reply(spender, Reply { tokens_in: 20, tokens_out: 0, ..reply("q", "x") }, now()).await.unwrap();
        store.erase(spender, &Target::Agent, now()).await.unwrap();
        store.erase(spender, &Target::Agent, now()).await.unwrap();
    }
    let asks = |tokens| TokenRequest {
        purpose: Purpose::Daily,
        tokens,
        limits: TokenSums { agent: 100, workspace: 60, process: 100 },
        access_key: None,
    };
    let refused = store.reserve(&other, &asks(21), now()).await;
    assert!(matches!(refused, Err(Error::Budget { limit: 60, .. })), "{refused:?}");
    store.reserve(&other, &asks(20), now()).await.unwrap();
    let spent = store.usage(&erased(), now()).await.unwrap();
    assert_eq!((spent.len(), spent[0].calls, spent[0].tokens_in), (1, 2, 40));
    assert_eq!((store.usage(&me(), now()).await.unwrap(), store.usage(&alone, now()).await.unwrap()), (vec![], vec![]));
    assert_eq!(store.all_agents().await.unwrap(), []);
    let elsewhere = Agent::in_workspace("elsewhere", "me").unwrap();
    store.reserve(&elsewhere, &asks(40), now()).await.unwrap();
    assert!(store.reserve(&elsewhere, &asks(1), now()).await.is_err(), "the process has spent it");
}

async fn call_that_outlives_its_agent_is_paid_and_not_kept(store: &dyn Store) {
    let reserve = async || store.reserve(&me(), &tokens(Purpose::Daily, 50), now()).await.unwrap();
    let (answered, failed) = (reserve().await, reserve().await);
    store.erase(&me(), &Target::Agent, now()).await.unwrap();
    assert_eq!(refused(store, &agent("other"), 1, now()).await, 0, "the budget of an agent is its own");
    store.release(&me(), failed).await.unwrap();
    let late = Reply { read_seq: 0, reservation: Some(answered), ..reply("q", "a secret") };
    store.save_reply(&me(), late, now()).await.unwrap();
    assert_eq!((answer(store, "q").await, usage(store, "2026-01-01T00:00:00Z").await), (None, vec![]));
    assert_eq!(store.reply(&erased(), &Digest::of(["q"])).await.unwrap(), None);
    assert_eq!(store.usage(&erased(), now()).await.unwrap()[0].tokens_in, 10);
}

async fn charging_creates_no_agent(store: &dyn Store) {
    store.save_reply(&me(), reply("q", "x"), now()).await.unwrap();
    assert_eq!(store.all_agents().await.unwrap(), []);
}
