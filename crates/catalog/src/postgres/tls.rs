//! Decides whether the connection to the server is encrypted, and connects. The certificate of the server must be valid for its
//! name and signed by an authority that the system trusts. If `SSL_CERT_FILE` is set, the authorities in the file that it names
//! are trusted instead of those of the system.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::db::Error;

/// Requires encryption for a server on another machine, unless the URL has `sslmode=disable`. Uses none for a server on this
/// machine, unless the URL has `sslmode=require`.
pub(super) fn settle(config: &mut Config) {
    let mode = match config.get_ssl_mode() {
        SslMode::Prefer if is_of_this_machine(config) => SslMode::Disable,
        SslMode::Disable => SslMode::Disable,
        _ => SslMode::Require,
    };
    config.ssl_mode(mode);
}

fn is_of_this_machine(config: &Config) -> bool {
    let is_local = |host: &Host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback()),
    };
    config.get_hosts().iter().all(is_local) && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

/// Connects. The connection runs as a task of this runtime.
pub(super) async fn connect(config: &Config) -> Result<Client, Error> {
    // The error of the connection task is ignored, because the statement under way returns it too.
    if config.get_ssl_mode() == SslMode::Disable {
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(async { drop(connection.await) });
        return Ok(client);
    }
    let (client, connection) = config.connect(connector().map_err(Error::other)?).await?;
    tokio::spawn(async { drop(connection.await) });
    Ok(client)
}

fn connector() -> Result<MakeRustlsConnect, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions()?.with_platform_verifier()?;
    Ok(MakeRustlsConnect::new(builder.with_no_client_auth()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_other_machines_are_reached_by_tls() {
        fn check(url: &str, expect: SslMode) {
            let mut config: Config = url.parse().unwrap();
            settle(&mut config);
            assert_eq!(config.get_ssl_mode(), expect, "{url}");
        }
        check("postgres://me@localhost/annals", SslMode::Disable);
        check("postgres://me@127.0.0.1,[::1]/annals", SslMode::Disable);
        check("postgres://me@%2Frun%2Fpostgresql/annals", SslMode::Disable);
        check("postgres://me@localhost/annals?sslmode=require", SslMode::Require);
        check("postgres://me@db.example.org/annals", SslMode::Require);
        check("postgres://me@db.example.org/annals?sslmode=prefer", SslMode::Require);
        check("postgres://me@localhost,db.example.org/annals", SslMode::Require);
        check("host=localhost hostaddr=192.0.2.1 user=me", SslMode::Require);
        check("postgres://me@db.example.org/annals?sslmode=disable", SslMode::Disable);
    }
}
