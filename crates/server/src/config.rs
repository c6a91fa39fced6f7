//! Configuration of the service: the tables `[server]`, `[log]` and `[backup]` of `annals.toml`. The table `[limits]` is in
//! `annals_service::config`.
//!
//! Plain data with defaults for a Raspberry Pi, and checks of values that have the right type. The command reads the values
//! from files and the environment. Names contain the units.

use std::net::{Ipv4Addr, SocketAddr};

use annals_core::Fault;
use annals_service::config::within;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the service listens, who may call it, and limits on connections and requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Address and port to listen on. Without a key only an address of the machine itself is accepted. Port 0 takes a free port.
    pub listen: SocketAddr,
    /// Names by which clients may call the service, as in the header `Host`, with the port unless it is the default one. The
    /// listen address and `localhost` are always allowed. With any name that is not of this machine, every request needs a key.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call the service, such as `https://app.example.org`. None by default. With any origin that
    /// is not of this machine, every request needs a key.
    pub origins: Vec<String>,
    /// Maximum size of a request body. At least 256, because a message may have 256 KiB. Each connection may hold one body in
    /// memory.
    pub max_body_kib: u32,
    /// Maximum size of an upload to import. It lies on the disk of the data folder until it is imported.
    pub max_upload_mib: u32,
    /// Maximum number of connections at once. Further ones wait until another closes. Each costs a file handle and about 20
    /// KiB.
    pub max_connections: u32,
    /// Maximum number of connections at once of one address, or of one IPv6 network of 64 bits. Further ones are closed. A
    /// proxy is one address.
    pub max_connections_per_peer: u32,
    /// How long the head of a request may take to arrive, and how long a connection may wait for the next request.
    pub header_seconds: u32,
    /// How long a request may take. If an ingest waits for its messages to become searchable, up to a minute is added.
    pub request_seconds: u32,
    /// How long requests in progress may still take after the signal to stop.
    pub drain_seconds: u32,
}

/// What is logged, and in which format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogConfig {
    /// Lowest severity that is logged.
    pub level: LogLevel,
    /// Text for people, or JSON for log collectors.
    pub format: LogFormat,
}

/// How much is logged. Text of memories and keys is never logged at `info` or above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// No log at all.
    Off,
    /// Only failures.
    Error,
    /// Also events that a person should look at.
    Warn,
    /// Also what the service does, with a line for each request.
    #[default]
    Info,
    /// Also how the service does it, such as connections that end early.
    Debug,
    /// Everything, for developers of Annals.
    Trace,
}

impl LogLevel {
    /// Returns the level as a filter directive.
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Off => "off",
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
            LogLevel::Trace => "trace",
        }
    }
}

/// Format of each entry of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// A line of text for people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Where scheduled backups are stored, and how many are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BackupConfig {
    /// An absolute folder, or `s3://bucket/prefix` with credentials in the environment (`AWS_…`).
    pub target: Option<String>,
    /// Number of backups to keep. Older ones are removed after a new one is complete. All are kept if this is not set.
    pub keep: Option<u32>,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7411)),
            hosts: Vec::new(),
            origins: Vec::new(),
            max_body_kib: 1024,
            max_upload_mib: 4096,
            max_connections: 256,
            max_connections_per_peer: 128,
            header_seconds: 30,
            request_seconds: 60,
            drain_seconds: 20,
        }
    }
}

/// Minimum of `max_body_kib`: a body must have room for the longest message.
const MAX_MESSAGE_KIB: u32 = 256;

/// Maximum of `max_body_kib`, because a body is read into memory as a whole.
const MAX_BODY_KIB: u32 = 64 * 1024;

/// Maximum of `drain_seconds`: below the 90 seconds after which systemd kills a unit.
const MAX_DRAIN: u32 = 80;

impl ServerConfig {
    /// Returns the faults of the values, each with the name of the value in the file.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let field = |name: &str| format!("server.{name}");
        within(&mut faults, field("max_body_kib"), self.max_body_kib, MAX_MESSAGE_KIB, MAX_BODY_KIB);
        within(&mut faults, field("max_upload_mib"), self.max_upload_mib, 1, 1 << 20);
        within(&mut faults, field("max_connections"), self.max_connections, 1, 50_000);
        let (per_peer, header) = (self.max_connections_per_peer, self.header_seconds);
        within(&mut faults, field("max_connections_per_peer"), per_peer, 1, 50_000);
        within(&mut faults, field("header_seconds"), header, 1, 300);
        within(&mut faults, field("request_seconds"), self.request_seconds, 1, 3600);
        within(&mut faults, field("drain_seconds"), self.drain_seconds, 0, MAX_DRAIN);
        for host in self.hosts.iter().filter(|host| !is_host(host)) {
            faults.push(Fault::new(
                field("hosts"),
                format!("contains {host:?}, which is not a host name such as example.org:8443"),
            ));
        }
        for origin in self.origins.iter().filter(|origin| !is_origin(origin)) {
            let reason = format!("contains {origin:?}, which is not an origin such as https://app.example.org");
            faults.push(Fault::new(field("origins"), reason));
        }
        faults
    }

    /// Returns the setting because of which others than processes of this machine can reach the service; `None` if they cannot.
    /// Names of this machine, such as `localhost`, do not make the service reachable.
    pub fn reachable_because(&self) -> Option<String> {
        let foreign = |url: &str| url::Url::parse(url).is_ok_and(|url| !is_this_machine(&url));
        let host = self.hosts.iter().find(|host| foreign(&format!("http://{host}")));
        let origin = self.origins.iter().find(|origin| foreign(origin));
        if !self.listen.ip().is_loopback() {
            return Some(format!("server.listen is {}", self.listen));
        }
        let named = |field: &str, name: &String| format!("server.{field} names {name}");
        host.map(|name| named("hosts", name)).or_else(|| origin.map(|name| named("origins", name)))
    }
}

fn is_this_machine(url: &url::Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

impl BackupConfig {
    /// Returns the faults of the values, each with the name of the value in the file.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if let Some(keep) = self.keep {
            within(&mut faults, "backup.keep".into(), keep, 1, 10_000);
        }
        // A relative folder would be another one for each process, by the folder in which it was started.
        let is_relative = |target: &str| !target.contains("://") && !target.starts_with('/');
        match self.target.as_deref() {
            Some(target) if target.trim().is_empty() => faults.push(Fault::new("backup.target", "is empty")),
            Some(target) if is_relative(target) => {
                faults.push(Fault::new("backup.target", format!("is {target:?}; name an absolute folder")));
            }
            _ => {}
        }
        faults
    }
}

/// Returns whether this is a name or address, with or without a port, and no other part of a URL.
fn is_host(host: &str) -> bool {
    is_origin(&format!("http://{host}"))
}

fn is_origin(origin: &str) -> bool {
    let Ok(url) = url::Url::parse(origin) else { return false };
    let is_plain = url.path() == "/" && !origin.ends_with('/') && !origin.contains(['?', '#', '@', '\\']);
    matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain
}

#[cfg(test)]
mod tests {
    use annals_service::config::Limits;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn defaults_are_valid_and_survive_a_round_trip() {
        let (server, limits) = (ServerConfig::default(), Limits::default());
        assert_eq!((server.faults(), limits.faults(), BackupConfig::default().faults()), (vec![], vec![], vec![]));
        assert!(server.listen.ip().is_loopback(), "without a key nobody else may call");
        let again: ServerConfig = serde_json::from_value(serde_json::to_value(&server).unwrap()).unwrap();
        assert_eq!(again, server);
        let none: (ServerConfig, Limits) = serde_json::from_value(json!([{}, {}])).unwrap();
        assert_eq!(none, (server, limits));
    }

    #[test]
    fn each_log_level_is_parsed_and_printed_as_the_same_word() {
        for level in ["off", "error", "warn", "info", "debug", "trace"] {
            let parsed: LogLevel = serde_json::from_value(json!(level)).unwrap();
            assert_eq!(parsed.as_str(), level);
        }
    }

    #[test]
    fn all_values_out_of_range_are_reported() {
        #[track_caller]
        fn check(server: Value, limits: Value, expect: &[&str]) {
            let server: ServerConfig = serde_json::from_value(server).unwrap();
            let limits: Limits = serde_json::from_value(limits).unwrap();
            let faults = server.faults().into_iter().chain(limits.faults());
            let messages: Vec<String> = faults.map(|fault| fault.to_string()).collect();
            assert_eq!(messages, expect);
        }
        check(json!({ "max_body_kib": 256, "drain_seconds": 0 }), json!({ "disk_low_mib": 16 }), &[]);
        check(
            json!({ "max_body_kib": 255, "max_connections": 0 }),
            json!({ "burst": 0 }),
            &[
                "server.max_body_kib is 255; 256 to 65536 are allowed",
                "server.max_connections is 0; 1 to 50000 are allowed",
                "limits.burst is 0; 1 to 1000000 are allowed",
            ],
        );
    }

    #[test]
    fn foreign_address_host_or_origin_makes_the_service_reachable() {
        #[track_caller]
        fn check(listen: &str, hosts: &[&str], origins: &[&str], expect: Option<&str>) {
            let strings = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
            let listen = listen.parse().unwrap();
            let config =
                ServerConfig { listen, hosts: strings(hosts), origins: strings(origins), ..ServerConfig::default() };
            assert_eq!(config.reachable_because().as_deref(), expect);
        }
        let here = "127.0.0.1:7411";
        check(here, &[], &[], None);
        check("[::1]:7411", &["localhost:7411", "127.0.0.1", "[::1]:80"], &["http://localhost:3000"], None);
        check("0.0.0.0:7411", &[], &[], Some("server.listen is 0.0.0.0:7411"));
        check(here, &["localhost", "a.org"], &[], Some("server.hosts names a.org"));
        check(here, &["localhost.a.org"], &[], Some("server.hosts names localhost.a.org"));
        check(here, &["192.168.1.4"], &[], Some("server.hosts names 192.168.1.4"));
        check(here, &[], &["https://a.org"], Some("server.origins names https://a.org"));
    }

    #[test]
    fn hosts_and_origins_with_other_url_parts_are_refused() {
        for host in ["example.org", "example.org:8443", "192.168.1.4:7411", "[::1]:7411", "raspberrypi.local"] {
            assert!(is_host(host), "{host}");
        }
        for host in ["", "https://example.org", "example.org/", "example.org/path", "user@example.org", "a b", "x:y"] {
            assert!(!is_host(host), "{host}");
        }
        for origin in ["https://app.example.org", "http://localhost:3000"] {
            assert!(is_origin(origin), "{origin}");
        }
        for origin in ["*", "null", "app.example.org", "https://app.example.org/", "ftp://example.org", "https://"] {
            assert!(!is_origin(origin), "{origin}");
        }
    }

    #[test]
    fn backup_without_target_name_or_with_zero_keep_is_refused() {
        fn check(target: &str, keep: u32, expect: &[&str]) {
            let faults = BackupConfig { target: Some(target.into()), keep: Some(keep) }.faults();
            assert_eq!(faults.iter().map(|fault| fault.field.as_str()).collect::<Vec<_>>(), expect, "{target}");
        }
        check(" ", 0, &["backup.keep", "backup.target"]);
        check("backups", 1, &["backup.target"]);
        check("/mnt/backups", 1, &[]);
        check("s3://bucket/backups", 1, &[]);
    }
}
