//! `GET /v1/tools`, `POST …/tools/{name}`: memory as functions that a model calls, for loops that speak no MCP.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::{Extension, Json};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::Problem;
use super::extract::{Body, Wish};
use crate::Service;
use crate::access::Caller;
use crate::mcp::{Asker, Format, definitions, run};

/// In whose form.
#[derive(Debug, Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ToolsWish {
    /// Whose form the definitions have.
    #[serde(default)]
    #[param(inline)]
    format: Format,
}

/// What a tool answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolAnswer {
    /// For the model: give it back as the content of the tool's message.
    pub text: String,
    /// For programs, as the output schema of the tool says (`format=mcp` shows it).
    #[schema(value_type = Object)]
    pub structured: Value,
}

/// Definitions of the tools that the key may use, to be mounted in a model's request as they are.
///
/// When the model calls one, send its arguments to `POST /v1/agents/{agent}/tools/{name}` and give the `text` back to it.
/// The same tools are served over MCP at `/mcp/{agent}`.
#[utoipa::path(
    get, path = "/v1/tools", tag = "tools",
    params(ToolsWish),
    responses((status = 200, description = "The definitions", body = Vec<Object>))
)]
pub async fn list(Extension(caller): Extension<Caller>, Wish(wish): Wish<ToolsWish>) -> Json<Vec<Value>> {
    Json(definitions(&caller, wish.format))
}

/// Does what a model asks for by calling a tool. The body is the arguments of the call, as the model wrote them.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/tools/{name}", tag = "tools",
    params(("agent" = String, Path, description = "Name of the agent"),
        ("name" = String, Path, description = "Name of the tool, such as search_memory")),
    request_body = Object,
    responses((status = 200, description = "What the tool answers", body = ToolAnswer))
)]
pub async fn call(
    State(service): State<Service>,
    Extension(caller): Extension<Caller>,
    path: Result<Path<(String, String)>, PathRejection>,
    body: Body<JsonObject>,
) -> Result<Json<ToolAnswer>, Problem> {
    let Path((agent, name)) = path.map_err(|error| Problem::malformed("the path", error.body_text()))?;
    let asker = Asker { caller, agent: Some(agent) };
    let reply = run(&service, &asker, &name, body.value).await?;
    Ok(Json(ToolAnswer { text: reply.text, structured: reply.structured }))
}
