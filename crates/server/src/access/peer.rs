//! The remote side of a connection, in the form in which limits count it: an address, or a whole IPv6 network of one household.

use std::net::{IpAddr, Ipv6Addr};

use axum::extract::{ConnectInfo, Request};

/// An IPv4 address, or an IPv6 network of 64 bits, in which one machine can use any number of addresses. The address `::1` is
/// not merged with its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Peer(Option<IpAddr>);

impl Peer {
    /// Stands for all peers that share one limit: those with an unknown address, and those beyond the number of peers that are
    /// counted.
    pub const OTHERS: Peer = Peer(None);

    pub fn at(address: IpAddr) -> Peer {
        Peer(Some(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(Ipv6Addr::LOCALHOST) => Ipv6Addr::LOCALHOST.into(),
            IpAddr::V6(address) => Ipv6Addr::from(u128::from(address) >> 64 << 64).into(),
        }))
    }

    /// Returns whether the peer is another machine. False if the address is unknown.
    pub fn is_elsewhere(self) -> bool {
        self.0.is_some_and(|address| !address.is_loopback())
    }

    /// Returns the peer of a request, or [`Peer::OTHERS`] if it is unknown.
    pub fn of(request: &Request) -> Peer {
        request.extensions().get::<ConnectInfo<Peer>>().map_or(Peer::OTHERS, |ConnectInfo(peer)| *peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_ipv6_network_are_one_peer() {
        fn check(one: &str, other: &str, expect: bool) {
            let [one, other] = [one, other].map(|address| Peer::at(address.parse().unwrap()));
            assert_eq!(one == other, expect, "{one:?} {other:?}");
        }
        check("192.0.2.1", "192.0.2.1", true);
        check("192.0.2.1", "192.0.2.2", false);
        check("192.0.2.1", "::ffff:192.0.2.1", true);
        check("2001:db8::1", "2001:db8::ffff:1", true);
        check("2001:db8::1", "2001:db8:0:1::1", false);
        assert_ne!(Peer::at("::".parse().unwrap()), Peer::OTHERS);
    }

    #[test]
    fn only_loopback_addresses_are_not_elsewhere() {
        for (address, expect) in [
            ("127.0.0.1", false),
            ("127.9.9.9", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("::2", true),
            ("192.0.2.1", true),
        ] {
            assert_eq!(Peer::at(address.parse().unwrap()).is_elsewhere(), expect, "{address}");
        }
    }
}
