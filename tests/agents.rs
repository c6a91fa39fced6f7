//! Agents and lists of agents: explicit creation, other names, pages, and requests with several faults.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::command::Annals;
use crate::service::Served;
use crate::story::{days, line};

#[test]
fn unknown_agent_is_not_created_by_a_command() {
    let annals = Annals::new();
    annals.import(&days("ann", 1, 1));
    let typo = annals.run(&["agent", "set", "anm", "--plan", "free"]);
    assert_eq!(typo.code, 3, "{}", typo.out);
    assert!(typo.err.contains("there is no agent \"anm\"") && typo.err.contains("annals agent create"), "{}", typo.err);
    assert_eq!(annals.run(&["export", "--agent", "anm"]).code, 3);
    assert_eq!(annals.json(&["agent", "list"])["agents"], json!(["ann"]));
    let made = annals.json(&["agent", "create", "bob", "--time-zone", "Asia/Tokyo"]);
    assert_eq!((&made["agent"], &made["time_zone"]), (&json!("bob"), &json!("Asia/Tokyo")));
    let again = annals.run(&["agent", "create", "bob"]);
    assert_eq!((again.code, again.err.trim_end()), (2, "annals: agent \"bob\" already exists"));
}

#[tokio::test]
async fn creating_an_existing_agent_is_a_conflict() {
    let served = Served::new();
    let new = json!({ "agent": "ann", "settings": { "time_zone": "Asia/Tokyo" } });
    let (status, made) = served.post("/v1/agents", &new).await;
    assert_eq!((status, &made["time_zone"]), (StatusCode::CREATED, &json!("Asia/Tokyo")), "{made}");
    let (status, again) = served.post("/v1/agents", &new).await;
    assert_eq!((status, &again["code"]), (StatusCode::CONFLICT, &json!("exists")), "{again}");
    served.post("/v1/agents", &json!({ "agent": "bob" })).await;
    let (_, agents) = served.get("/v1/agents").await;
    assert_eq!(agents, json!({ "agents": ["ann", "bob"] }));
    let (_, first) = served.get("/v1/agents?limit=1").await;
    assert_eq!(first, json!({ "agents": ["ann"], "next_cursor": "ann" }));
    let (_, second) = served.get("/v1/agents?limit=1&cursor=ann").await;
    assert_eq!(second, json!({ "agents": ["bob"] }));
}

#[test]
fn renamed_agent_keeps_its_memories_under_both_names() {
    let annals = Annals::new();
    annals.import(&days("ann", 40, 2));
    annals.json(&["rollup"]);
    let found = |name: &str| annals.json(&["search", "brother in Kyoto", "--agent", name])["results"][0]["id"].clone();
    let before = found("ann");
    assert_eq!(annals.json(&["agent", "rename", "ann", "Anna Ó"])["agent"], "Anna Ó");
    assert_eq!(annals.json(&["agent", "list"])["agents"], json!(["Anna Ó"]));
    assert_eq!((found("ann"), found("Anna Ó")), (before.clone(), before));
    // A client that still uses the former name adds to the same agent.
    let again = annals.import(&days("ann", 41, 2));
    assert_eq!((&again["accepted"], &again["duplicate"]), (&json!(2), &json!(80)));
    assert_eq!(annals.json(&["agent", "list"])["agents"], json!(["Anna Ó"]));
    assert_eq!(annals.json(&["rollup"])[0]["agent"], "Anna Ó");
    assert_eq!(annals.run(&["verify"]).code, 0);
    annals.expect_sound_tables();
}

#[test]
fn name_of_another_agent_is_refused() {
    let annals = Annals::new();
    annals.import(&(days("ann", 1, 1) + &days("bob", 1, 1)));
    annals.json(&["agent", "rename", "bob", "ben"]);
    let check = |from: &str, to: &str, code: i32, expect: &str| {
        let refused = annals.run(&["agent", "rename", from, to]);
        assert_eq!(refused.code, code, "{from} {to}: {}", refused.out);
        assert!(refused.err.contains(expect), "{from} {to}: {}", refused.err);
    };
    check("ann", "ben", 2, "agent \"ben\" already exists");
    check("ann", "bob", 2, "agent \"bob\" already exists");
    check("ann", "", 2, "agent is empty");
    check("zoe", "new", 3, "there is no agent \"zoe\"");
    assert_eq!(annals.json(&["agent", "rename", "ben", "bob"])["agent"], "bob");
    assert_eq!(annals.json(&["agent", "list"])["agents"], json!(["ann", "bob"]));
    // After the deletion the names are free.
    annals.json(&["agent", "delete", "ben", "--yes"]);
    assert_eq!(annals.json(&["agent", "rename", "ann", "ben"])["agent"], "ben");
}

#[test]
fn export_of_a_renamed_agent_is_restored_with_its_names() {
    let (from, to) = (Annals::new(), Annals::new());
    from.import(&days("ann", 40, 2));
    from.json(&["rollup"]);
    from.json(&["agent", "rename", "ann", "anna"]);
    let file = from.file("anna.jsonl", "");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(from.run(&["export", "--agent", "ann", file.to_str().unwrap()]).code, 0);
    to.json(&["import", file.to_str().unwrap()]);
    assert_eq!(to.dump(), from.dump());
    assert_eq!(to.json(&["agent", "list"])["agents"], json!(["anna"]));
    assert_eq!(to.json(&["agent", "show", "ann"])["agent"], "anna");
    assert_eq!(to.json(&["verify"])["sound"], json!(true));
    let refused = to.run(&["import", file.to_str().unwrap()]);
    assert!(refused.code == 2 && refused.err.contains("already has memories"), "{}", refused.err);
}

#[tokio::test]
async fn key_of_a_renamed_agent_goes_on_working() {
    let served = Served::new();
    for name in ["ann", "bob"] {
        served.post("/v1/agents", &json!({ "agent": name })).await;
    }
    let new = |name: &str, args: &[&str]| {
        let made = served.annals.json(&[&["key", "add", name], args].concat());
        made["key"].as_str().unwrap().to_owned()
    };
    let (admin, own) = (new("admin", &["--scope", "admin"]), new("phone", &["--scope", "search", "--agent", "ann"]));
    let body = json!({ "name": "anna" });
    let (status, renamed) = served.ask(Method::POST, "/v1/agents/ann/rename", Some(&admin), Some(&body)).await;
    assert_eq!((status, &renamed["agent"]), (StatusCode::OK, &json!("anna")), "{renamed}");
    for (key, name, expect) in [
        (&own, "ann", StatusCode::OK),
        (&own, "anna", StatusCode::OK),
        (&own, "bob", StatusCode::NOT_FOUND),
        (&admin, "anna", StatusCode::OK),
    ] {
        let path = format!("/v1/agents/{name}/settings");
        let (status, answer) = served.ask(Method::GET, &path, Some(key), None).await;
        assert_eq!(status, expect, "{name}: {answer}");
    }
    let (status, answer) = served.ask(Method::POST, "/v1/agents/ann/rename", Some(&own), Some(&body)).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{answer}");
    let taken = json!({ "name": "bob" });
    let (status, answer) = served.ask(Method::POST, "/v1/agents/ann/rename", Some(&admin), Some(&taken)).await;
    assert_eq!((status, &answer["code"]), (StatusCode::CONFLICT, &json!("exists")), "{answer}");
    let agents = served.ask(Method::GET, "/v1/agents", Some(&admin), None).await.1;
    assert_eq!(agents, json!({ "agents": ["anna", "bob"] }));
}

#[tokio::test]
async fn lists_continue_at_the_cursor() {
    let annals = Annals::new();
    let same_moment = |n: u32| line("ann", &format!("talk {n}"), "1", "Ann", "Hello.", "2026-01-01T10:00:00Z");
    let many: String = (0..7).map(same_moment).collect();
    annals.import(&(days("ann", 3, 2) + &many));
    let names: Vec<String> =
        (0..3).map(|day| format!("day {day}")).chain((0..7).map(|n| format!("talk {n}"))).collect();
    let all = annals.json(&["conversations", "--agent", "ann"]);
    let of = |list: &Value| -> Vec<String> {
        list["conversations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["conversation"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(of(&all), names);
    let first = &all["conversations"][0];
    assert_eq!((&first["turns"], &first["first"]), (&json!(2), &json!("2026-01-01T08:00:00Z")));
    let shown = annals.run(&["conversations", "--agent", "ann", "--limit", "1"]);
    assert_eq!(shown.out, "day 0  2026-01-01  2 turns\nThere are more: --cursor \"day 0\"\n");

    let served = Served::over(annals);
    for (path, field, id) in [
        ("conversations?limit=3", "conversations", "conversation"),
        ("timeline?grains=working&limit=3", "memories", "id"),
    ] {
        let (_, whole) = served.get(&format!("/v1/agents/ann/{}", path.replace("limit=3", "limit=1000"))).await;
        assert_eq!(whole.get("next_cursor"), None);
        let ids = |page: &Value| page[field].as_array().unwrap().iter().map(|one| one[id].clone()).collect::<Vec<_>>();
        let (mut seen, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let next = cursor.map(|cursor| format!("&cursor={}", cursor.replace(' ', "%20"))).unwrap_or_default();
            let (status, page) = served.get(&format!("/v1/agents/ann/{path}{next}")).await;
            assert_eq!(status, StatusCode::OK, "{page}");
            assert!(ids(&page).len() <= 3);
            seen.extend(ids(&page));
            cursor = page["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, ids(&whole), "{path}");
        assert!(seen.len() > 6, "{path}");
    }
    let (status, problem) = served.get("/v1/agents/ann/timeline?cursor=nonsense").await;
    assert_eq!((status, &problem["faults"][0]["field"]), (StatusCode::BAD_REQUEST, &json!("cursor")));
}

#[tokio::test]
async fn facts_continue_at_the_cursor() {
    let served = Served::new();
    for (number, object) in ["figs", "tea", "rain", "chess", "boats"].iter().enumerate() {
        let at = format!("2026-01-0{}", number + 1);
        let fact = json!({ "subject": "Ann", "predicate": "likes", "object": object, "at": at });
        let (status, answer) = served.post("/v1/agents/ann/facts", &fact).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
    let mut found = Vec::new();
    let mut path = "/v1/agents/ann/facts?about=Ann&limit=2".to_owned();
    loop {
        let (_, page) = served.get(&path).await;
        found.extend(page["facts"].as_array().unwrap().iter().map(|fact| fact["object"].clone()));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/agents/ann/facts?about=Ann&limit=2&cursor={cursor}");
    }
    assert_eq!(found, ["figs", "tea", "rain", "chess", "boats"]);
}

#[tokio::test]
async fn bad_request_reports_every_fault_with_its_field() {
    let served = Served::new();
    served.post("/v1/agents", &json!({ "agent": "ann" })).await;
    let check = async |method: Method, path: &str, body: Option<Value>, expect: &[(&str, &str)]| {
        let (status, problem) = served.ask(method, &format!("/v1/agents/ann/{path}"), None, body.as_ref()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
        let faults = problem["faults"].as_array().unwrap().iter();
        let mut faults: Vec<(&str, &str)> =
            faults.map(|fault| (fault["field"].as_str().unwrap(), fault["reason"].as_str().unwrap())).collect();
        faults.sort_unstable();
        assert_eq!(faults, expect, "{path}");
    };
    let wrong = json!({ "limit": "ten", "from": "yesterday", "grains": ["daily", "hourly"] });
    let expect = [
        ("from", "is \"yesterday\"; expected a valid date such as 2026-03-04"),
        ("grains[1]", "is \"hourly\"; expected one of working, daily, weekly, monthly, quarterly, yearly"),
        ("limit", "is \"ten\"; it must be a whole number"),
    ];
    check(Method::POST, "search", Some(wrong), &expect).await;
    let wrong = json!({ "messages": [{ "role": "king", "content": "x" }, { "role": "user" }] });
    let expect = [
        ("messages[0].role", "is \"king\"; expected one of user, assistant, system, tool"),
        ("messages[1].content", "is missing"),
    ];
    check(Method::POST, "messages", Some(wrong), &expect).await;
    let says = |words: &str| json!({ "conversation": "c", "id": "1", "role": "user", "content": words });
    let wrong = json!({ "messages": [says("tea"), says("tea"), says("milk")] });
    let expect = [("messages[2].id", "\"1\" is also the id of messages[0], which says something else")];
    check(Method::POST, "messages", Some(wrong), &expect).await;
    let expect = [
        ("from", "is \"2026-02-30\"; expected a valid date such as 2026-03-04"),
        ("limit", "is \"ten\"; it must be a whole number"),
    ];
    check(Method::GET, "timeline?limit=ten&from=2026-02-30", None, &expect).await;
    let expect = [("as_of", "is \"soon\"; expected a time such as 2026-03-04T18:30:00Z or a date such as 2026-03-04")];
    check(Method::GET, "facts?as_of=soon", None, &expect).await;
    check(
        Method::DELETE,
        "memories/t-1?dry_run=perhaps",
        None,
        &[("dry_run", "is \"perhaps\"; it must be true or false")],
    )
    .await;
}

#[tokio::test]
async fn former_spellings_of_options_are_accepted() {
    let served = Served::new();
    let output = json!({ "conversation": "talk", "messages": [{ "role": "user", "content": "We sold the boat." }] });
    served.post("/v1/agents/ann/messages?wait=searchable", &output).await;
    let search = |body: Value| async {
        let body = body;
        served.post("/v1/agents/ann/search", &body).await
    };
    for body in [
        json!({ "query": "boat", "min_days_ago": 0, "max_days_ago": 3, "grains": ["working"] }),
        json!({ "query": "boat", "minimum_days_ago": 0, "maximum_days_ago": 3, "grain": "working" }),
    ] {
        let (status, found) = search(body.clone()).await;
        assert_eq!((status, found["results"].as_array().map(Vec::len)), (StatusCode::OK, Some(1)), "{body} {found}");
    }
    for arguments in [
        json!({ "query": "boat", "min_days_ago": 0, "limit": 1 }),
        json!({ "queryText": "boat", "minimumDaysAgo": 0, "maxResults": 1, "grain": "working" }),
    ] {
        let (status, found) = served.post("/v1/agents/ann/tools/search_memory", &arguments).await;
        assert_eq!(
            (status, found["text"].as_str().map(|text| text.contains("boat"))),
            (StatusCode::OK, Some(true)),
            "{found}"
        );
    }
    let args = ["search", "boat", "--agent", "ann", "--grains", "working,daily", "--max-days-ago", "3000"];
    assert_eq!(served.annals.run(&args).code, 0);
    let args = ["search", "boat", "--agent", "ann", "--grain", "working", "--grain", "daily"];
    assert_eq!(served.annals.run(&args).code, 0);
    for option in ["--at", "--since"] {
        let args = ["facts", "add", "Ann", "likes", "figs", "--agent", "ann", option, "2026-01-02"];
        assert_eq!(served.annals.run(&args).code, 0, "{option}");
    }
}
