//! Uploads by a form, and prices: the same operations as over REST.

use super::*;

const SESSION: &str = "{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"s1\",\"timestamp\":\"2026-03-04T10:00:00Z\",\"message\":{\"role\":\"user\",\"content\":\"We sold the boat.\"}}\nnot a line";
const FORM: &str = "/agents/zebra-seven/import";
const UPLOADS: &str = "/agents/zebra-seven/imports";

/// Builds the body that a browser sends for a form with a file.
fn multipart(fields: &[(&str, &str)], file: &str) -> String {
    let part = |(name, value): &(&str, &str)| {
        format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let head = "Content-Disposition: form-data; name=\"file\"; filename=\"s.jsonl\"\r\nContent-Type: text/plain";
    let fields: String = fields.iter().map(part).collect();
    format!("{fields}--edge\r\n{head}\r\n\r\n{file}\r\n--edge--\r\n")
}

async fn upload(browser: &Browser, fields: &[(&str, &str)], file: &str) -> Page {
    browser.send_as("POST", UPLOADS, "multipart/form-data; boundary=edge", multipart(fields, file)).await
}

/// Loads the page of an import until it is over.
async fn report(browser: &Browser, path: &str) -> Page {
    loop {
        let page = browser.get(path).await;
        assert_eq!(page.status, 200, "{}", page.text);
        if !page.text.contains("follows by itself") {
            return page;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn upload_is_reported_first_and_stored_then() {
    let (world, site) = world().await;
    let browser = Browser::with(&site, "all").await;
    let before = world.export().await;
    let token = browser.get(FORM).await.token();
    let fields = [("token", token.as_str()), ("from", "claude-code"), ("me", "Ann")];
    let page = upload(&browser, &[&fields[..], &[("dry_run", "true")]].concat(), SESSION).await;
    assert_eq!(page.status, 303, "{}", page.text);
    let page = report(&browser, page.header(header::LOCATION)).await;
    assert!(page.text.contains("Nothing was stored.") && page.text.contains("Skipped"), "{}", page.text);
    assert_eq!(world.export().await, before);
    let page = upload(&browser, &fields, SESSION).await;
    let page = report(&browser, page.header(header::LOCATION)).await;
    assert!(page.text.contains("Everything is stored") && page.text.contains("Known already"), "{}", page.text);
    assert!(world.export().await.contains("We sold the boat."));
    assert!(browser.get(FORM).await.text.contains("1 message new"), "the list has it");
}

#[tokio::test]
async fn upload_without_token_or_scope_stores_nothing() {
    let (world, site) = world().await;
    let (browser, stranger) = (Browser::with(&site, "all").await, Browser::with(&site, "admin").await);
    let before = world.export().await;
    let foreign = stranger.get(FORM).await.token();
    let token = browser.get(FORM).await.token();
    for wrong in [vec![], vec![("token", "x")], vec![("token", foreign.as_str())]] {
        let page = upload(&browser, &[wrong, vec![("from", "claude-code")]].concat(), SESSION).await;
        assert_eq!(page.status, 403);
    }
    let kind = ("from", "claude-code");
    let late = multipart(&[kind], SESSION)
        .replace("--edge--", "--edge\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n")
        + &token
        + "\r\n--edge--\r\n";
    let page = browser.send_as("POST", UPLOADS, "multipart/form-data; boundary=edge", late).await;
    assert_eq!(page.status, 403, "a token behind the file");
    for (name, status) in [("search", 403), ("foreign", 303), ("bound", 404)] {
        let browser = Browser::with(&site, name).await;
        let token = browser.get("/costs").await.token();
        let page = upload(&browser, &[("token", &token), kind], SESSION).await;
        assert_eq!(page.status, status, "{name}");
        let page = browser.get("/agents/zebra-seven/imports/import-0").await;
        assert_eq!(page.status, if name == "search" { 403 } else { 404 }, "{name}");
    }
    assert_eq!(world.export().await, before, "the key of another workspace imported into its own agent of this name");
    let wrong = upload(&browser, &[("token", &token), ("from", "slak")], SESSION).await;
    assert!(wrong.status == 400 && wrong.text.contains("expected one of"), "{}", wrong.text);
}

#[tokio::test]
async fn prices_of_the_page_are_those_of_rest() {
    let (world, site) = world().await;
    let browser = Browser::with(&site, "all").await;
    let token = browser.get("/costs").await.token();
    let fields =
        [("token", token.as_str()), ("currency", "USD"), ("model_0", "m"), ("input_0", "0.15"), ("output_0", "0.6")];
    assert_eq!(browser.post("/prices", &fields).await.status, 303);
    let (status, prices) = world.ask(Some(&key("search")), "GET", "/v1/prices", &serde_json::Value::Null).await;
    assert_eq!(
        (status, &prices["prices"][0]["model"], &prices["prices"][0]["output"]),
        (200, &"m".into(), &0.6.into())
    );
    assert!(browser.get("/costs").await.text.contains("value=\"0.15\""));
    for (name, status) in [("foreign", 403), ("bound", 403)] {
        let list = serde_json::json!({"currency": "USD", "prices": []});
        assert_eq!(world.ask(Some(&key(name)), "PUT", "/v1/prices", &list).await.0, status, "{name}");
    }
    let readers = Browser::with(&site, "search").await.get("/costs").await;
    assert!(!readers.text.contains("name=\"model_0\"") && readers.text.contains("0.15"), "{}", readers.text);
}
