//! Each route accepts the keys that it should and no others. It refuses the others with the same answer, whether the target
//! exists or not.

use annals_core::ports::Scope;
use serde_json::Value;

use super::table::{Needs, ROUTES, body, id_of, target};
use super::{AGENT, NOBODY, NOTHING, World, key, shape, tells_nothing};

/// Requests a target that exists and one that does not. The answers must be the same, and disclose nothing.
async fn refused(world: &World, key: Option<&str>, method: &str, template: &str) -> (u16, Value) {
    let there = target(method, template, AGENT, &id_of(world, template));
    let nowhere = target(method, template, NOBODY, NOTHING);
    let body = body(method, template, &world.memory, "talk");
    let (status, answer) = world.ask(key, method, &there, &body).await;
    let (other_status, other_answer) = world.ask(key, method, &nowhere, &body).await;
    assert_eq!((status, &answer), (other_status, &other_answer), "{method} {template}");
    tells_nothing(template, &answer);
    (status, shape(&answer, &[]))
}

#[tokio::test]
async fn request_without_a_valid_key_discloses_nothing() {
    let world = World::new().await;
    let before = world.export().await;
    let unknown = key("admin").replacen("annals_", "annals_x", 1);
    let not_good = [key("revoked"), key("expired"), key("admin") + "a", unknown];
    let malformed = ["", "annals", "annals_x", "Bearer", "annals__", "sk-1234567890"];
    for (method, template, needs) in ROUTES {
        if needs == Needs::Nothing {
            let (status, _) = world.ask(None, method, template, &Value::Null).await;
            assert_eq!(status, 200, "{template}");
            continue;
        }
        let (status, answer) = refused(&world, None, method, template).await;
        assert_eq!((status, &answer["code"]), (401, &"unauthorized".into()), "{method} {template}");
        let mut answers = Vec::new();
        for key in &not_good {
            let (status, answer) = refused(&world, Some(key), method, template).await;
            assert_eq!(status, 401, "{method} {template}");
            answers.push(answer);
        }
        assert!(
            answers.iter().all(|answer| *answer == answers[0]),
            "one answer for all that are not good: {answers:?}"
        );
        for key in malformed {
            let (status, _) = refused(&world, Some(key), method, template).await;
            assert_eq!(status, 401, "{method} {template} {key}");
        }
    }
    assert_eq!(world.export().await, before);
}

#[tokio::test]
async fn key_is_accepted_according_to_its_scopes() {
    for (method, template, needs) in ROUTES {
        for scope in Scope::ALL {
            let world = World::new().await;
            let before = world.export().await;
            let key = key(scope.as_str());
            let does = match needs {
                Needs::Nothing | Needs::Key => true,
                Needs::Scope(needed) => scope == needed || scope == Scope::Admin,
            };
            if does {
                let path = target(method, template, AGENT, &id_of(&world, template));
                let body = body(method, template, &world.memory, "talk");
                let (status, answer) = world.ask(Some(&key), method, &path, &body).await;
                assert!((200..300).contains(&status), "{method} {template} with {scope}: {status} {answer}");
            } else {
                let (status, answer) = refused(&world, Some(&key), method, template).await;
                assert_eq!((status, &answer["code"]), (403, &"insufficient_scope".into()), "{method} {template}");
                assert_eq!(world.export().await, before);
            }
        }
    }
}

#[tokio::test]
async fn key_is_accepted_in_the_x_api_key_header() {
    let world = World::new().await;
    let app = crate::public(&world.service, &crate::config::ServerConfig::default());
    let request = axum::http::Request::get("/v1/agents").header("x-api-key", key("search"));
    let response = tower::ServiceExt::oneshot(app, request.body(axum::body::Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.status(), 200);
}
