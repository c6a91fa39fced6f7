//! Decides to which addresses requests may be sent. A name's resolved address is checked before anything is sent, and the
//! connection goes to exactly that address. Behind a proxy that the environment sets, the proxy resolves the name, and its
//! address is not checked.
//!
//! Whoever controls a DNS name can point it at this machine, the router or a cloud's metadata service later; memories and keys
//! would then be posted to a server that was never meant to get them. So a name must resolve to a public address, reached over
//! TLS. The name `localhost` may resolve to this machine. Other names may resolve to it or to the local network only if the
//! operator allows it (`local_network`). An IP address of this machine or the local network in the configuration is accepted.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Where a host with an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressClass {
    /// An address on the internet.
    Public,
    /// An address of a private network.
    Local,
    /// An address of this machine.
    Here,
    /// An address that no model server can have: cloud metadata, multicast, documentation and reserved addresses.
    Unroutable,
}

/// Returns the class of an address. An IPv6 address that contains an IPv4 address has the class of that address.
pub(crate) fn address_class(address: IpAddr) -> AddressClass {
    match address {
        IpAddr::V4(address) => place_v4(address),
        IpAddr::V6(address) => wrapped(address).map_or_else(|| place_v6(address), place_v4),
    }
}

fn place_v4(address: Ipv4Addr) -> AddressClass {
    match address.octets() {
        [127, ..] => AddressClass::Here,
        [100, 64..128, ..] => AddressClass::Local,
        _ if address.is_private() => AddressClass::Local,
        // Link-local addresses: clouds serve their metadata there.
        [0, ..] | [169, 254, ..] | [192, 0, 0, _] | [198, 18..20, ..] | [224..=255, ..] => AddressClass::Unroutable,
        _ if address.is_documentation() => AddressClass::Unroutable,
        _ => AddressClass::Public,
    }
}

fn place_v6(address: Ipv6Addr) -> AddressClass {
    match address.segments() {
        _ if address.is_loopback() => AddressClass::Here,
        _ if address.is_unique_local() => AddressClass::Local,
        // Teredo and documentation.
        [0x2001, 0 | 0xdb8, ..] => AddressClass::Unroutable,
        [0x2000..0x4000, ..] => AddressClass::Public,
        _ => AddressClass::Unroutable,
    }
}

/// Returns the IPv4 address in an IPv6 one: mapped, or translated by NAT64 or 6to4.
fn wrapped(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => Some(of(high, low)),
        _ => address.to_ipv4_mapped(),
    }
}

/// Rules for the addresses that requests to one endpoint may go to.
#[derive(Clone, Debug)]
pub(crate) struct NetworkPolicy {
    host: String,
    is_encrypted: bool,
    local_network: bool,
}

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The name resolves to an address in the local network or on this machine, which the operator has not allowed.
    Local,
    /// The address is public, and the connection is not encrypted.
    Unencrypted,
    /// No model server can have the address.
    Unroutable,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Local => {
                "its name resolves to an address of this machine or the local network; if that is intended, set \
                 models.local_network = true"
            }
            Refusal::Unencrypted => "it is a public address, for which https:// is required",
            Refusal::Unroutable => "it is an address that no model server can have",
        })
    }
}

impl std::error::Error for Refusal {}

impl NetworkPolicy {
    /// Returns the policy for an endpoint at a URL. `local_network` is the setting of that name.
    pub(crate) fn new(url: &Url, local_network: bool) -> NetworkPolicy {
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        NetworkPolicy { host, is_encrypted: url.scheme() == "https", local_network }
    }

    /// Checks the IP address in the URL, because the resolver is not called for it. Accepts a URL with a host name.
    pub(crate) fn check_written(&self) -> Result<(), Refusal> {
        match self.host.trim_matches(['[', ']']).parse() {
            Ok(address) => self.check(address, true),
            Err(_) => Ok(()),
        }
    }

    /// Checks an address. `is_configured` is true if the operator wrote the address, and false if a DNS server returned it.
    fn check(&self, address: IpAddr, is_configured: bool) -> Result<(), Refusal> {
        match address_class(address) {
            AddressClass::Public if self.is_encrypted => Ok(()),
            AddressClass::Public => Err(Refusal::Unencrypted),
            AddressClass::Here if self.host == "localhost" => Ok(()),
            AddressClass::Here | AddressClass::Local if is_configured || self.local_network => Ok(()),
            AddressClass::Here | AddressClass::Local => Err(Refusal::Local),
            AddressClass::Unroutable => Err(Refusal::Unroutable),
        }
    }

    /// Returns the allowed addresses of a name. If none is allowed, returns the refusal of the last one, or `Unroutable` if the
    /// name has no address.
    fn choose(&self, found: impl IntoIterator<Item = IpAddr>) -> Result<Vec<IpAddr>, Refusal> {
        let (mut good, mut refusal) = (Vec::new(), Refusal::Unroutable);
        for address in found {
            match self.check(address, false) {
                Ok(()) => good.push(address),
                Err(why) => refusal = why,
            }
        }
        if good.is_empty() { Err(refusal) } else { Ok(good) }
    }
}

impl Resolve for NetworkPolicy {
    fn resolve(&self, name: Name) -> Resolving {
        let network_policy = self.clone();
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            // The HTTP client resolves only the names of the endpoint and of the operator's proxy. A proxy resolves the name of
            // the endpoint itself.
            if !name.as_str().eq_ignore_ascii_case(&network_policy.host) {
                return Ok(Box::new(found.into_iter()) as Addrs);
            }
            let good = network_policy.choose(found.iter().map(SocketAddr::ip))?;
            Ok(Box::new(good.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn every_address_has_a_location() {
        fn check(expect: AddressClass, addresses: &[&str]) {
            for address in addresses {
                assert_eq!(address_class(ip(address)), expect, "{address}");
            }
        }
        check(
            AddressClass::Here,
            &["127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"],
        );
        check(
            AddressClass::Local,
            &["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.4", "100.64.0.1", "100.127.255.255"],
        );
        check(AddressClass::Local, &["fd00::1", "fc00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:c0a8:104::1"]);
        check(
            AddressClass::Unroutable,
            &["169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"],
        );
        check(
            AddressClass::Unroutable,
            &["0.0.0.0", "0.1.2.3", "192.0.0.192", "192.0.2.1", "198.18.0.1", "203.0.113.1", "224.0.0.1"],
        );
        check(
            AddressClass::Unroutable,
            &["240.0.0.1", "255.255.255.255", "::", "fe80::1", "ff02::1", "2001:db8::1", "2001::1"],
        );
        check(AddressClass::Unroutable, &["::7f00:1", "100::1", "64:ff9b:1::1", "fec0::1"]);
        check(
            AddressClass::Public,
            &["1.1.1.1", "172.32.0.1", "100.128.0.1", "100.63.255.255", "192.167.1.1", "198.20.0.1"],
        );
        check(
            AddressClass::Public,
            &["2606:4700:4700::1111", "2a00:1450::1", "::ffff:1.1.1.1", "2001:4860:4860::8888"],
        );
    }

    #[test]
    fn address_written_in_the_configuration_is_trusted() {
        fn check(url: &str, expect: Result<(), Refusal>) {
            for local_network in [false, true] {
                assert_eq!(
                    NetworkPolicy::new(&Url::parse(url).unwrap(), local_network).check_written(),
                    expect,
                    "{url}"
                );
            }
        }
        for url in ["http://127.0.0.1:11434/v1", "http://[::1]/v1", "http://192.168.1.4/v1", "http://[fd00::1]/v1"] {
            check(url, Ok(()));
        }
        check("https://1.1.1.1/v1", Ok(()));
        check("http://1.1.1.1/v1", Err(Refusal::Unencrypted));
        check("http://169.254.169.254/v1", Err(Refusal::Unroutable));
        check("https://169.254.169.254/v1", Err(Refusal::Unroutable));
        check("http://[::ffff:169.254.169.254]/v1", Err(Refusal::Unroutable));
        // Other spellings of addresses are recognised too.
        check("http://0xa9fea9fe/v1", Err(Refusal::Unroutable));
        check("http://2852039166/v1", Err(Refusal::Unroutable));
        check("http://0/v1", Err(Refusal::Unroutable));
        check("https://api.example.org/v1", Ok(()));
    }

    #[test]
    fn name_must_resolve_to_public_addresses_unless_local_network_is_set() {
        #[track_caller]
        fn check(url: &str, local_network: bool, found: &[&str], expect: Result<&[&str], Refusal>) {
            let network_policy = NetworkPolicy::new(&Url::parse(url).unwrap(), local_network);
            let chosen = network_policy.choose(found.iter().map(|address| ip(address)));
            assert_eq!(chosen, expect.map(|good| good.iter().map(|address| ip(address)).collect::<Vec<_>>()));
        }
        let (public, plain) = ("https://a.org/v1", "http://a.org/v1");
        check(public, false, &["1.1.1.1"], Ok(&["1.1.1.1"]));
        check(plain, false, &["1.1.1.1"], Err(Refusal::Unencrypted));
        check(plain, true, &["1.1.1.1"], Err(Refusal::Unencrypted));
        for local in ["10.0.0.1", "127.0.0.1", "::1", "fd00::1", "::ffff:192.168.1.1", "100.64.1.1"] {
            check(public, false, &[local], Err(Refusal::Local));
            check(plain, true, &[local], Ok(&[local]));
        }
        check(public, true, &["169.254.169.254"], Err(Refusal::Unroutable));
        check(public, false, &[], Err(Refusal::Unroutable));
        // Only allowed addresses are kept.
        check(public, false, &["10.0.0.1", "1.1.1.1", "::1"], Ok(&["1.1.1.1"]));
        check("http://localhost:11434/v1", false, &["::1", "127.0.0.1"], Ok(&["::1", "127.0.0.1"]));
        check("http://LOCALHOST:11434/v1", false, &["127.0.0.1"], Ok(&["127.0.0.1"]));
        check("http://localhost:11434/v1", false, &["10.0.0.1"], Err(Refusal::Local));
    }

    #[tokio::test]
    async fn resolved_addresses_are_checked_before_use() {
        let judged =
            |url: &str, name: &str| NetworkPolicy::new(&Url::parse(url).unwrap(), false).resolve(name.parse().unwrap());
        assert!(judged("http://localhost/v1", "localhost").await.is_ok_and(|mut found| found.next().is_some()));
        // The proxy's name is not checked.
        assert!(judged("https://a.org/v1", "localhost").await.is_ok());
        let strict = NetworkPolicy { host: "localhost.".into(), is_encrypted: true, local_network: false };
        let Err(error) = strict.resolve("localhost.".parse().unwrap()).await else { panic!("it was let through") };
        assert!(error.is::<Refusal>() || error.is::<std::io::Error>(), "{error}");
    }
}
