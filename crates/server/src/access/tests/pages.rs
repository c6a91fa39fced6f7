//! The pages for people: sessions, form tokens, scopes, headers, and escaping of the texts of memories.

mod facts;
mod imports;
mod live;

use annals_core::Agent;
use annals_testkit::{at, message};
use annals_web::{CHANGES, Site};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, header};
use tower::ServiceExt;

use super::{AGENT, KEYS, OTHER, SECRETS, World, key, tells_nothing};
use crate::config::ServerConfig;
use crate::fixture::{self, NOW};
use crate::{public_with_pages, site};

/// The pages of an agent and of the service that a visitor can see.
const PAGES: [&str; 11] = [
    "/agents/zebra-seven",
    "/agents/zebra-seven?period=2026-W10&open=2026-03-04",
    "/agents/zebra-seven?period=2020s",
    "/agents/zebra-seven/search?q=trip&explain=yes",
    "/agents/zebra-seven/context?prompt=Where+does+Ann+live",
    "/agents/zebra-seven/facts?about=Ann",
    "/agents/zebra-seven/facts?as_of=2026-03-01&compare=2026-03-09",
    "/agents/zebra-seven/status",
    "/agents/zebra-seven/memories/{id}",
    "/costs?agent=zebra-seven",
    "/?all=yes",
];
/// Pages that need the scope `admin`.
const RULED: [&str; 4] = ["/jobs", "/keys", "/operator", "/agents/zebra-seven/forget?conversation=talk"];

/// A browser, which sends the cookie that it received with each request.
pub(super) struct Browser {
    app: Router,
    cookie: Option<String>,
}

pub(super) struct Page {
    pub(super) status: u16,
    response: Response<()>,
    text: String,
}

impl Browser {
    fn new(site: &Site) -> Browser {
        Browser { app: public_with_pages(&site.service, &ServerConfig::default(), Some(site)), cookie: None }
    }

    /// Signs in with a key.
    pub(super) async fn with(site: &Site, name: &str) -> Browser {
        let mut browser = Browser::new(site);
        let page = browser.sign_in(&key(name)).await;
        assert_eq!(page.status, 303, "{name}: {}", page.text);
        browser.cookie = page.header(header::SET_COOKIE).split(';').next().map(str::to_owned);
        browser
    }

    async fn sign_in(&self, key: &str) -> Page {
        let token = self.get("/login").await.token();
        self.post("/login", &[("key", key), ("token", &token)]).await
    }

    pub(super) async fn get(&self, path: &str) -> Page {
        self.send("GET", path, String::new()).await
    }

    pub(super) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.send("POST", path, form).await
    }

    async fn send(&self, method: &str, path: &str, body: String) -> Page {
        self.send_as(method, path, "application/x-www-form-urlencoded", body).await
    }

    async fn send_as(&self, method: &str, path: &str, kind: &str, body: String) -> Page {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "localhost");
        request = request.header(header::CONTENT_TYPE, kind);
        if let Some(cookie) = &self.cookie {
            request = request.header(header::COOKIE, cookie);
        }
        let response = self.app.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let text = String::from_utf8(to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap();
        Page { status: parts.status.as_u16(), response: Response::from_parts(parts, ()), text }
    }
}

impl Page {
    fn header(&self, name: header::HeaderName) -> &str {
        self.response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Returns the token of the first form.
    pub(super) fn token(&self) -> String {
        let value = self.text.split("name=\"token\" value=\"").nth(1).expect(&self.text);
        value.split('"').next().unwrap().to_owned()
    }
}

async fn world() -> (World, Site) {
    let world = World::new().await;
    let site = site(&world.service, None).unwrap();
    (world, site)
}

fn path(template: &str, world: &World) -> String {
    template.replace("{agent}", AGENT).replace("{id}", &world.memory)
}

#[tokio::test]
async fn change_without_the_token_of_its_session_is_refused() {
    let (world, site) = world().await;
    let before = world.export().await;
    let (browser, stranger) = (Browser::with(&site, "all").await, Browser::with(&site, "admin").await);
    let token = stranger.get("/keys").await.token();
    for template in CHANGES {
        let path = path(template, &world);
        let fields = [
            ("text", "x"),
            ("pinned", "true"),
            ("sure", "yes"),
            ("id", world.memory.as_str()),
            ("name", "n"),
            ("scope", "admin"),
        ];
        for wrong in [None, Some(""), Some("x"), Some(token.as_str())] {
            let token = wrong.map(|token| ("token", token));
            let page = browser.post(&path, &fields.into_iter().chain(token).collect::<Vec<_>>()).await;
            assert_eq!(page.status, 403, "{template} {wrong:?}");
        }
    }
    assert_eq!(world.export().await, before);
    assert_eq!(site.service.keys(at(NOW)).await.unwrap().len(), KEYS.len());
    let routes = include_str!("../../../../web/src/site.rs").matches("post(").count();
    assert_eq!(routes, CHANGES.len(), "a new change needs a line in CHANGES");
}

#[tokio::test]
async fn pages_need_a_session_and_disclose_nothing_without() {
    let (world, site) = world().await;
    let browser = Browser::new(&site);
    for template in PAGES.iter().chain(&RULED) {
        let page = browser.get(&path(template, &world)).await;
        assert_eq!(page.status, 303, "{template}");
        assert!(page.header(header::LOCATION).starts_with("/login?to=%2F"), "{template}");
        tells_nothing(template, &page.text.into());
    }
    let forged = Browser { cookie: Some("annals_session=x".into()), ..Browser::new(&site) };
    assert_eq!(forged.get(PAGES[0]).await.status, 303);
}

#[tokio::test]
async fn session_is_a_random_id_that_no_script_can_read() {
    let (_, site) = world().await;
    let browser = Browser::new(&site);
    let page = browser.sign_in(&key("all")).await;
    let cookie = page.header(header::SET_COOKIE);
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert!(!cookie.contains("annals_a") && !cookie.contains(&key("all")), "{cookie}");
    let malformed = ["", "annals"].map(str::to_owned);
    for wrong in malformed.into_iter().chain([key("revoked"), key("expired"), key("all") + "a"]) {
        let page = browser.sign_in(&wrong).await;
        assert_eq!((page.status, page.header(header::SET_COOKIE)), (401, ""), "{wrong}");
    }
}

#[tokio::test]
async fn guessing_keys_is_slowed_down() {
    let (_, site) = world().await;
    let browser = Browser::new(&site);
    let mut last = 0;
    for _ in 0..40 {
        last = browser.sign_in("annals_x_y").await.status;
    }
    assert_eq!(last, 429);
}

#[tokio::test]
async fn session_ends_with_its_key_and_on_signing_out() {
    let (_, site) = world().await;
    let browser = Browser::with(&site, "search").await;
    assert_eq!(browser.get(PAGES[0]).await.status, 200);
    let id = key("search").split('_').nth(1).unwrap().to_owned();
    site.service.revoke_key(&id, at(NOW)).await.unwrap();
    assert_eq!(browser.get(PAGES[0]).await.status, 303);
    let browser = Browser::with(&site, "all").await;
    let token = browser.get(PAGES[0]).await.token();
    assert_eq!(browser.post("/logout", &[("token", &token)]).await.status, 303);
    assert_eq!(browser.get(PAGES[0]).await.status, 303);
}

#[tokio::test]
async fn scopes_and_borders_of_keys_are_those_of_rest() {
    let (world, site) = world().await;
    for (name, read, ruled) in [("search", 200, 403), ("ingest", 403, 403), ("all", 200, 200), ("admin", 200, 200)] {
        let browser = Browser::with(&site, name).await;
        for template in PAGES {
            assert_eq!(browser.get(&path(template, &world)).await.status, read, "{name} {template}");
        }
        for template in RULED {
            assert_eq!(browser.get(template).await.status, ruled, "{name} {template}");
        }
    }
    for name in ["foreign", "bound"] {
        let browser = Browser::with(&site, name).await;
        for template in PAGES.iter().take(10) {
            let page = browser.get(&path(template, &world)).await;
            assert_eq!(page.status, 404, "{name} {template}");
            tells_nothing(template, &page.text.into());
        }
        for template in ["/jobs", "/keys", "/operator"] {
            assert_eq!(browser.get(template).await.status, 403, "{name} {template}");
        }
    }
}

/// A valid form token does not replace a scope that the key lacks.
#[tokio::test]
async fn changes_need_the_scope_too() {
    let (world, site) = world().await;
    let before = world.export().await;
    let browser = Browser::with(&site, "search").await;
    let token = browser.get(PAGES[0]).await.token();
    let fields =
        [("token", token.as_str()), ("text", "x"), ("pinned", "true"), ("sure", "yes"), ("id", world.memory.as_str())];
    for template in CHANGES.iter().filter(|template| !["/login", "/logout"].contains(template)) {
        let page = browser.post(&path(template, &world), &fields).await;
        assert_eq!(page.status, 403, "{template}");
    }
    assert_eq!(world.export().await, before);
}

#[tokio::test]
async fn pages_load_and_run_nothing_from_elsewhere() {
    let (world, site) = world().await;
    let browser = Browser::with(&site, "all").await;
    for template in PAGES.iter().chain(&RULED).chain(&["/login", "/agents/nobody"]) {
        let page = browser.get(&path(template, &world)).await;
        let policy = page.header(header::CONTENT_SECURITY_POLICY);
        assert!(policy.starts_with("default-src 'self';") && policy.contains("frame-ancestors 'none'"), "{template}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(page.header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert_eq!(page.header(header::CACHE_CONTROL), "no-store", "{template}");
        for inline in
            [" style=", "<style", "<script>", "javascript:", " onclick", " onload", "src=\"http", "href=\"http"]
        {
            assert!(!page.text.contains(inline), "{template} has {inline}");
        }
    }
}

#[tokio::test]
async fn assets_are_kept_for_ever_under_the_digest_of_their_content() {
    let (_, site) = world().await;
    let browser = Browser::new(&site);
    let login = browser.get("/login").await;
    let paths: Vec<&str> = login.text.split('"').filter(|path| path.starts_with("/assets/")).collect();
    assert!(paths.len() >= 4, "{paths:?}");
    for path in paths {
        let page = browser.get(path).await;
        assert_eq!((page.status, page.header(header::CACHE_CONTROL)), (200, "public, max-age=31536000, immutable"));
    }
    assert_eq!(browser.get("/assets/0000000000000000/style.css").await.status, 404);
}

/// A memory that contains markup and script, in every place where pages show texts.
#[tokio::test]
async fn texts_of_memories_are_text() {
    const EVIL: &str =
        "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg/onload=alert(3)> lives_in <b>Bern</b>";
    let agent = Agent::new("<script>evil</script>").unwrap();
    let service = fixture::service_with_memories(&agent).await;
    let mut hostile = message("2026-03-05T10:00:00Z", EVIL);
    hostile.name = Some("<img src=x onerror=alert(4)>".into());
    hostile.conversation = "<b>talk</b>".into();
    fixture::ingest(&service, &agent, vec![hostile]).await;
    service.read_for_facts(&agent, &|_| ()).await.unwrap();
    service.write_summaries(&agent, false, at(NOW), &|_| ()).await.unwrap();
    service.make_searchable(&agent, &|_| ()).await.unwrap();
    let site = site(&service, None).unwrap();
    let browser = Browser::new(&site);
    let memories = service.memories_of(&agent, annals_core::Grain::Working).await.unwrap();
    let id = memories.iter().find(|memory| memory.text.contains("alert(1)")).unwrap().id.to_string();
    let pages = [
        "",
        "?period=2026-W10&open=2026-03-05",
        "?period=2026-03-05",
        "/search?q=alert+script&explain=yes",
        "/context?prompt=alert+script",
        "/facts",
        "/status",
        "/forget?conversation=%3Cb%3Etalk%3C/b%3E",
    ];
    let mut shown = 0;
    for page in pages.map(str::to_owned).into_iter().chain([format!("/memories/{id}")]) {
        let page = browser.get(&format!("/agents/%3Cscript%3Eevil%3C%2Fscript%3E{page}")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        for markup in ["<script>alert", "<script>evil", "<img src=x", "<svg/onload", "<b>"] {
            assert!(!page.text.contains(markup), "{markup} in {}", page.text);
        }
        shown += usize::from(page.text.contains("&lt;script&gt;alert(1)"));
    }
    assert!(shown >= 3, "the text is shown on {shown} pages");
}

/// Without keys the pages are open to this machine, as the API is, and to nobody else.
#[tokio::test]
async fn pages_are_open_without_keys_on_this_machine_alone() {
    let agent = Agent::new(OTHER).unwrap();
    let service = fixture::service_with_memories(&agent).await;
    let site = site(&service, None).unwrap();
    let page = Browser::new(&site).get(&format!("/agents/{OTHER}?period=2026-W10")).await;
    assert_eq!(page.status, 200);
    assert!(SECRETS.iter().any(|secret| page.text.contains(secret)), "{}", page.text);
    let config = ServerConfig { listen: "0.0.0.0:7411".parse().unwrap(), ..ServerConfig::default() };
    let elsewhere = Browser { app: public_with_pages(&service, &config, Some(&site)), cookie: None };
    assert_eq!(elsewhere.get(&format!("/agents/{OTHER}")).await.status, 303);
}
