//! Answers MCP messages with the tools, over any transport.

use annals_service::Service;
use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, DiscoverResult, Implementation,
    InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool as Definition,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::definition::{instructions, usable};
use super::refusal::Refusal;
use super::stream::Carried;
use super::tool::run_once;
use super::{Asker, Reply, tool};

/// Answers MCP messages of one byte stream, or of any number of HTTP requests.
#[derive(Clone)]
pub(super) struct Handler {
    service: Service,
    /// The caller on a byte stream; `None` over HTTP, where each request has its own.
    asker: Option<Asker>,
    /// The calls under way and the conversation of the byte stream. Over HTTP the conversation is `None`.
    carried: Carried,
}

impl Handler {
    /// Creates a handler for HTTP requests, which each have their own [`Asker`].
    pub(super) fn of_requests(service: Service) -> Handler {
        Handler { service, asker: None, carried: Carried::default() }
    }

    /// Creates a handler for a stream that belongs to one asker.
    pub(super) fn of_stream(service: Service, asker: Asker, carried: Carried) -> Handler {
        Handler { service, asker: Some(asker), carried }
    }

    /// Returns the asker of the stream or of the request. Fails for a request that was not authenticated, which has no asker.
    fn asker<'a>(&'a self, context: &'a RequestContext<RoleServer>) -> Result<&'a Asker, ErrorData> {
        let of_request = || context.extensions.get::<Parts>()?.extensions.get::<Asker>();
        self.asker
            .as_ref()
            .or_else(of_request)
            .ok_or_else(|| ErrorData::internal_error("the request is not authenticated", None))
    }

    fn info(&self, asker: Option<&Asker>) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("annals", env!("CARGO_PKG_VERSION")).with_title("Annals memory"))
            .with_instructions(instructions(asker.map(|asker| &asker.caller)))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.info(self.asker.as_ref())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut answer = self.negotiate_initialize(&request)?;
        answer.instructions = self.info(Some(self.asker(&context)?)).instructions;
        Ok(answer)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let info = self.info(Some(self.asker(&context)?));
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let asker = self.asker(&context)?;
        Ok(ListToolsResult::with_all_items(usable(&asker.caller, asker.agent.is_none())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _busy = self.carried.calls.begin();
        let asker = self.asker(&context)?;
        let arguments = request.arguments.unwrap_or_default();
        let key = self.carried.key(&context.id, &request.name, &arguments);
        let result = match run_once(&self.service, asker, &request.name, arguments, key).await {
            Ok(Reply { text, structured }) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(structured);
                result
            }
            Err(Refusal::NoSuchTool(name)) => {
                return Err(ErrorData::invalid_params(format!("there is no tool {name:?}"), None));
            }
            Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.into_text())]),
        };
        Ok(result.into())
    }

    fn get_tool(&self, name: &str) -> Option<Definition> {
        tool::find(name).map(|entry| entry.definition.clone())
    }
}
