//! Standby nodes that answer searches send their access counts to the active node, which writes the catalog.

use annals_service::{AccessCounts, Service};
use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::{Json, Router, routing};
use secrecy::SecretString;

use super::cluster::{check_key, post};
use super::socket::Failure;
use crate::rest::Problem;
use crate::standby::ActiveNode;

const PATH: &str = "/cluster/accesses";

/// Returns the route on which the active node takes access counts.
pub(crate) fn accesses_route(service: Service, key: SecretString) -> Router {
    Router::new().route(PATH, routing::post(add)).with_state(service).layer(from_fn_with_state(key, check_key))
}

async fn add(State(service): State<Service>, Json(counts): Json<Vec<AccessCounts>>) -> Result<Json<()>, Problem> {
    Ok(Json(service.add_access_counts(counts)?))
}

/// Sends access counts to the active node. Counts are lost if it does not answer: only ranking uses them, as a weak signal.
pub(crate) async fn send_access_counts(
    active: &ActiveNode,
    key: &SecretString,
    counts: &[AccessCounts],
) -> Result<(), Failure> {
    post::<()>(active, key, PATH, &counts).await.map(|_| ())
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
