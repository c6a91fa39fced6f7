//! The table `[cluster]`: how this node and the others share a database and a bucket.

use std::time::Duration;

use annals_core::Fault;
use annals_service::config::within;
use schemars::JsonSchema;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::catalog::{redacted, secret};

const ADDRESS: &str = "cluster.address";
const KEY: &str = "cluster.key";

/// Minimum number of characters of the key, so that nobody guesses it.
const MIN_KEY: usize = 32;

/// The table `[cluster]`: this process as one of several nodes over the same database and bucket.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ClusterConfig {
    /// The URL at which the other nodes reach this one, such as `http://10.0.0.5:7411`. With it `annals serve` is a node of a
    /// cluster: one node at a time is active, and the others forward requests to it. All nodes need the same `catalog.url` and
    /// `objects.url`. Nodes talk to each other without encryption.
    pub address: Option<String>,
    /// How many seconds after the active node fails another one may take over. The clocks of the nodes need not agree.
    pub lease_seconds: u32,
    /// A secret that is the same on all nodes, of at least 32 letters, digits and signs. With it, standby nodes answer searches and
    /// embed texts, and commands in their folders go to the active node. Whoever has it may do with the memory what a user of the data
    /// folder may do.
    #[serde(deserialize_with = "secret", serialize_with = "redacted")]
    #[schemars(with = "Option<String>")]
    pub key: Option<SecretString>,
}

impl Default for ClusterConfig {
    fn default() -> ClusterConfig {
        ClusterConfig { address: None, lease_seconds: 15, key: None }
    }
}

impl ClusterConfig {
    /// Returns the address of this node as `host:port`; `None` if it is no node of a cluster or the address is not valid.
    pub(crate) fn node(&self) -> Option<&str> {
        self.address.as_deref().and_then(host_and_port)
    }

    /// Returns the length of the lease.
    pub(crate) fn lease(&self) -> Duration {
        Duration::from_secs(self.lease_seconds.into())
    }

    /// Returns the faults of the values, each named as in the file. `is_shared` says whether the catalog is in a database, and
    /// tables and facts in a bucket.
    pub(super) fn faults(&self, is_shared: bool) -> Vec<Fault> {
        let mut faults = Vec::new();
        within(&mut faults, "cluster.lease_seconds".into(), self.lease_seconds, 3, 300);
        let is_key = |key: &str| key.len() >= MIN_KEY && key.bytes().all(|byte| byte.is_ascii_graphic());
        if self.key.as_ref().is_some_and(|key| !is_key(key.expose_secret())) {
            faults
                .push(Fault::new(KEY, format!("must have at least {MIN_KEY} letters, digits or signs, and no spaces")));
        }
        let Some(address) = &self.address else { return faults };
        if host_and_port(address).is_none() {
            faults.push(Fault::new(ADDRESS, format!("is {address:?}; an example is http://10.0.0.5:7411")));
        }
        if !is_shared {
            faults.push(Fault::new(ADDRESS, "needs catalog.url and objects.url, which all nodes share"));
        }
        faults
    }
}

/// Returns `host:port` of the URL of a node; `None` if it is no such URL.
pub(crate) fn host_and_port(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("http://")?;
    let (host, port) = rest.rsplit_once(':')?;
    let is_host = !host.is_empty() && !host.contains(['/', '@', '?', '#', ' ']);
    (is_host && port.parse::<u16>().is_ok_and(|port| port > 0)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_names_host_and_port() {
        fn check(address: &str, expect: Option<&str>) {
            let config = ClusterConfig { address: Some(address.into()), ..ClusterConfig::default() };
            assert_eq!(config.node(), expect, "{address}");
            assert_eq!(config.faults(true).is_empty(), expect.is_some(), "{address}");
        }
        check("http://10.0.0.5:7411", Some("10.0.0.5:7411"));
        check("http://node-1.internal:80", Some("node-1.internal:80"));
        check("http://[fd00::5]:7411", Some("[fd00::5]:7411"));
        for wrong in ["10.0.0.5:7411", "http://10.0.0.5", "https://a:1", "http://:1", "http://a:0", "http://a:1/", ""] {
            check(wrong, None);
        }
    }

    #[test]
    fn cluster_needs_a_database_a_bucket_and_a_lease_of_some_seconds() {
        fn check(address: Option<&str>, lease_seconds: u32, is_shared: bool, expect: &[&str]) {
            let config = ClusterConfig { address: address.map(Into::into), lease_seconds, key: None };
            let faults = config.faults(is_shared);
            assert_eq!(faults.iter().map(|fault| fault.field.as_str()).collect::<Vec<_>>(), expect);
        }
        check(None, 15, false, &[]);
        check(Some("http://a:1"), 3, true, &[]);
        check(Some("http://a:1"), 15, false, &["cluster.address"]);
        check(None, 2, false, &["cluster.lease_seconds"]);
        check(None, 301, false, &["cluster.lease_seconds"]);
    }

    #[test]
    fn key_is_long_and_can_be_sent_in_a_header() {
        for (key, expect) in [("x".repeat(32), true), ("x".repeat(31), false), ("x ".repeat(20), false)] {
            let config = ClusterConfig { key: Some(key.clone().into()), ..ClusterConfig::default() };
            assert_eq!(config.faults(true).is_empty(), expect, "{key}");
        }
    }
}
