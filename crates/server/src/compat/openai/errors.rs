//! Errors in OpenAI's shape.

use serde_json::{Value, json};

/// Returns `{"error": {message, type, param, code}}` for a problem document. The code is also at the top level, as in REST.
pub(in crate::compat) fn shape(problem: &Value) -> Value {
    let status = problem["status"].as_u64().unwrap_or(500);
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        429 => "rate_limit_error",
        400..500 => "invalid_request_error",
        _ => "server_error",
    };
    let error = json!({
        "message": problem["detail"],
        "type": kind,
        "param": problem["faults"][0]["field"],
        "code": problem["code"],
    });
    json!({ "error": error, "code": problem["code"] })
}
