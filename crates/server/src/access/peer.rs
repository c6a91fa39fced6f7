//! Who is at the other end of a connection, as far as limits go: an address, or a whole IPv6 network of one household.

use std::net::{IpAddr, Ipv6Addr};

use axum::extract::ConnectInfo;
use axum::extract::Request;
use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use tokio::net::TcpListener;

use super::Connections;

/// An IPv4 address or an IPv6 network of 64 bits, out of which anybody can take as many addresses as they like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Peer(Option<IpAddr>);

impl Peer {
    /// All those that are not told apart.
    pub const OTHERS: Peer = Peer(None);

    /// The peer at an address.
    pub fn at(address: IpAddr) -> Peer {
        Peer(Some(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => Ipv6Addr::from(u128::from(address) >> 64 << 64).into(),
        }))
    }

    /// The peer that a request came from.
    pub fn of(request: &Request) -> Peer {
        request.extensions().get::<ConnectInfo<Peer>>().map_or(Peer::OTHERS, |ConnectInfo(peer)| *peer)
    }
}

impl Connected<IncomingStream<'_, Connections<TcpListener>>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Connections<TcpListener>>) -> Peer {
        Peer::at(stream.remote_addr().ip())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_household_are_one_peer() {
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
}
