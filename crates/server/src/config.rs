//! What a person may set for the service: the tables `[server]`, `[limits]`, `[log]` and `[backup]` of `annals.toml`.
//!
//! Plain data with defaults for a Raspberry Pi, and what is wrong with a value that has the right type. Where a value comes
//! from, and everything about files and the environment, is the command's business. Units are in the names.

use std::net::{Ipv4Addr, SocketAddr};

use annals_core::Fault;
use serde::{Deserialize, Serialize};

/// The table `[server]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Address and port to listen on. Without a key only an address of the machine itself is accepted; 0 takes a free port.
    pub listen: SocketAddr,
    /// Names by which clients may call the service, as in the header `Host`, with a port if it is not the default one. The
    /// address it listens on and `localhost` always hold. Any other name needs a key.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call the service, such as `https://app.example.org`. None unless named; one that is not of
    /// this machine needs a key.
    pub origins: Vec<String>,
    /// The largest body of a request. A message holds at most 256 KiB, so this is at least that.
    pub max_body_kib: u32,
    /// Connections at once; one more waits until another closes. Each costs a file handle and some 20 KiB.
    pub max_connections: u32,
    /// Connections of one address at once, of IPv6 of one network of 64 bits; one more is closed. A proxy is one address.
    pub max_connections_per_peer: u32,
    /// How long the head of a request may take to come in, and how long a connection may wait for the next request.
    pub header_seconds: u32,
    /// How long a request may take. What an ingest waits for memory to become searchable comes on top: at most a minute.
    pub request_seconds: u32,
    /// How long requests under way may still take after the service was told to stop.
    pub drain_seconds: u32,
}

/// The table `[limits]`. Where one is reached the service answers 429 or 503 and says when to come again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Requests of one key in a minute, spread evenly.
    pub requests_per_minute: u32,
    /// Requests of one key that may come at once before the rate holds.
    pub burst: u32,
    /// Requests of one key under way at once.
    pub concurrent: u32,
    /// Messages of one agent that are stored and not yet searchable. A Pi embeds some tens in a second.
    pub lane_depth: u32,
    /// Free space on the disk below which nothing new is taken in.
    pub disk_low_mib: u32,
}

/// The table `[log]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogConfig {
    /// The least grave events that are told.
    pub level: LogLevel,
    /// Lines for people, or JSON for collectors.
    pub format: LogFormat,
}

/// How much is told. Words of memories and keys are never told at `info` or graver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What failed.
    Error,
    /// What a person should look at.
    Warn,
    /// What the service does.
    #[default]
    Info,
    /// How it does it.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    /// As a filter directive.
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

/// The form of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// A line for people.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

/// The table `[backup]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BackupConfig {
    /// A folder, or `s3://bucket/prefix` with credentials in the environment (`AWS_…`).
    pub target: Option<String>,
    /// So many backups stay, older ones are removed after a new one is whole; all stay unless set.
    pub keep: Option<u32>,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7411)),
            hosts: Vec::new(),
            origins: Vec::new(),
            max_body_kib: 1024,
            max_connections: 256,
            max_connections_per_peer: 128,
            header_seconds: 30,
            request_seconds: 60,
            drain_seconds: 20,
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { requests_per_minute: 600, burst: 600, concurrent: 16, lane_depth: 5000, disk_low_mib: 256 }
    }
}

/// No message may be longer, so a smaller body could not carry each.
const LARGEST_MESSAGE_KIB: u32 = 256;

/// A body is read into memory whole.
const LARGEST_BODY_KIB: u32 = 64 * 1024;

/// Units of systemd wait 90 seconds before they kill.
const LONGEST_DRAIN: u32 = 80;

impl ServerConfig {
    /// What is wrong with the values, each named as in the file.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let field = |name: &str| format!("server.{name}");
        within(&mut faults, field("max_body_kib"), self.max_body_kib, LARGEST_MESSAGE_KIB, LARGEST_BODY_KIB);
        within(&mut faults, field("max_connections"), self.max_connections, 1, 50_000);
        let (per_peer, header) = (self.max_connections_per_peer, self.header_seconds);
        within(&mut faults, field("max_connections_per_peer"), per_peer, 1, 50_000);
        within(&mut faults, field("header_seconds"), header, 1, 300);
        within(&mut faults, field("request_seconds"), self.request_seconds, 1, 3600);
        within(&mut faults, field("drain_seconds"), self.drain_seconds, 0, LONGEST_DRAIN);
        for host in self.hosts.iter().filter(|host| !is_host(host)) {
            faults
                .push(Fault::new(field("hosts"), format!("holds {host:?}, which is no name such as example.org:8443")));
        }
        for origin in self.origins.iter().filter(|origin| !is_origin(origin)) {
            let reason = format!("holds {origin:?}, which is no origin such as https://app.example.org");
            faults.push(Fault::new(field("origins"), reason));
        }
        faults
    }

    /// Why others than this machine's own processes can reach the service, in words; none if they cannot. Names of this machine
    /// itself, such as `localhost`, open it to nobody else.
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

impl Limits {
    /// What is wrong with the values, each named as in the file.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let field = |name: &str| format!("limits.{name}");
        within(&mut faults, field("requests_per_minute"), self.requests_per_minute, 1, 1_000_000);
        within(&mut faults, field("burst"), self.burst, 1, 1_000_000);
        within(&mut faults, field("concurrent"), self.concurrent, 1, 10_000);
        within(&mut faults, field("lane_depth"), self.lane_depth, 1, 10_000_000);
        within(&mut faults, field("disk_low_mib"), self.disk_low_mib, 16, 1_048_576);
        faults
    }
}

impl BackupConfig {
    /// What is wrong with the values, each named as in the file.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if let Some(keep) = self.keep {
            within(&mut faults, "backup.keep".into(), keep, 1, 10_000);
        }
        if self.target.as_deref().is_some_and(|target| target.trim().is_empty()) {
            faults.push(Fault::new("backup.target", "is empty"));
        }
        faults
    }
}

fn within(faults: &mut Vec<Fault>, field: String, value: u32, least: u32, most: u32) {
    if !(least..=most).contains(&value) {
        faults.push(Fault::new(field, format!("is {value}; it is at least {least} and at most {most}")));
    }
}

/// A name or address with or without a port, and nothing else of a URL.
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
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn defaults_have_no_faults_and_read_back_as_they_are_written() {
        let (server, limits) = (ServerConfig::default(), Limits::default());
        assert_eq!((server.faults(), limits.faults(), BackupConfig::default().faults()), (vec![], vec![], vec![]));
        assert!(server.listen.ip().is_loopback(), "without a key nobody else may call");
        let again: ServerConfig = serde_json::from_value(serde_json::to_value(&server).unwrap()).unwrap();
        assert_eq!(again, server);
        let none: (ServerConfig, Limits) = serde_json::from_value(json!([{}, {}])).unwrap();
        assert_eq!(none, (server, limits));
    }

    #[test]
    fn a_filter_knows_each_level_by_its_word() {
        for level in ["off", "error", "warn", "info", "debug", "trace"] {
            let parsed: LogLevel = serde_json::from_value(json!(level)).unwrap();
            assert_eq!(parsed.as_str(), level);
        }
    }

    #[test]
    fn values_out_of_range_are_all_named() {
        #[track_caller]
        fn check(server: Value, limits: Value, expect: &[&str]) {
            let server: ServerConfig = serde_json::from_value(server).unwrap();
            let limits: Limits = serde_json::from_value(limits).unwrap();
            let faults = server.faults().into_iter().chain(limits.faults());
            let said: Vec<String> = faults.map(|fault| fault.to_string()).collect();
            assert_eq!(said, expect);
        }
        check(json!({ "max_body_kib": 256, "drain_seconds": 0 }), json!({ "disk_low_mib": 16 }), &[]);
        check(
            json!({ "max_body_kib": 255, "max_connections": 0 }),
            json!({ "burst": 0 }),
            &[
                "server.max_body_kib is 255; it is at least 256 and at most 65536",
                "server.max_connections is 0; it is at least 1 and at most 50000",
                "limits.burst is 0; it is at least 1 and at most 1000000",
            ],
        );
    }

    #[test]
    fn an_address_host_or_origin_of_others_makes_the_service_reachable() {
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
    fn hosts_and_origins_are_plain() {
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
    fn a_backup_keeps_at_least_one() {
        let faults = BackupConfig { target: Some(" ".into()), keep: Some(0) }.faults();
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["backup.keep", "backup.target"]);
    }
}
