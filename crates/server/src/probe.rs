//! Asks another service whether it is ready.

use std::fmt::Display;

use axum::body::{Body, to_bytes};
use axum::http::header::HOST;
use axum::http::{Request, StatusCode};
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::rest::Health;

/// Largest answer that is read, in bytes.
const LARGEST: usize = 1 << 16;

/// Asks the service at an address (`host:port`) whether it is ready. Fails with a reason if it cannot be reached or is not ready, or
/// if it is a node of a cluster that stands by.
pub async fn check_ready(address: &str) -> Result<(), String> {
    let stream = TcpStream::connect(address).await.map_err(text)?;
    let (mut connection, work) = handshake(TokioIo::new(stream)).await.map_err(text)?;
    tokio::spawn(work);
    let request = Request::get("/readyz").header(HOST, address).body(Body::empty()).map_err(text)?;
    let answer = connection.send_request(request).await.map_err(text)?;
    if answer.status() != StatusCode::OK {
        return Err(format!("it answers {}", answer.status()));
    }
    let body = to_bytes(Body::new(answer.into_body()), LARGEST).await.map_err(text)?;
    match serde_json::from_slice::<Health>(&body) {
        Ok(health) if health.is_well() => Ok(()),
        Ok(_) => Err("it is a node that stands by".to_owned()),
        Err(_) => Err("it is not Annals".to_owned()),
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::get;

    use super::*;

    async fn check(answer: &'static str, expect: Result<(), &str>) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let routes = Router::new().route("/readyz", get(async move || answer));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        assert_eq!(check_ready(&address).await, expect.map_err(str::to_owned), "{answer}");
    }

    #[tokio::test]
    async fn only_a_ready_service_passes() {
        check(r#"{"status": "ok", "version": "1"}"#, Ok(())).await;
        check(r#"{"status": "standing by", "version": "1"}"#, Err("it is a node that stands by")).await;
        check("hello", Err("it is not Annals")).await;
        assert!(check_ready("127.0.0.1:1").await.unwrap_err().contains("refused"));
    }
}
