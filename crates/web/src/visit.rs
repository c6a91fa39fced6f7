//! The middleware around every page: finds the visitor, refuses a change without its token, and adds headers that keep a
//! browser from loading from or sending to other sites.

use annals_core::ports::Scope;
use annals_core::{Agent, Error};
use annals_service::{Caller, Service};
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::failure::{Failure, RaisedFailure};
use crate::fields::Fields;
use crate::session::is_same;
use crate::site::Site;

/// Name of the cookie that holds the secret id of a session.
pub(crate) const COOKIE: &str = "annals_session";
/// Name of the field that holds the token of a change.
pub(crate) const TOKEN: &str = "token";
/// Maximum size of a form: a corrected text has at most 256 KiB, and percent-encoding makes up to three bytes of one.
const MAX_FORM_BYTES: usize = 1 << 20;

/// The content security policy: nothing inline, nothing from other sites.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
];

/// The person who requests a page: the holder of a session's key, or a caller without a key.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    pub(crate) caller: Caller,
    /// The token that changes of the visitor require.
    pub(crate) token: String,
}

impl Visitor {
    /// Returns the service for a request of the visitor: models that work on it are paid by the visitor's key too.
    pub(crate) fn service(&self, site: &Site) -> Service {
        site.service.called_by(&self.caller)
    }

    /// Returns an error unless the visitor has the scope.
    pub(crate) fn needs(&self, scope: Scope) -> Result<(), Failure> {
        if self.caller.may(scope) { Ok(()) } else { Err(Failure::Scope(scope)) }
    }

    /// Returns an error unless the visitor may administer the whole process.
    pub(crate) fn needs_all(&self) -> Result<(), Failure> {
        self.needs(Scope::Admin)?;
        if self.caller.sees_all() { Ok(()) } else { Err(Failure::Operator) }
    }

    pub(crate) fn is_operator(&self) -> bool {
        self.caller.may(Scope::Admin) && self.caller.sees_all()
    }

    /// Returns the agent of this name. Returns an error if the agent does not exist, or if the visitor may not use it with the
    /// scope.
    pub(crate) async fn agent(&self, service: &Service, name: &str, scope: Scope) -> Result<Agent, Failure> {
        self.needs(scope)?;
        Ok(service.known(service.agent(&self.caller, name).await?).await?)
    }
}

impl FromRequestParts<Site> for Visitor {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &Site) -> Result<Visitor, Failure> {
        let found = parts.extensions.get::<Visitor>().cloned();
        found.ok_or_else(|| Failure::Login { to: parts.uri.to_string() })
    }
}

/// Finds the visitor by the cookie of a session. Without a session, or if the key of the session is no longer valid, uses the
/// caller that the server has found. Shows errors as pages.
pub async fn recognise(State(site): State<Site>, mut request: Request, next: Next) -> Response {
    let id = session_id(request.headers()).map(str::to_owned);
    let caller = request.extensions().get::<Caller>().cloned();
    let visitor = match visitor(&site, id.as_deref(), caller).await {
        Ok(visitor) => visitor,
        Err(error) => return framed(&site, None, Failure::from(error).into_response()),
    };
    if let Some(visitor) = &visitor {
        request.extensions_mut().insert(visitor.caller.clone());
        request.extensions_mut().insert(visitor.clone());
    }
    let response = next.run(request).await;
    framed(&site, visitor.as_ref(), response)
}

async fn visitor(site: &Site, id: Option<&str>, caller: Option<Caller>) -> Result<Option<Visitor>, Error> {
    let now = site.service.now();
    if let Some(session) = id.and_then(|id| site.sessions.find(id, now)) {
        // If the key is no longer valid, the session is ignored. The visitor may still be a caller without a key.
        if let Some(key) = site.service.valid_key(&session.key, now).await? {
            return Ok(Some(Visitor { caller: Caller::of(key), token: session.token }));
        }
    }
    let token = site.sessions.shared_token().to_owned();
    Ok(caller.map(|caller| Visitor { caller, token }))
}

/// Returns the secret id of the session that a request names.
pub(crate) fn session_id(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, id)| id)
}

fn framed(site: &Site, visitor: Option<&Visitor>, response: Response) -> Response {
    let raised = response.extensions().get::<RaisedFailure>().cloned();
    let mut response = raised.map_or(response, |RaisedFailure(failure)| failure.page(visitor, site.status_of));
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, value);
    }
    // Pages show memories, which must not remain in a cache after they are forgotten.
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Reads the form of a change, and refuses a change without the token of its visitor. Only this function reads forms, except
/// those with an upload, so no handler can omit the check.
pub(crate) async fn check_token(State(site): State<Site>, request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, MAX_FORM_BYTES).await else { return Failure::TooLarge.into_response() };
    let fields = Fields::parse(&bytes);
    let visitor = parts.extensions.get::<Visitor>();
    let expected = visitor.map_or(site.sessions.shared_token(), |visitor| &visitor.token);
    if !is_same(fields.get(TOKEN).unwrap_or_default(), expected) {
        return Failure::Token.into_response();
    }
    parts.extensions.insert(fields);
    next.run(Request::from_parts(parts, Body::empty())).await
}

pub(crate) fn empty(status: StatusCode) -> Response {
    status.into_response()
}
