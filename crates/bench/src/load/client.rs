//! An HTTP client with one keep-alive connection.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use super::Failure;

/// A connection to the service.
pub(crate) struct Client {
    sender: SendRequest<Full<Bytes>>,
    address: String,
    key: Option<String>,
}

impl Client {
    pub(crate) async fn connect(address: &str, key: Option<&str>) -> Result<Client, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Client { sender, address: address.to_owned(), key: key.map(str::to_owned) })
    }

    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> Result<(u16, Value), Failure> {
        let (status, text) = self.ask(Method::POST, path, body.to_string()).await?;
        Ok((status, serde_json::from_str(&text)?))
    }

    pub(crate) async fn get(&mut self, path: &str) -> Result<(u16, Value), Failure> {
        let (status, text) = self.ask(Method::GET, path, String::new()).await?;
        Ok((status, serde_json::from_str(&text)?))
    }

    pub(crate) async fn text(&mut self, path: &str) -> Result<String, Failure> {
        Ok(self.ask(Method::GET, path, String::new()).await?.1)
    }

    /// Returns the resident memory that the service reports, in bytes.
    pub(crate) async fn resident(&mut self) -> Result<f64, Failure> {
        let metrics = self.text("/metrics").await?;
        let line = metrics.lines().find(|line| line.starts_with("annals_resident_memory_bytes"));
        let value = line.and_then(|line| line.split_whitespace().last());
        Ok(value.ok_or("the service reports no resident memory")?.parse()?)
    }

    async fn ask(&mut self, method: Method, path: &str, body: String) -> Result<(u16, String), Failure> {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, &self.address);
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        self.sender.ready().await?;
        let response = self.sender.send_request(request.body(Full::new(Bytes::from(body)))?).await?;
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await?.to_bytes();
        Ok((status, String::from_utf8(bytes.to_vec())?))
    }
}
