//! The demo does what the README promises.

use serde_json::json;

use crate::command::Annals;

#[test]
fn demo_fills_a_folder_once_and_answers_three_questions() {
    let annals = Annals::new();
    let demo = |extra: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_annals"));
        command.arg("demo").args(extra).arg("--data").arg(annals.data());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let first: serde_json::Value = serde_json::from_str(&demo(&["--json"])).unwrap();
    assert!(first["imported"]["accepted"].as_u64().unwrap() >= 600);
    assert!(first["written"]["daily"].as_u64().unwrap() >= 150);
    for (index, words) in ["walnut", "Duarte", "Bica"].iter().enumerate() {
        let found = first["answers"][index]["results"][0]["text"].as_str().unwrap();
        assert!(found.contains(words), "{words:?} is not in {found}");
    }
    let before = annals.dump();
    let second: serde_json::Value = serde_json::from_str(&demo(&["--json"])).unwrap();
    assert_eq!(second["imported"]["accepted"], json!(0));
    assert_eq!(second["written"], json!({ "daily": 0, "weekly": 0, "monthly": 0, "quarterly": 0, "yearly": 0 }));
    assert_eq!(annals.dump(), before);
    assert!(demo(&[]).contains("What is left of 2025"));
}
