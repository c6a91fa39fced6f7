//! Standby nodes answer searches from copies: what any node has made searchable is found, and what was forgotten is not.

use super::*;

/// Two nodes with a key of the cluster, the first active, and a key of the service.
struct Cluster {
    key: String,
    first: Node,
    second: Node,
    /// Kept until the end of the test: dropping it removes the database.
    _shared: Shared,
}

impl Cluster {
    async fn start() -> Option<Cluster> {
        Cluster::over(Shared::new(LEASE)?).await
    }

    async fn over(shared: Shared) -> Option<Cluster> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let shared = Shared { key: Some("0123456789abcdef0123456789abcdef"), ..shared };
        let (key, first) = (shared.key(), Node::start(&shared));
        until("the first node is active", async || first.is_active().await).await;
        let second = Node::start(&shared);
        let cluster = Cluster { key, first, second, _shared: shared };
        cluster.say_and_wait(0).await;
        until("the standby node answers searches", async || {
            cluster.search(&cluster.second, "trip").await;
            cluster.answered().await > 0
        })
        .await;
        Some(cluster)
    }

    /// Stores a message through the active node, and waits until it is searchable.
    async fn say_and_wait(&self, id: u64) {
        let body = json!({ "conversation": "c", "messages": [message(id)] });
        let url = format!("{}/v1/agents/ann/messages?wait=searchable", self.first.address);
        ask(&self.key, "POST", &url, Some(&body)).await;
    }

    async fn post(&self, node: &Node, path: &str, body: Value) -> Value {
        ask(&self.key, "POST", &format!("{}/v1/agents/ann/{path}", node.address), Some(&body)).await
    }

    /// Returns the texts that a node finds.
    async fn search(&self, node: &Node, query: &str) -> Vec<String> {
        let answer = self.post(node, "search", json!({ "query": query, "limit": 50 })).await;
        let results = answer["results"].as_array().unwrap().iter();
        results.map(|result| result["text"].as_str().unwrap().to_owned()).collect()
    }

    async fn context(&self, node: &Node, prompt: &str) -> String {
        let answer = self.post(node, "context", json!({ "prompt": prompt, "speaker": "Ann" })).await;
        answer["text"].as_str().unwrap().to_owned()
    }

    /// Returns the status of the answer of a node, and the answer without the id of the request.
    async fn status(&self, node: &Node, key: &str, path: &str, body: Value) -> (u16, Value) {
        let url = format!("{}/v1/agents/{path}", node.address);
        let answer = Client::new().post(url).bearer_auth(key).json(&body).send().await.unwrap();
        let (status, mut problem) = (answer.status().as_u16(), answer.json::<Value>().await.unwrap());
        problem.as_object_mut().unwrap().remove("request_id");
        (status, problem)
    }

    /// Returns the number of searches that the standby node has answered itself.
    async fn answered(&self) -> u64 {
        let metrics = own_metrics(&self.second).await;
        let answered = metrics.lines().find_map(|line| line.strip_prefix("annals_node_answered_searches_total "));
        answered.unwrap().parse().unwrap()
    }
}

#[tokio::test]
async fn standby_node_finds_what_was_made_searchable_before() {
    let Some(cluster) = Cluster::start().await else { return };
    let before = cluster.answered().await;
    for id in 1..=20 {
        cluster.say_and_wait(id).await;
        let found = cluster.search(&cluster.second, &format!("trip {id}")).await;
        assert_eq!((found.len() as u64, &found[0]), (id + 1, &content(id)));
    }
    // A busy machine may take too long for some; these are forwarded.
    assert!(cluster.answered().await >= before + 10);
    let of_first = cluster.post(&cluster.first, "search", json!({ "query": "lamp trip 7", "explain": true })).await;
    let of_second = cluster.post(&cluster.second, "search", json!({ "query": "lamp trip 7", "explain": true })).await;
    assert_eq!(of_first, of_second);
    let prompt = "What did I buy on trip 3?";
    assert_eq!(cluster.context(&cluster.first, prompt).await, cluster.context(&cluster.second, prompt).await);
}

#[tokio::test]
async fn standby_node_has_the_facts_and_forgets_with_the_active_one() {
    let Some(cluster) = Cluster::start().await else { return };
    let enter = async |object: &str| {
        let fact = json!({ "verb": "add", "subject": "Ann", "predicate": "has_pet", "object": object });
        cluster.post(&cluster.second, "facts", fact).await;
    };
    for pet in ["a cat named Mira", "a dog named Bolt"] {
        enter(pet).await;
        let context = cluster.context(&cluster.second, "Which pet does Ann have?").await;
        assert!(context.contains(pet), "{context}");
    }
    let before = cluster.answered().await;
    cluster.say_and_wait(5).await;
    assert_eq!(cluster.search(&cluster.second, "trip 5").await.len(), 2);
    cluster.post(&cluster.first, "forget", json!({ "subject": "Turin", "dry_run": false })).await;
    assert_eq!(cluster.search(&cluster.second, "trip 5").await, Vec::<String>::new());
    cluster.say_and_wait(6).await;
    assert_eq!(cluster.search(&cluster.second, "trip").await, [content(6)]);
    assert!(cluster.answered().await > before);
}

#[tokio::test]
async fn standby_node_refuses_what_the_active_one_refuses() {
    let Some(cluster) = Cluster::start().await else { return };
    let key = cluster.key.clone();
    for (key, path, body) in [
        ("", "ann/search", json!({ "query": "trip" })),
        ("annals_wrong", "ann/search", json!({ "query": "trip" })),
        (&*key, "ann/search", json!({ "query": "trip", "limit": 0 })),
        (&*key, "ann/search", json!({ "query": 7, "grains": ["hourly"] })),
        (&*key, "ann/context", json!({ "prompt": "trip", "budget_tokens": 1 })),
        (&*key, "nobody/search", json!({ "query": "trip" })),
        (&*key, "ann/search", json!({ "query": "trip", "period": "2026-99" })),
    ] {
        let [first, second] = [
            cluster.status(&cluster.first, key, path, body.clone()).await,
            cluster.status(&cluster.second, key, path, body.clone()).await,
        ];
        assert_eq!(first, second, "{path} {body}");
    }
    let search =
        async |key: &str| cluster.status(&cluster.second, key, "ann/search", json!({ "query": "trip" })).await.0;
    let other = cluster.second.annals.json(&["key", "add", "other", "--scope", "search"]);
    let (id, other) = (other["id"].as_str().unwrap(), other["key"].as_str().unwrap());
    assert_eq!(search(other).await, 200);
    assert_eq!(cluster.second.annals.run(&["key", "revoke", id]).code, 0);
    assert_eq!(search(other).await, 401, "it was revoked on the active node");
}

#[tokio::test]
async fn searches_that_a_standby_node_answers_count_for_the_rate_of_the_key() {
    let Some(shared) = Shared::new(LEASE) else { return };
    let cluster = Cluster::over(Shared { requests: 200, ..shared }).await.unwrap();
    let search =
        async |node: &Node| cluster.status(node, &cluster.key, "ann/search", json!({ "query": "trip" })).await.0;
    let before = cluster.answered().await;
    for _ in 0..150 {
        search(&cluster.second).await;
    }
    assert!(cluster.answered().await >= before + 110);
    // Without these searches, the active node would answer 140 more.
    let mut answered = 0;
    while answered < 100 && search(&cluster.first).await == 200 {
        answered += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(answered < 100, "the active node counts the searches of the other one");
    until("the standby node forwards the requests of the key", async || search(&cluster.second).await == 429).await;
}

#[tokio::test]
async fn searches_are_answered_while_no_node_is_active() {
    let Some(cluster) = Cluster::start().await else { return };
    let before = cluster.answered().await;
    cluster.first.signal("-KILL");
    assert_eq!(cluster.search(&cluster.second, "trip").await, [content(0)]);
    assert!(cluster.answered().await > before);
    until("the second node is active", async || cluster.second.is_active().await).await;
    assert_eq!(cluster.search(&cluster.second, "trip").await, [content(0)]);
    let url = format!("{}/v1/agents/ann/messages?wait=searchable", cluster.second.address);
    ask(&cluster.key, "POST", &url, Some(&json!({ "conversation": "c", "messages": [message(1)] }))).await;
    assert_eq!(cluster.search(&cluster.second, "trip 1").await.len(), 2);
}
