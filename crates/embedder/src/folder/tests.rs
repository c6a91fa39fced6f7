use serde_json::json;
use tempfile::TempDir;

use super::*;

/// Creates a folder of a small e5 model with these files changed; `None` removes the file.
fn folder(changes: &[(&str, Option<Value>)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut files = vec![
        (
            CONFIG,
            Some(
                json!({ "model_type": "bert", "max_position_embeddings": 512, "_name_or_path": "some/multilingual-e5-tiny" }),
            ),
        ),
        (TOKENIZER, Some(json!({}))),
        ("model.onnx", Some(json!("network"))),
        (POOLING, Some(json!({ "pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false }))),
        ("sentence_bert_config.json", Some(json!({ "max_seq_length": 512 }))),
    ];
    files.extend(changes.iter().cloned());
    for (file, content) in files {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        match content {
            Some(content) => std::fs::write(path, content.to_string()).unwrap(),
            None => std::fs::remove_file(path).unwrap(),
        }
    }
    folder
}

fn found(changes: &[(&str, Option<Value>)], options: &Options) -> Result<ModelFiles> {
    read_folder(folder(changes).path(), options)
}

fn error(changes: &[(&str, Option<Value>)]) -> String {
    found(changes, &Options::default()).map(|files| files.name).unwrap_err().to_string()
}

#[test]
fn folder_says_pooling_prefixes_and_window() {
    let files = found(&[], &Options::default()).unwrap();
    assert!(files.name.starts_with("multilingual-e5-tiny@"), "{}", files.name);
    assert_eq!((files.pooling, files.window), (Some(Pooling::Mean), Some(512)));
    assert_eq!((&*files.query_prefix, &*files.passage_prefix), ("query: ", "passage: "));
}

#[test]
fn prompts_of_the_folder_come_before_those_of_the_family() {
    let prompts = json!({ "prompts": { "query": "Q: ", "document": "D: " } });
    let files = found(&[(PROMPTS, Some(prompts))], &Options::default()).unwrap();
    assert_eq!((&*files.query_prefix, &*files.passage_prefix), ("Q: ", "D: "));
    let empty = json!({ "prompts": { "query": "", "document": "" } });
    let files = found(&[(PROMPTS, Some(empty))], &Options::default()).unwrap();
    assert_eq!(files.query_prefix, "query: ");
}

#[test]
fn settings_override_the_folder() {
    let options = Options {
        pooling: Some(Pooling::Cls),
        query_prefix: Some(String::new()),
        window: Some(64),
        ..Options::default()
    };
    let files = found(&[], &options).unwrap();
    assert_eq!((files.pooling, files.window, &*files.query_prefix), (Some(Pooling::Cls), Some(64), ""));
}

#[test]
fn window_is_the_smallest_that_is_believed() {
    fn check(changes: &[(&str, Option<Value>)], expect: usize) {
        assert_eq!(found(changes, &Options::default()).unwrap().window, Some(expect));
    }
    let none = ("sentence_bert_config.json", None);
    check(&[none.clone(), ("tokenizer_config.json", Some(json!({ "model_max_length": 1e30 })))], 512);
    check(&[none.clone(), ("tokenizer_config.json", Some(json!({ "model_max_length": 128 })))], 128);
    let roberta = json!({ "model_type": "xlm-roberta", "pad_token_id": 1, "max_position_embeddings": 514 });
    check(&[none, (CONFIG, Some(roberta))], 512);
}

#[test]
fn name_depends_on_what_decides_about_vectors_and_on_nothing_else() {
    let name = |changes: &[(&str, Option<Value>)], options: &Options| found(changes, options).unwrap().name;
    let usual = name(&[], &Options::default());
    assert_eq!(name(&[("README.md", Some(json!("other")))], &Options::default()), usual);
    let changed = [
        name(&[("model.onnx", Some(json!("netwrok")))], &Options::default()),
        name(&[("model.onnx_data", Some(json!("weights")))], &Options::default()),
        name(&[(TOKENIZER, Some(json!({ "a": 1 })))], &Options::default()),
        name(&[], &Options { pooling: Some(Pooling::Max), ..Options::default() }),
        name(&[], &Options { passage_prefix: Some("p".into()), ..Options::default() }),
        name(&[], &Options { window: Some(8), ..Options::default() }),
    ];
    for other in changed {
        assert_ne!(other, usual);
    }
}

#[test]
fn what_is_missing_is_named() {
    fn check(changes: &[(&str, Option<Value>)], parts: &[&str]) {
        let error = error(changes);
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
    check(&[("model.onnx", None)], &["lacks a network", "onnx/model.onnx"]);
    check(&[(TOKENIZER, None)], &["cannot read", "tokenizer.json"]);
    let both = json!({ "pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true });
    check(&[(POOLING, Some(both))], &["1_Pooling/config.json", "exactly one", "embedder.pooling"]);
    let bare = json!({ "model_type": "bert" });
    check(&[("sentence_bert_config.json", None), (CONFIG, Some(bare))], &["max_seq_length", "embedder.window"]);
    check(&[(MODULES, Some(json!([{ "type": "sentence_transformers.models.Dense" }])))], &["modules.json", "Dense"]);
}

#[test]
fn file_that_is_no_json_is_damaged() {
    let folder = folder(&[]);
    std::fs::write(folder.path().join(POOLING), "{").unwrap();
    let error = read_folder(folder.path(), &Options::default()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("1_Pooling/config.json is damaged"), "{error}");
}

#[test]
fn pulled_folder_whose_files_differ_is_damaged_and_no_other_model() {
    let files = ["model.onnx", TOKENIZER, CONFIG];
    let pulled = || {
        let folder = folder(&[]);
        let sums = crate::checksums(folder.path(), files.into_iter()).unwrap();
        let source = json!({ "repo": "me/tiny", "file": "model.onnx", "sha256": sums });
        std::fs::write(folder.path().join(SOURCE), source.to_string()).unwrap();
        folder
    };
    let read = |folder: &TempDir| read_folder(folder.path(), &Options::default()).map(|files| files.name);
    assert!(read(&pulled()).unwrap().starts_with("tiny@"));
    for file in files {
        let folder = pulled();
        std::fs::write(folder.path().join(file), "{ }").unwrap();
        let error = read(&folder).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
        assert!(error.to_string().contains(file) && error.to_string().contains("pull the model again"), "{error}");
        std::fs::remove_file(folder.path().join(file)).unwrap();
        assert!(read(&folder).unwrap_err().to_string().contains("is missing"));
    }
}

#[test]
fn pulled_folder_names_no_file_outside_itself() {
    for source in [
        json!({ "repo": "me/tiny", "file": "../other/model.onnx" }),
        json!({ "repo": "me/tiny", "file": "/etc/passwd" }),
        json!({ "repo": "me/tiny", "sha256": { "../model.onnx": "00" } }),
    ] {
        assert!(error(&[(SOURCE, Some(source))]).contains("a file outside itself"));
    }
}
