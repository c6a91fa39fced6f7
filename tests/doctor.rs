//! `annals doctor` tries each part, reports what is wrong and how to fix it, and leaves no trace.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use annals_testkit::{ModelServer, Script, refused_url};
use serde_json::{Value, json};

use crate::command::{Annals, files};
use crate::models::TINY_NLI;
use crate::story::days;

/// A folder with memories, and settings with a free port.
struct Patient {
    annals: Annals,
    settings: String,
}

impl Patient {
    fn new() -> Patient {
        let annals = Annals::new();
        annals.import(&days("ann", 3, 2));
        // `configure` sets port 0, for which the system chooses a free port.
        let patient = Patient { annals, settings: String::new() };
        patient.configure("")
    }

    fn configure(self, settings: &str) -> Patient {
        let settings = format!("[server]\nlisten = \"127.0.0.1:0\"\n{settings}");
        let path = self.annals.data().join("annals.toml");
        std::fs::write(&path, &settings).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        Patient { settings, ..self }
    }

    /// Returns the exit code and the findings.
    fn see(&self) -> (i32, Value) {
        let answer = self.annals.run(&["doctor", "--json"]);
        let output: Value =
            serde_json::from_str(&answer.out).unwrap_or_else(|_| panic!("{}{}", answer.out, answer.err));
        assert_eq!(output["well"], json!(answer.code == 0));
        (answer.code, output["findings"].clone())
    }
}

#[track_caller]
fn finding<'a>(findings: &'a Value, about: &str) -> &'a Value {
    let mut all = findings.as_array().unwrap().iter();
    all.find(|finding| finding["about"] == about).unwrap_or_else(|| panic!("no {about} in {findings}"))
}

/// Expects the finding `about` to be wrong, with these words and a remedy.
#[track_caller]
fn is_wrong(patient: &Patient, about: &str, words: &str) {
    let (code, findings) = patient.see();
    let found = finding(&findings, about);
    assert_eq!((code, &found["state"]), (1, &json!("wrong")), "{findings}");
    assert!(found["says"].as_str().unwrap().contains(words), "{found}");
    assert!(found["mend"].as_str().is_some_and(|mend| !mend.is_empty()), "{found}");
}

#[test]
fn healthy_folder_is_well_and_stays_unchanged() {
    let patient = Patient::new();
    let (before, dump) = (files(&patient.annals.data()).len(), patient.annals.dump());
    let (code, findings) = patient.see();
    assert_eq!(code, 0, "{findings}");
    for about in ["configuration", "stores", "space", "port", "write and read", "facts", "roll-up", "model"] {
        assert_eq!(finding(&findings, about)["state"], json!("ok"), "{findings}");
    }
    assert_eq!((files(&patient.annals.data()).len(), patient.annals.dump()), (before, dump));
    let answer = patient.annals.run(&["doctor"]);
    assert!(answer.code == 0 && answer.out.ends_with("All checks passed.\n"), "{}", answer.out);
}

#[test]
fn new_folder_has_no_problems() {
    let annals = Annals::new();
    let answer = annals.run(&["doctor", "--json", "--set", "server.listen=127.0.0.1:0"]);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    assert_eq!(files(&annals.data()), Vec::<std::path::PathBuf>::new());
}

#[test]
fn wrong_settings_are_reported_and_the_rest_is_checked() {
    let patient = Patient::new().configure("lisen = 1\n");
    is_wrong(&patient, "configuration", "lisen is not a configuration key");
    assert_eq!(finding(&patient.see().1, "write and read")["state"], json!("ok"));
}

#[test]
fn taken_port_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("server.listen={}", listener.local_addr().unwrap());
    let patient = Patient::new();
    let answer = patient.annals.run(&["doctor", "--json", "--set", &listen]);
    let findings: Value = serde_json::from_str::<Value>(&answer.out).unwrap()["findings"].clone();
    assert_eq!((answer.code, &finding(&findings, "port")["state"]), (1, &json!("wrong")), "{findings}");
}

#[test]
fn low_disk_space_is_reported() {
    let patient = Patient::new();
    let low = patient.annals.run(&["doctor", "--json", "--set", "limits.disk_low_mib=1048576"]);
    let findings: Value = serde_json::from_str::<Value>(&low.out).unwrap()["findings"].clone();
    assert!(finding(&findings, "space")["says"].as_str().unwrap().contains("new messages are refused"), "{findings}");
    assert_eq!(low.code, 1);
}

#[test]
fn key_that_others_can_read_is_reported() {
    let patient = Patient::new().configure("[models]\nkey = \"sk-very-secret\"\n");
    let path = patient.annals.data().join("annals.toml");
    assert!(finding(&patient.see().1, "configuration")["state"] == "ok", "{}", patient.settings);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    is_wrong(&patient, "secrets", "holds a key or a password and can be read by others");
    assert!(!patient.annals.run(&["doctor"]).out.contains("very-secret"));
}

#[test]
fn damaged_catalog_is_reported() {
    let patient = Patient::new();
    std::fs::write(patient.annals.data().join("catalog.sqlite"), "a shopping list, rather long".repeat(400)).unwrap();
    is_wrong(&patient, "stores", "damaged");
}

#[test]
fn damaged_table_is_reported() {
    let patient = Patient::new();
    let is_manifest = |file: &std::path::PathBuf| file.extension().is_some_and(|found| found == "manifest");
    let tables = files(&patient.annals.data().join("tables"));
    for manifest in tables.into_iter().filter(is_manifest) {
        std::fs::write(manifest, "").unwrap();
    }
    is_wrong(&patient, "stores", "damaged");
}

#[test]
fn working_and_failing_models_are_reported() {
    let server = ModelServer::start([]);
    let settings = |url: &str| format!("[models]\nbase_url = \"{url}\"\nmodel = \"scripted\"\ntimeout = 1\n");
    let patient = Patient::new().configure(&settings(server.base_url()));
    let (code, findings) = patient.see();
    let output = finding(&findings, "model")["says"].as_str().unwrap();
    assert!(code == 0 && output.contains("read a message for facts and found"), "{findings}");
    assert_eq!(server.requests().len(), 1, "one call for one endpoint");
    // A different model for yearly summaries is tried as well, with a yearly summary.
    let patient = patient.configure(&(settings(server.base_url()) + "[models.yearly]\nmodel = \"other\"\n"));
    let (_, findings) = patient.see();
    let models = findings.as_array().unwrap().iter().filter(|finding| finding["about"] == "model");
    assert_eq!(models.filter(|finding| finding["state"] == "ok").count(), 2, "{findings}");

    let patient = patient.configure(&settings(&refused_url()));
    is_wrong(&patient, "model", "scripted at http://127.0.0.1");
    let without = patient.annals.run(&["doctor", "--without-models"]);
    assert_eq!(without.code, 0, "{}", without.out);
    let babbling = ModelServer::choosing(|_| Script::Answers("I would rather not.".into()));
    is_wrong(&patient.configure(&settings(babbling.base_url())), "model", "scripted at");
}

#[test]
fn model_that_judges_sentences_is_tried() {
    let settings = |model: &str, more: &str| format!("[models.grounding]\nmodel = \"{model}\"\n{more}");
    let patient = Patient::new().configure(&settings(TINY_NLI, ""));
    let (code, findings) = patient.see();
    let found = finding(&findings, "grounding");
    assert_eq!((code, &found["state"]), (0, &json!("ok")), "{findings}");
    assert!(found["says"].as_str().unwrap().starts_with("tiny-nli loaded and judged two sentences in "), "{found}");
    // The toy model gives a contradiction a probability of 98 %.
    let patient = patient.configure(&settings(TINY_NLI, "contradiction = 0.99\n"));
    assert_eq!(finding(&patient.see().1, "grounding")["state"], json!("doubtful"));

    is_wrong(&patient.configure(&settings("nobody/nli", "")), "grounding", "models.grounding.model is \"nobody/nli\"");
    let patient = Patient::new();
    let folder = patient.annals.data().join("models/me--topics");
    std::fs::create_dir_all(&folder).unwrap();
    for file in ["model.onnx", "tokenizer.json", "config.json"] {
        std::fs::copy(format!("{TINY_NLI}/{file}"), folder.join(file)).unwrap();
    }
    let config = std::fs::read_to_string(folder.join("config.json")).unwrap();
    std::fs::write(folder.join("config.json"), config.replace("entailment", "sports")).unwrap();
    let patient = patient.configure(&settings("me/topics", ""));
    is_wrong(&patient, "grounding", "expected are entailment, neutral and contradiction");
    let refused = patient.annals.run(&["serve", "--exit-when-idle", "0"]);
    assert!(refused.code == 2 && refused.err.contains("expected are entailment, neutral"), "{}", refused.err);
    let status = patient.annals.run(&["status"]);
    assert_eq!((status.code, &*status.err), (0, ""), "a command that writes no summary");
}
