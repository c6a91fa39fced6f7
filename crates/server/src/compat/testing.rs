//! A client of a service in memory, for tests of the adapters. A worker makes messages searchable, as in the real service.

use std::sync::Arc;

use annals_core::Agent;
use annals_service::{Service, Worker};
use annals_testkit::{MemoryCatalog, at};
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use serde_json::Value;
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt;

use crate::config::ServerConfig;
use crate::fixture::{NOW, over};
use crate::public;

pub(super) struct Client {
    pub(super) service: Service,
    _stop: DropGuard,
}

impl Client {
    pub(super) fn new() -> Client {
        Client::of(over(Arc::new(MemoryCatalog::new()), Arc::new(|| at(NOW))))
    }

    pub(super) fn of(service: Service) -> Client {
        let stop = CancellationToken::new();
        let (working, until) = (service.clone(), stop.clone());
        tokio::spawn(async move { working.work(Worker::Any, until).await });
        Client { service, _stop: stop.drop_guard() }
    }

    /// Sends a request. Returns the status and the body.
    pub(super) async fn ask(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        self.ask_with(method, path, body, &[]).await
    }

    pub(super) async fn ask_with(
        &self,
        method: &str,
        path: &str,
        body: Value,
        headers: &[(&str, &str)],
    ) -> (u16, Value) {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "localhost");
        request = request.header(header::CONTENT_TYPE, "application/json");
        request = request.header(header::ACCEPT, "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let app = public(&self.service, &ServerConfig::default());
        let response = app.oneshot(request.body(body).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    /// Returns the body of an answer, which must have the status 200.
    #[track_caller]
    pub(super) fn get_ok(&self, answer: (u16, Value)) -> Value {
        assert_eq!(answer.0, 200, "{}", answer.1);
        answer.1
    }

    /// Returns all data of an agent.
    pub(super) async fn export(&self, agent: &str) -> String {
        let mut lines = String::new();
        let export = self.service.export(&Agent::new(agent).unwrap()).await.unwrap();
        tokio::io::AsyncReadExt::read_to_string(&mut { export.file }, &mut lines).await.unwrap();
        lines
    }
}
