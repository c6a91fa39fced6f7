//! Errors in mem0's shape.

use serde_json::{Value, json};

/// Returns `{"detail", "error"}` for a problem document. Also includes the code, as in REST.
pub(in crate::compat) fn shape(problem: &Value) -> Value {
    json!({ "detail": problem["detail"], "error": problem["detail"], "code": problem["code"] })
}
