//! The parts of the OpenAPI description that are not routes: general information, authentication, and the problems that any
//! route may answer with.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, Content, Info, License, OpenApi, OpenApiBuilder, Ref, RefOr, ResponseBuilder, path::Operation,
};
use utoipa::{PartialSchema, ToSchema};

use super::{FaultView, ProblemView};

/// Problems that any route may answer with, by status.
const PROBLEMS: [(&str, &str); 13] = [
    ("400", "The request is invalid; `faults` names the fields"),
    ("401", "An API key is missing, or it is unknown, revoked or expired"),
    ("403", "The key lacks the scope, or the Host or Origin is not allowed"),
    ("404", "It does not exist, or not for this key"),
    ("409", "The request conflicts with what is stored"),
    ("413", "The body is too large"),
    ("415", "The body is not JSON"),
    ("422", "The Idempotency-Key was used for another request"),
    ("429", "Too many requests, or too many messages waiting; `Retry-After` says when to try again"),
    ("500", "Internal error; see the log of the service"),
    ("502", "The model's answer cannot be used"),
    ("503", "The store or the model is unavailable; `Retry-After` says when to try again"),
    ("504", "The request took too long"),
];

/// Returns the description to which the routes are added.
pub(super) fn base() -> OpenApi {
    let mut components = Components::new();
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("annals_…").build();
    components.add_security_scheme("key", SecurityScheme::Http(bearer));
    components.schemas.insert(ProblemView::name().into_owned(), ProblemView::schema());
    components.schemas.insert(FaultView::name().into_owned(), FaultView::schema());
    let mut info = Info::new("Annals", env!("CARGO_PKG_VERSION"));
    info.description =
        Some("Long-term memory for AI agents: by the calendar, with facts, on your own machine.".to_owned());
    info.license = Some(License::new("Apache-2.0"));
    OpenApiBuilder::new().info(info).components(Some(components)).build()
}

/// Adds the problems to every operation, and the key to every operation that does not declare its own security.
pub(super) fn complete(mut api: OpenApi) -> OpenApi {
    for item in api.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
        operations.into_iter().flatten().for_each(add_problems);
    }
    api
}

fn add_problems(operation: &mut Operation) {
    for (status, description) in PROBLEMS {
        let content = Content::new(Some(RefOr::Ref(Ref::from_schema_name(ProblemView::name()))));
        let response = ResponseBuilder::new().description(description).content("application/problem+json", content);
        operation.responses.responses.entry(status.to_owned()).or_insert_with(|| response.build().into());
    }
    if operation.security.is_none() {
        operation.security = Some(vec![SecurityRequirement::new("key", Vec::<String>::new())]);
    }
}
