//! `GET /healthz`, `GET /readyz`: for monitoring. They need no key, and disclose only the state and the version.

use annals_service::Service;
use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Problem;

/// The status of a service that serves.
const WELL: &str = "ok";

/// State and version of the service.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub(crate) struct Health {
    /// `ok`, or `standing by` for a node of a cluster that forwards requests to another one.
    pub status: String,
    /// The version of Annals.
    pub version: String,
}

impl Health {
    /// Returns a status with the version of this program.
    pub(crate) fn of(status: &str) -> Health {
        Health { status: status.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }

    pub(crate) fn is_well(&self) -> bool {
        self.status == WELL
    }
}

fn well() -> Json<Health> {
    Json(Health::of(WELL))
}

/// Reports that the process answers.
#[utoipa::path(get, path = "/healthz", tag = "service", responses((status = 200, description = "It does", body = Health)), security(()))]
pub(crate) async fn alive() -> Json<Health> {
    well()
}

/// Reports that the store answers as well, so that requests can be served.
#[utoipa::path(get, path = "/readyz", tag = "service", responses((status = 200, description = "It does", body = Health)), security(()))]
pub(crate) async fn ready(State(service): State<Service>) -> Result<Json<Health>, Problem> {
    service.check_ready().await?;
    Ok(well())
}
