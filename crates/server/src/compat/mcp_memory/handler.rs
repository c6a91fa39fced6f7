//! Answers MCP messages as the reference server does.

use annals_core::ports::Scope;
use annals_core::{Error, ObjectKind};
use annals_service::Service;
use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, ServerCapabilities, ServerConfig, Tool as Definition,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::tools::{self, Answer, Failure};
use crate::mcp::Asker;
use crate::rest::chain;

/// Name and version that clients see: those of the reference server.
const NAME: &str = "memory-server";
const VERSION: &str = "0.6.3";
const GRAPH: &str = "memory://knowledge-graph";

/// Answers MCP messages from the facts of the agent in the address.
#[derive(Clone)]
pub(super) struct MemoryHandler(pub(super) Service);

impl MemoryHandler {
    async fn run(
        &self,
        name: &str,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, Failure> {
        let agent = self.agent(context, tools::scope(name)).await?;
        let arguments = request.arguments.unwrap_or_default();
        tools::call(&self.0, &agent, name, arguments, self.0.now()).await
    }

    /// Returns the agent of the address. Fails if the caller lacks the scope or may not use the agent.
    async fn agent(&self, context: &RequestContext<RoleServer>, scope: Scope) -> Result<annals_core::Agent, Failure> {
        let asker = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Asker>());
        let asker = asker.ok_or_else(|| Failure::Text("the request is not authenticated".into()))?;
        if !asker.caller.may(scope) {
            return Err(Failure::Text(format!("the key lacks the scope {:?}", scope.as_str())));
        }
        Ok(asker.agent(&self.0, None).await?)
    }
}

impl ServerHandler for MemoryHandler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(Implementation::new(NAME, VERSION))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::definitions().to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        let result = match self.run(&name, request, &context).await {
            Ok(Answer { text, structured }) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(structured);
                result
            }
            Err(failure) => CallToolResult::error(vec![ContentBlock::text(message(&failure))]),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut graph = Resource::new(GRAPH, "knowledge-graph");
        graph.title = Some("Knowledge Graph".into());
        graph.description = Some("The full knowledge graph with all entities and relations".into());
        graph.mime_type = Some("application/json".into());
        Ok(ListResourcesResult::with_all_items(vec![graph]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != GRAPH {
            return Err(ErrorData::invalid_params(format!("Resource {} not found", request.uri), None));
        }
        let refused = |failure: Failure| ErrorData::invalid_params(message(&failure), None);
        let agent = self.agent(&context, Scope::Search).await.map_err(refused)?;
        let graph = tools::read(&self.0, &agent).await.map_err(refused)?;
        let (mime_type, uri) = (Some("application/json".into()), request.uri);
        let contents = ResourceContents::TextResourceContents { uri, mime_type, text: graph.text, meta: None };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    fn get_tool(&self, name: &str) -> Option<Definition> {
        tools::definitions().iter().find(|tool| tool.name == name).cloned()
    }
}

/// Returns the text of a failure, with the wording of the reference if there is one.
fn message(failure: &Failure) -> String {
    match failure {
        Failure::Text(text) => text.clone(),
        Failure::Error(Error::NotFound { what: ObjectKind::Entity, name }) => {
            format!("Entity with name {name} not found")
        }
        Failure::Error(error) => chain(error),
    }
}
