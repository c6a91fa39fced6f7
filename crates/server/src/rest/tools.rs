//! `GET /v1/tools`, `POST …/tools/{name}`: memory as functions that a model calls, for agent loops without MCP.

use annals_service::Service;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::{Extension, Json};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::Problem;
use super::extract::{Body, QueryParams};
use crate::access::Caller;
use crate::mcp::{Asker, Format, definitions, run};

/// How to list the tools.
#[derive(Debug, Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ToolsQuery {
    /// Format of the definitions.
    #[serde(default)]
    #[param(inline)]
    format: Format,
}

/// Answer of a tool, for a model and for programs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolAnswer {
    /// Text for the model: return it as the content of the tool's message.
    pub text: String,
    /// Answer for programs, according to the output schema of the tool, which `format=mcp` shows.
    #[schema(value_type = Object)]
    pub structured: Value,
}

/// Lists the tools that the key may use, ready to be put into a model's request.
///
/// When the model calls one, send its arguments to `POST /v1/agents/{agent}/tools/{name}` and return the `text` to it. The same
/// tools are served over MCP at `/mcp/{agent}`.
#[utoipa::path(
    get, path = "/v1/tools", tag = "tools",
    params(ToolsQuery),
    responses((status = 200, description = "The definitions", body = Vec<Object>))
)]
pub(crate) async fn list(
    Extension(caller): Extension<Caller>,
    QueryParams(request): QueryParams<ToolsQuery>,
) -> Json<Vec<Value>> {
    Json(definitions(&caller, request.format))
}

/// Calls a tool for a model. The body holds the arguments of the call, as the model wrote them.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/tools/{name}", tag = "tools",
    params(("agent" = String, Path, description = "Name of the agent"),
        ("name" = String, Path, description = "Name of the tool, such as search_memory")),
    request_body = Object,
    responses((status = 200, description = "What the tool answers", body = ToolAnswer))
)]
pub(crate) async fn call(
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
