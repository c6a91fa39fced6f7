//! What standby nodes that answer searches report to the active node: their access counts, because the active node writes the catalog,
//! and how many requests of each key they have answered. They learn which keys have exceeded their rate.

use std::collections::{HashMap, HashSet};

use annals_service::{AccessCounts, Service};
use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::{Json, Router, routing};
use secrecy::SecretString;

use super::requests::{check_key, post};
use super::standby::ActiveNode;
use crate::access::RequestLimits;
use crate::ipc::Failure;
use crate::rest::Problem;

const ACCESSES: &str = "/cluster/accesses";
const ANSWERED: &str = "/cluster/answered";

/// Returns the route on which the active node takes access counts.
pub(super) fn accesses_route(service: Service, key: SecretString) -> Router {
    Router::new().route(ACCESSES, routing::post(add)).with_state(service).layer(from_fn_with_state(key, check_key))
}

async fn add(State(service): State<Service>, Json(counts): Json<Vec<AccessCounts>>) -> Result<Json<()>, Problem> {
    Ok(Json(service.add_access_counts(counts)?))
}

/// Sends access counts to the active node. Counts are lost if it does not answer: only ranking uses them, as a weak signal.
pub(super) async fn send_access_counts(
    active: &ActiveNode,
    key: &SecretString,
    counts: &[AccessCounts],
) -> Result<(), Failure> {
    post::<()>(active, key, ACCESSES, &counts).await.map(|_| ())
}

/// Returns the route on which the active node takes numbers of requests.
pub(super) fn answered_route(limits: RequestLimits, key: SecretString) -> Router {
    Router::new().route(ANSWERED, routing::post(count)).with_state(limits).layer(from_fn_with_state(key, check_key))
}

async fn count(
    State(limits): State<RequestLimits>,
    Json(answered): Json<HashMap<String, u32>>,
) -> Json<HashSet<String>> {
    Json(limits.count_answered(answered))
}

/// Sends the numbers of requests to the active node, by the ids of keys. Returns the keys that have exceeded their rate. The numbers
/// are lost if it does not answer: they may have been counted, and counted twice they would refuse the key for minutes.
pub(super) async fn send_answered(
    active: &ActiveNode,
    key: &SecretString,
    answered: &HashMap<String, u32>,
) -> Result<HashSet<String>, Failure> {
    Ok(post(active, key, ANSWERED, answered).await?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use annals_testkit::{agent, at};
    use serde_json::json;
    use tokio::net::TcpListener;
    use tokio::sync::watch;

    use super::*;
    use crate::fixture::{NOW, service_with_memories};

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    #[tokio::test]
    async fn counts_reach_the_active_node_with_the_key_of_the_cluster() {
        let me = agent("a");
        let (theirs, ours) = (service_with_memories(&me).await, service_with_memories(&me).await);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (_sender, active) = watch::channel(Some(listener.local_addr().unwrap().to_string()));
        let routes = accesses_route(theirs.clone(), SecretString::from(KEY));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        let request = serde_json::from_value(json!({ "query": "sailing trip" })).unwrap();
        ours.search(&me, request, at(NOW)).await.unwrap();
        let counts = ours.take_access_counts();
        assert!(!counts.is_empty());
        let wrong = SecretString::from(KEY.to_uppercase());
        assert!(send_access_counts(&active, &wrong, &counts).await.is_err());
        assert_eq!(theirs.take_access_counts(), []);
        send_access_counts(&active, &SecretString::from(KEY), &counts).await.unwrap();
        assert_eq!(theirs.take_access_counts(), counts);
    }
}
