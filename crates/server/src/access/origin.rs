//! Checks Host and Origin: the names of this service, and the web pages that may call it.
//!
//! This prevents DNS rebinding: a page of any site can let its own name resolve to 127.0.0.1, and then call us as its own
//! origin. The browser sends that name in `Host`, so unknown names are refused. An IP address cannot be rebound, so each
//! address on which the service listens is accepted. The ports of addresses and of `localhost` are ignored, because containers
//! and proxies change them; a configured name must match with its port. Both headers may be missing. Programs may send neither.
//! Browsers always send `Host`; they leave out `Origin` only where no other site can read the answer.

use std::net::IpAddr;

use annals_service::Service;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header};
use axum::middleware::Next;

use crate::config::ServerConfig;
use crate::rest::Problem;

/// Request headers that an allowed page may send.
const HEADERS: &str = "authorization, content-type, idempotency-key, last-event-id, mcp-protocol-version, mcp-session-id, \
                       x-api-key, x-request-id";
/// Response headers that an allowed page may read.
const EXPOSED: &str = "mcp-session-id, retry-after, www-authenticate, x-request-id";
const METHODS: &str = "GET, POST, PUT, PATCH, DELETE";

/// Names of this service, and origins of other pages that may call it.
#[derive(Clone, Debug)]
pub struct Places {
    listen: IpAddr,
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// What the headers Host and Origin show about the sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// From a program, or from a page that this service serves.
    Ours,
    /// From a page that the configuration names. Its browser needs CORS headers.
    Page,
    /// Addressed to an unknown host name.
    StrangeHost,
    /// From a page that neither the configuration names nor this service serves.
    StrangeOrigin,
}

impl Places {
    /// Reads the names and origins from a configuration, in lower case.
    pub fn new(config: &ServerConfig) -> Places {
        let lower = |names: &[String]| names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Places { listen: config.listen.ip(), hosts: lower(&config.hosts), origins: lower(&config.origins) }
    }

    /// Checks the authority and the `Origin` of a request, if it has them. `keyed` means that a valid key exists, so that every
    /// request needs one anyway. Then any host name is accepted if the service listens beyond this machine and the
    /// configuration names no hosts.
    pub fn verdict(&self, authority: Option<&str>, origin: Option<&str>, keyed: bool) -> Verdict {
        let authority = authority.map(str::to_ascii_lowercase);
        if authority.as_deref().is_some_and(|authority| !self.is_ours(authority, keyed)) {
            return Verdict::StrangeHost;
        }
        let Some(origin) = origin.map(str::to_ascii_lowercase) else { return Verdict::Ours };
        let own = origin.split_once("://").map(|(scheme, rest)| without_default(scheme, rest));
        if self.origins.contains(&origin) {
            Verdict::Page
        } else if own.is_some_and(|own| authority.as_deref() == Some(own)) {
            Verdict::Ours
        } else {
            Verdict::StrangeOrigin
        }
    }

    fn is_ours(&self, authority: &str, keyed: bool) -> bool {
        let Some(name) = name_of(authority) else { return false };
        let address = name.parse::<IpAddr>().ok();
        let is_loopback = is_loopback(name);
        let is_listened_on = address.is_some_and(|address| address == self.listen || self.listen.is_unspecified());
        let is_named = self.hosts.iter().any(|host| {
            host == authority || ["http", "https"].iter().any(|scheme| host == without_default(scheme, authority))
        });
        is_loopback || is_listened_on || is_named || keyed && self.may_have_any_name()
    }

    /// Returns whether requests may name any host, as long as every request needs a key.
    fn may_have_any_name(&self) -> bool {
        !self.listen.is_loopback() && self.hosts.is_empty()
    }
}

/// Returns whether the authority of a request is a loopback name or address. Also true for a request without an authority, as
/// programs may send it.
pub(crate) fn calls_this_machine(uri: &Uri, headers: &HeaderMap) -> bool {
    let Ok(authority) = authority(uri, headers) else { return false };
    let name = authority.map(|authority| name_of(authority).unwrap_or_default().to_ascii_lowercase());
    name.is_none_or(|name| is_loopback(&name))
}

fn is_loopback(name: &str) -> bool {
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns the name or address of `name:port`. None if the text is neither.
fn name_of(authority: &str) -> Option<&str> {
    let (name, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => authority.split_once(':').map_or((authority, ""), |(name, _)| (name, &authority[name.len()..])),
    };
    let port_fits = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    (port_fits && !name.is_empty()).then_some(name)
}

fn without_default<'a>(scheme: &str, authority: &'a str) -> &'a str {
    let port = if scheme == "https" { ":443" } else { ":80" };
    authority.strip_suffix(port).unwrap_or(authority)
}

/// Refuses requests to unknown hosts or from unknown origins, and adds CORS headers to answers for allowed pages.
pub async fn check_origin(
    State((service, rules)): State<(Service, Places)>,
    request: Request,
    next: Next,
) -> Result<Response<Body>, Problem> {
    let headers = request.headers();
    let authority = authority(request.uri(), headers)?;
    let origin = only(headers, &header::ORIGIN, || strange_origin("more than one"))?.map(str::to_owned);
    let mut verdict = rules.verdict(authority, origin.as_deref(), false);
    // Keys are read only if they decide: anybody can name another host, and the catalog has other work.
    if verdict == Verdict::StrangeHost && rules.may_have_any_name() {
        verdict = rules.verdict(authority, origin.as_deref(), service.has_valid_key(service.now()).await?);
    }
    match verdict {
        Verdict::Ours => Ok(next.run(request).await),
        Verdict::Page => Ok(with_leave(origin.as_deref(), request, next).await),
        Verdict::StrangeHost => {
            let detail = "the host in this URL is not allowed; the operator can add it to server.hosts";
            Err(Problem::new(StatusCode::FORBIDDEN, "host_not_allowed", detail))
        }
        Verdict::StrangeOrigin => Err(strange_origin("that page's")),
    }
}

fn strange_origin(what: &str) -> Problem {
    let detail = format!("{what} Origin is not allowed; the operator can add it to server.origins");
    Problem::new(StatusCode::FORBIDDEN, "origin_not_allowed", detail)
}

fn authority<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Result<Option<&'a str>, Problem> {
    let twice = || Problem::new(StatusCode::FORBIDDEN, "host_not_allowed", "the request has more than one Host header");
    let host = only(headers, &header::HOST, twice)?;
    // An authority in the request line takes precedence over the header.
    Ok(uri.authority().map(axum::http::uri::Authority::as_str).or(host))
}

/// Returns the value of a header, if the request has it. Fails with `twice` if the header occurs more than once. A value that
/// is not text is replaced by one that matches no known name.
fn only<'a>(
    headers: &'a HeaderMap,
    name: &header::HeaderName,
    twice: impl Fn() -> Problem,
) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let first = values.next().map(|value| value.to_str().unwrap_or("\u{fffd}"));
    if values.next().is_some() { Err(twice()) } else { Ok(first) }
}

async fn with_leave(origin: Option<&str>, request: Request, next: Next) -> Response<Body> {
    let asks_first =
        request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if asks_first { leave() } else { next.run(request).await };
    let headers = response.headers_mut();
    let origin = origin.and_then(|origin| HeaderValue::from_str(origin).ok());
    headers.extend(origin.map(|origin| (header::ACCESS_CONTROL_ALLOW_ORIGIN, origin)));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    response
}

fn leave() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(HEADERS));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(listen: &str, hosts: &[&str], origins: &[&str]) -> Places {
        let strings = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        Places::new(&ServerConfig {
            listen: listen.parse().unwrap(),
            hosts: strings(hosts),
            origins: strings(origins),
            ..ServerConfig::default()
        })
    }

    #[test]
    fn unknown_host_is_refused() {
        #[track_caller]
        fn check(listen: &str, hosts: &[&str], keyed: bool, host: &str, expect: bool) {
            let verdict = rules(listen, hosts, &[]).verdict(Some(host), None, keyed);
            assert_eq!(verdict, if expect { Verdict::Ours } else { Verdict::StrangeHost }, "{host}");
        }
        let (here, everywhere) = ("127.0.0.1:7411", "0.0.0.0:7411");
        for ours in
            ["localhost", "localhost:7411", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:9", "127.1.2.3", "[::1]:7411"]
        {
            check(here, &[], false, ours, true);
            check(everywhere, &["a.org"], true, ours, true);
        }
        for strange in
            ["evil.org", "localhost.evil.org", "evil.org:7411", "127.0.0.1.evil.org", "192.168.1.4", "", ":80"]
        {
            check(here, &[], false, strange, false);
            check(here, &[], true, strange, false);
        }
        for broken in
            ["localhost:", "localhost:x", "localhost:99999", "[::1", "[::1]x", "localhost:80:80", "a@localhost"]
        {
            check(here, &[], false, broken, false);
        }
        // On an address that others reach, any name is accepted if a key is needed anyway and no hosts are configured.
        check(everywhere, &[], true, "annals.example.org", true);
        check(everywhere, &[], false, "annals.example.org", false);
        check(everywhere, &["a.org"], true, "annals.example.org", false);
        check("192.168.1.4:7411", &["a.org"], true, "192.168.1.4:7411", true);
        check("192.168.1.4:7411", &["a.org"], true, "192.168.1.5", false);
        check(everywhere, &["a.org"], true, "192.168.1.5", true);
        check(here, &["A.org"], false, "a.ORG", true);
        check(here, &["a.org"], false, "a.org:443", true);
        check(here, &["a.org"], false, "a.org:8443", false);
        check(here, &["a.org:8443"], false, "a.org:8443", true);
        check(here, &["a.org:8443"], false, "a.org", false);
    }

    #[test]
    fn origin_is_own_or_configured_or_refused() {
        #[track_caller]
        fn check(host: Option<&str>, origin: &str, expect: Verdict) {
            let rules = rules("127.0.0.1:7411", &["a.org"], &["https://app.example.org", "http://localhost:3000"]);
            assert_eq!(rules.verdict(host, Some(origin), false), expect, "{host:?} {origin}");
        }
        check(Some("localhost:7411"), "http://localhost:7411", Verdict::Ours);
        check(Some("a.org"), "https://a.org", Verdict::Ours);
        check(Some("a.org"), "https://a.org:443", Verdict::Ours);
        check(Some("localhost:7411"), "https://app.example.org", Verdict::Page);
        check(Some("localhost:7411"), "HTTPS://App.Example.org", Verdict::Page);
        check(None, "http://localhost:3000", Verdict::Page);
        check(Some("localhost:7411"), "http://localhost:3001", Verdict::StrangeOrigin);
        check(Some("localhost:7411"), "http://app.example.org", Verdict::StrangeOrigin);
        check(Some("localhost:7411"), "https://app.example.org.evil.org", Verdict::StrangeOrigin);
        check(Some("localhost:7411"), "null", Verdict::StrangeOrigin);
        check(Some("localhost:7411"), "", Verdict::StrangeOrigin);
        check(None, "https://evil.org", Verdict::StrangeOrigin);
        check(Some("evil.org"), "https://app.example.org", Verdict::StrangeHost);
        check(Some("evil.org"), "http://evil.org", Verdict::StrangeHost);
    }

    #[test]
    fn request_without_host_and_origin_is_accepted() {
        assert_eq!(rules("127.0.0.1:7411", &[], &[]).verdict(None, None, false), Verdict::Ours);
    }
}
