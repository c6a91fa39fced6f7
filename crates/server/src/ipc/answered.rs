//! Standby nodes tell the active node how many requests of each key they have answered, and learn which keys have exceeded their
//! rate.

use std::collections::{HashMap, HashSet};

use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::{Json, Router, routing};
use secrecy::SecretString;

use super::cluster::{check_key, post};
use super::socket::Failure;
use crate::access::RequestLimits;
use crate::standby::ActiveNode;

const PATH: &str = "/cluster/answered";

/// Returns the route on which the active node takes numbers of requests.
pub(crate) fn answered_route(limits: RequestLimits, key: SecretString) -> Router {
    Router::new().route(PATH, routing::post(count)).with_state(limits).layer(from_fn_with_state(key, check_key))
}

async fn count(
    State(limits): State<RequestLimits>,
    Json(answered): Json<HashMap<String, u32>>,
) -> Json<HashSet<String>> {
    Json(limits.count_answered(answered))
}

/// Sends the numbers of requests to the active node, by the ids of keys. Returns the keys that have exceeded their rate. The numbers
/// are lost if the node does not answer.
pub(crate) async fn send_answered(
    active: &ActiveNode,
    key: &SecretString,
    answered: &HashMap<String, u32>,
) -> Result<HashSet<String>, Failure> {
    Ok(post(active, key, PATH, answered).await?.unwrap_or_default())
}
