//! Tests of what the catalog records of imports of uploads.

use std::io::Write;

use annals_testkit::{Faulty, MemoryCatalog, agent, at};

use super::*;
use crate::fixture::{NOW, over};

fn service_over(store: Arc<Faulty<MemoryCatalog>>) -> Service {
    over(store, Arc::new(|| at(NOW)))
}

/// Returns a service over this catalog, and the store between them, which fails from call number `from` on.
fn failing(catalog: &MemoryCatalog, from: u64) -> (Service, Arc<Faulty<MemoryCatalog>>) {
    let store = Arc::new(Faulty::during(catalog.clone(), from..u64::MAX));
    (service_over(store.clone()), store)
}

/// Uploads a session of Claude Code with one message.
async fn send(service: &Service) -> std::result::Result<ImportView, NotAdmitted> {
    let mut file = service.upload_file().unwrap();
    let line = r#"{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-03-04T10:00:00Z","message":{"role":"user","content":"We sold the boat."}}"#;
    file.write_all(line.as_bytes()).unwrap();
    let request = serde_json::from_value(serde_json::json!({ "from": "claude-code", "time_zone": "UTC" })).unwrap();
    service.import_upload(&agent("ann"), request, file, at(NOW)).await
}

async fn view(service: &Service, id: &str) -> ImportView {
    service.upload("default", id).await.unwrap().unwrap().1
}

/// Waits until an import has ended. Returns its view.
async fn ended(service: &Service, id: &str) -> ImportView {
    loop {
        let view = view(service, id).await;
        if matches!(view.status, ImportStatus::Done | ImportStatus::Failed) {
            return view;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn refused_upload_is_not_recorded() {
    let (service, store) = failing(&MemoryCatalog::new(), u64::MAX - 1);
    let permit = service.uploads.permits.clone().acquire_owned().await.unwrap();
    for _ in 0..MAX_WAITING {
        send(&service).await.unwrap();
    }
    let calls = store.calls();
    assert!(matches!(send(&service).await, Err(NotAdmitted::UploadsFull(MAX_WAITING))));
    assert_eq!(store.calls(), calls);
    drop(permit);
}

#[tokio::test]
async fn upload_that_cannot_be_recorded_is_refused_and_takes_no_place() {
    let (service, _) = failing(&MemoryCatalog::new(), 1);
    for _ in 0..=MAX_WAITING {
        assert!(matches!(send(&service).await, Err(NotAdmitted::Failed(_))));
    }
}

#[tokio::test]
async fn end_of_an_import_is_known_after_a_restart() {
    let catalog = MemoryCatalog::new();
    let restarted = || failing(&catalog, u64::MAX - 1).0;

    let service = restarted();
    let done = send(&service).await.unwrap().operation_id;
    assert_eq!(ended(&service, &done).await.status, ImportStatus::Done);
    assert_eq!(view(&restarted(), &done).await.status, ImportStatus::Done);

    let permit = service.uploads.permits.clone().acquire_owned().await.unwrap();
    let interrupted = send(&service).await.unwrap().operation_id;
    assert_eq!(view(&restarted(), &interrupted).await.status, ImportStatus::Interrupted);
    drop(permit);

    // The store fails in the first call of the import.
    let store = Arc::new(Faulty::at_call(catalog.clone(), 2));
    let service = service_over(store);
    let failed = send(&service).await.unwrap().operation_id;
    assert_eq!(ended(&service, &failed).await.status, ImportStatus::Failed);
    let view = view(&restarted(), &failed).await;
    let error = view.error.unwrap_or_default();
    assert!(view.status == ImportStatus::Failed && error.contains("send the same file again"), "{error}");
}
