//! Collects all routes of REST with their OpenAPI description.

use annals_service::Service;
use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes as collect;
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::{
    Problem, agents, costs, describe, documents, facts, health, imports, memories, messages, metrics, problem_page,
    searches, settings, tools,
};

/// The routes of REST, grouped by the checks in front of them.
pub struct Routes {
    /// Routes behind authentication. Most requests to them need a key.
    pub guarded: Router,
    /// Routes for uploads, also behind authentication. Their bodies are large, and take long to arrive.
    pub uploads: Router,
    /// Routes that never need a key.
    pub open: Router,
    /// OpenAPI description of all these routes.
    pub api: OpenApi,
}

/// Builds all routes of a service.
pub fn routes(service: Service) -> Routes {
    let (guarded, api) = OpenApiRouter::with_openapi(describe::base())
        .routes(collect!(messages::ingest))
        .routes(collect!(messages::operation))
        .routes(collect!(messages::forget_conversation))
        .routes(collect!(searches::search))
        .routes(collect!(searches::context))
        .routes(collect!(searches::timeline))
        .routes(collect!(searches::periods))
        .routes(collect!(memories::get, memories::correct, memories::forget_one))
        .routes(collect!(memories::sources))
        .routes(collect!(memories::forget))
        .routes(collect!(facts::find, facts::enter))
        .routes(collect!(facts::blocks, facts::write_blocks))
        .routes(collect!(documents::list))
        .routes(collect!(documents::get, documents::put, documents::delete))
        .routes(collect!(documents::search))
        .routes(collect!(documents::collections))
        .routes(collect!(settings::get, settings::change))
        .routes(collect!(settings::status))
        .routes(collect!(settings::rollup))
        .routes(collect!(settings::export))
        .routes(collect!(agents::list, agents::create))
        .routes(collect!(agents::rename))
        .routes(collect!(agents::conversations))
        .routes(collect!(agents::plans))
        .routes(collect!(agents::delete))
        .routes(collect!(costs::costs))
        .routes(collect!(costs::prices, costs::set_prices))
        .routes(collect!(tools::list))
        .routes(collect!(tools::call))
        .routes(collect!(metrics::show))
        .split_for_parts();
    let (uploads, api) = OpenApiRouter::with_openapi(api).routes(collect!(imports::upload)).split_for_parts();
    let (open, open_api) = OpenApiRouter::with_openapi(api)
        .routes(collect!(health::alive))
        .routes(collect!(health::ready))
        .split_for_parts();
    let api = describe::complete(open_api);
    let pages = SwaggerUi::new("/docs").config(Config::from("/openapi.json")).url("/openapi.json", api.clone());
    let (guarded, uploads) = (guarded.with_state(service.clone()), uploads.with_state(service.clone()));
    let open = open.with_state(service).route("/docs/problems", get(problem_page::problems)).merge(pages);
    Routes { guarded, uploads, open, api }
}

/// Answers a request for an unknown path.
pub(crate) async fn nowhere() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", "there is no such path; /docs lists all paths")
}

/// Answers a request with a method that the path does not support.
pub(crate) async fn no_such_method() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this path does not support this method; see /docs",
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_testkit::at;
    use serde_json::Value;

    use super::routes;
    use crate::fixture::{NOW, service};

    const ON_DISK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");

    /// The file is for people who generate a client without a running service. A change is accepted like that of a snapshot.
    #[tokio::test]
    async fn openapi_document_on_disk_is_current() {
        let api = routes(service(Arc::new(|| at(NOW)))).api;
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            std::fs::write(ON_DISK, api.to_pretty_json().unwrap() + "\n").unwrap();
        }
        let on_disk: Value = serde_json::from_str(&std::fs::read_to_string(ON_DISK).unwrap_or_default())
            .expect("docs/openapi.json is missing or no JSON");
        let served = serde_json::to_value(api).unwrap();
        assert!(served == on_disk, "run: INSTA_UPDATE=always cargo test --workspace openapi_document");
    }
}
