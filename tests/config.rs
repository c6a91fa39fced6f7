//! Settings from file, environment and flags, in that order; all errors at once; no secret in any output.

use serde_json::{Value, json};

use crate::command::{Annals, Answer};

/// Settings of a test: the file, environment variables, and flags.
#[derive(Default)]
struct Set<'a> {
    file: &'a str,
    environment: &'a [(&'a str, &'a str)],
    flags: &'a [&'a str],
}

impl Set<'_> {
    fn run(&self, args: &[&str]) -> Answer {
        let annals = Annals::new();
        std::fs::create_dir_all(annals.data()).unwrap();
        let path = annals.data().join("annals.toml");
        if !self.file.is_empty() {
            std::fs::write(&path, self.file).unwrap();
        }
        let flags = self.flags.iter().flat_map(|flag| ["--set", flag]);
        let args: Vec<&str> = args.iter().copied().chain(flags).collect();
        let mut command = annals.command(&args);
        command.envs(self.environment.iter().copied());
        let mut answer = Answer::from(command.output().unwrap());
        for text in [&mut answer.out, &mut answer.err] {
            *text = text.replace(path.to_str().unwrap(), "FILE");
        }
        answer
    }

    /// Returns the configured values by key.
    #[track_caller]
    fn values(&self) -> Value {
        let answer = self.run(&["config", "check", "--json"]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        let shown: Value = serde_json::from_str(&answer.out).unwrap();
        let pair = |setting: &Value| (setting["key"].as_str().unwrap().to_owned(), setting["value"].clone());
        shown["settings"].as_array().unwrap().iter().map(pair).collect::<serde_json::Map<_, _>>().into()
    }

    #[track_caller]
    fn is_refused(&self, expect: &[&str]) {
        let answer = self.run(&["config", "check"]);
        let output: Vec<&str> = answer.err.strip_prefix("annals: ").unwrap_or(&answer.err).lines().collect();
        assert_eq!((answer.code, output), (2, expect.to_vec()), "{}", answer.out);
    }
}

#[test]
fn config_alone_prints_what_it_can_do() {
    let answer = Set::default().run(&["config"]);
    let has = |words: &str| answer.out.contains(words);
    assert!(answer.code == 0 && has("Usage: annals config") && has("check") && has("schema"), "{}", answer.out);
}

#[test]
fn defaults_are_valid() {
    let answer = Set::default().run(&["config", "check"]);
    assert_eq!((answer.code, answer.out.starts_with("Fine. ")), (0, true), "{}{}", answer.out, answer.err);
    assert_eq!(Set::default().values(), json!({}));
    let shown = Set::default().run(&["config", "show"]);
    assert!(shown.out.contains("server.listen                \"127.0.0.1:7411\"  default"), "{}", shown.out);
}

#[test]
fn flags_override_environment_and_environment_overrides_file() {
    let file = "[server]\nlisten = \"127.0.0.1:1\"\nhosts = [\"a.example\"]\n[limits]\nburst = 1\n";
    let environment = &[("ANNALS_SERVER_LISTEN", "127.0.0.1:2"), ("ANNALS_LIMITS_BURST", "2")];
    let set = Set { file, environment, flags: &["limits.burst=3"] };
    let expect = json!({ "server.listen": "127.0.0.1:2", "server.hosts": ["a.example"], "limits.burst": 3 });
    assert_eq!(set.values(), expect);
    let shown: Value = serde_json::from_str(&set.run(&["config", "show", "--json"]).out).unwrap();
    let origin = |key: &str| {
        let settings = shown["settings"].as_array().unwrap();
        let setting = settings.iter().find(|setting| setting["key"] == key).unwrap();
        (setting["origin"].clone(), setting["line"].clone(), setting["variable"].clone())
    };
    assert_eq!(origin("server.hosts"), (json!("file"), json!(3), Value::Null));
    assert_eq!(origin("server.listen"), (json!("env"), Value::Null, json!("ANNALS_SERVER_LISTEN")));
    assert_eq!(origin("limits.burst"), (json!("flag"), Value::Null, Value::Null));
    assert_eq!(origin("limits.concurrent"), (json!("default"), Value::Null, Value::Null));
}

#[test]
fn every_key_can_be_set_by_its_variable() {
    let shown: Value = serde_json::from_str(&Set::default().run(&["config", "show", "--json"]).out).unwrap();
    let settings = shown["settings"].as_array().unwrap();
    let keys: Vec<&str> = settings.iter().map(|setting| setting["key"].as_str().unwrap()).collect();
    // `key_env` together with `key` is an error. It has its own test.
    let keys = keys.into_iter().filter(|key| !key.ends_with("key_env"));
    // An embedder is either an endpoint or a folder, and a key without effect is an error.
    let (of_folder, keys): (Vec<&str>, Vec<&str>) =
        keys.partition(|key| ["embedder.file", "embedder.pooling"].contains(key));
    // Annals makes no backup of a database, and a node of a cluster needs a database and a bucket.
    let is_shared = |key: &&str| key.starts_with("objects.") || ["catalog.url", "cluster.address"].contains(key);
    let (of_database, keys): (Vec<&str>, Vec<&str>) = keys.into_iter().partition(is_shared);
    let name = |key: &str| format!("ANNALS_{}", key.replace('.', "_").to_uppercase());
    let value = |key: &str| match key.rsplit('.').next().unwrap() {
        "listen" => ("127.0.0.1:99", json!("127.0.0.1:99")),
        "hosts" => ("a.example, b.example:8443", json!(["a.example", "b.example:8443"])),
        "origins" => ("https://a.example", json!(["https://a.example"])),
        "level" => ("debug", json!("debug")),
        "format" => ("json", json!("json")),
        "address" => ("http://127.0.0.1:99", json!("http://127.0.0.1:99")),
        "lease_seconds" => ("33", json!(33)),
        "target" => ("/2026", json!("/2026")),
        "url" if key == "objects.url" => ("s3://bucket/annals", json!("s3://bucket/annals")),
        "url" => ("postgres://me@localhost/annals", json!("(set)")),
        "endpoint" => ("http://127.0.0.1:1", json!("http://127.0.0.1:1")),
        "region" => ("eu-west-1", json!("eu-west-1")),
        "base_url" => ("http://127.0.0.1:1/v1", json!("http://127.0.0.1:1/v1")),
        "model" => ("7", json!("7")),
        "key" => ("0123456789abcdef0123456789abcdef", json!("(set)")),
        "json" => ("object", json!("object")),
        "api" => ("azure", json!("azure")),
        "reasoning" => ("low", json!("low")),
        "off" | "local_network" | "batch" => ("true", json!(true)),
        "daily" | "longer" | "extraction" | "old" => ("70", json!(70)),
        "ungrounded" => ("drop", json!("drop")),
        "pooling" => ("cls", json!("cls")),
        "hub" => ("http://127.0.0.1:1", json!("http://127.0.0.1:1")),
        "query_prefix" | "passage_prefix" | "file" | "onnxruntime" => ("a b", json!("a b")),
        "timeout" => ("0m 50s", json!("0m 50s")),
        "candidates" => ("33", json!(33)),
        "temperature" | "contradiction" => ("0.5", json!(0.5)),
        "window" => ("4096", json!(4096)),
        "drain_seconds" | "header_seconds" => ("33", json!(33)),
        _ => ("1001", json!(1001)),
    };
    assert!(keys.len() > 60, "{keys:?}");
    for keys in [keys, of_database, [of_folder, vec!["embedder.model"]].concat()] {
        let variables: Vec<(String, &str)> = keys.iter().map(|key| (name(key), value(key).0)).collect();
        let environment: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let expect: serde_json::Map<String, Value> = keys.iter().map(|key| (key.to_string(), value(key).1)).collect();
        assert_eq!(Set { environment: &environment, ..Set::default() }.values(), Value::Object(expect));
    }
}

#[test]
fn all_errors_are_reported_at_once_with_their_place() {
    let file = "[server]\nlisten = \"everywhere\"\nlisen = 1\nmax_connections = 0\n\n[limits]\nburst = -1\n\n\
                [log]\nformat = \"xml\"\n[modles]\n[models]\nbase_url = \"ftp://x\"\n";
    let environment = &[("ANNALS_LIMITS_CONCURRENT", "many"), ("ANNALS_SERVER_LISTN", "1"), ("ANNALS_CACHE", "/x")];
    let set = Set { file, environment, flags: &["backup.keep=0", "server", "backup.kep=1"] };
    let answer = set.run(&["config", "check"]);
    let mut output: Vec<&str> = answer.err.strip_prefix("annals: ").unwrap().lines().collect();
    output.sort_unstable();
    assert_eq!(answer.code, 2);
    assert_eq!(
        output,
        [
            "--set needs a key and a value, as in server.listen=127.0.0.1:80",
            "--set: backup.keep is 0; 1 to 10000 are allowed",
            "--set: backup.kep is not a configuration key; expected one of `target` or `keep`",
            "ANNALS_LIMITS_CONCURRENT: limits.concurrent must be a whole number, and not a negative one",
            "ANNALS_SERVER_LISTN in the environment does not match any configuration key",
            "FILE: line 10: log.format must be `text` or `json`",
            "FILE: line 11: modles is not a configuration key; expected one of `catalog`, `objects`, `cluster`, `server`, `limits`, `log`, `models`, `embedder`, `backup`",
            "FILE: line 12: models.model is missing",
            "FILE: line 13: models.base_url must begin with http:// or https://",
            "FILE: line 2: server.listen must be an address with a port, such as 127.0.0.1:7411",
            "FILE: line 3: server.lisen is not a configuration key; expected one of `listen`, `hosts`, `origins`, `max_body_kib`, `max_upload_mib`, `max_connections`, \
             `max_connections_per_peer`, `header_seconds`, `request_seconds`, `drain_seconds`",
            "FILE: line 4: server.max_connections is 0; 1 to 50000 are allowed",
            "FILE: line 7: limits.burst must be a whole number, and not a negative one",
        ]
    );
    // Other commands are refused with these settings as well.
    assert_eq!(set.run(&["import", "/dev/null"]).code, 2);
}

#[test]
fn invalid_toml_is_reported_by_line() {
    let set = Set { file: "[server]\nlisten = \"127.0.0.1:1\nhosts = [\n", ..Set::default() };
    let answer = set.run(&["config", "check"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("FILE: line 2: the file cannot be read"), "{}", answer.err);
    assert!(answer.err.contains("line 3") || answer.err.contains("line 4"), "both faults: {}", answer.err);
}

#[test]
fn values_of_the_wrong_type_are_reported() {
    fn check(flag: &str, expect: &str) {
        Set { flags: &[flag], ..Set::default() }.is_refused(&[&format!("--set: {expect}")]);
    }
    check("server=5", "server must be a table");
    check("server.hosts.a=5", "server.hosts must be a list");
    check("models.daily.off=perhaps", "models.daily.off must be true or false");
    check("models.timeout.a=1", "models.timeout must be seconds or words such as 2m 30s");
    check("models.shares.old=-1", "models.shares.old must be a whole number, and not a negative one");
    check("models.ungrounded=5", "models.ungrounded must be a text");
    check("log.level=loud", "log.level must be one of `off`, `error`, `warn`, `info`, `debug`, `trace`");
    check(
        "nothing.at.all=1",
        "nothing is not a configuration key; expected one of `catalog`, `objects`, `cluster`, `server`, `limits`, `log`, `models`, `embedder`, `backup`",
    );
}

#[test]
fn empty_variable_counts_as_unset() {
    assert_eq!(Set { environment: &[("ANNALS_BACKUP_KEEP", "")], ..Set::default() }.values(), json!({}));
}

#[test]
fn variable_named_by_key_env_may_look_like_a_setting() {
    let file = "[models]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\nkey_env = \"ANNALS_MODELS_OWN\"\n";
    let set = Set { file, environment: &[("ANNALS_MODELS_OWN", "sk-own")], ..Set::default() };
    assert_eq!(set.values()["models.key_env"], json!("ANNALS_MODELS_OWN"));
    let without = Set { file: "", ..set };
    without.is_refused(&["ANNALS_MODELS_OWN in the environment does not match any configuration key"]);
}

#[test]
fn no_secret_is_ever_shown() {
    let secret = "sk-very-secret-0123456789";
    let good = format!("[models]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\nkey = \"{secret}\"\n");
    for args in [&["config", "show"][..], &["config", "show", "--json"], &["config", "check"]] {
        let shown = Set { file: &good, ..Set::default() }.run(args);
        assert_eq!(shown.code, 0, "{}", shown.err);
        assert!(shown.out.contains("(set)") && !shown.out.contains(secret), "{}", shown.out);
    }
    let database = format!("[catalog]\nurl = \"postgres://me:{secret}@localhost/annals\"\n");
    let shown = Set { file: &database, ..Set::default() }.run(&["config", "show", "--json"]);
    assert!(shown.code == 0 && shown.out.contains("(set)") && !shown.out.contains(secret), "{}", shown.out);
    let files = [
        format!("{database}[backup]\ntarget = \"/backups\"\n"),
        format!("[catalog]\nurl = \"me:{secret}@localhost\"\n"),
        format!("[catalog]\nurl = \"postgres://me@localhost/annals?{secret}=1\"\n"),
        format!("[models]\nkey = [\"{secret}\"]\n"),
        format!("[models]\nkey = \"{secret}\n"),
        format!("[models]\nkey = {secret}\n"),
        format!("[models]\nwindow = \"{secret}\"\ntimeout = \"{secret}\"\n"),
        format!("[models]\nkey \"{secret}\"\n"),
        format!("[models]\nkey = \"{secret}\"\nkey = \"{secret}\"\n"),
        format!("[log]\nlevel = \"{secret}\"\n"),
        format!("[server]\nlisten = \"{secret}\"\n"),
    ];
    for file in &files {
        let answer = Set { file, ..Set::default() }.run(&["config", "show"]);
        assert_eq!(answer.code, 2, "{file}");
        assert!(!(answer.err + &answer.out).contains("sk-very"), "{file}");
    }
    for flag in [secret.to_owned(), format!("models.window={secret}")] {
        let answer = Set { flags: &[&flag], ..Set::default() }.run(&["config", "show"]);
        assert!(answer.code == 2 && !answer.err.contains(secret), "{}", answer.err);
    }
    let set = Set { environment: &[("ANNALS_MODELS_WINDOW", secret)], ..Set::default() };
    let answer = set.run(&["config", "show"]);
    assert!(answer.code == 2 && !answer.err.contains(secret), "{}", answer.err);
}

/// docs/config.schema.json is for editors, which cannot run `annals config schema`.
#[test]
fn configuration_schema_on_disk_is_current() {
    let answer = Set::default().run(&["config", "schema"]);
    let printed: Value = serde_json::from_str(&answer.out).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/config.schema.json");
    let on_disk: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(printed == on_disk, "run: scripts/run config schema > docs/config.schema.json");
    assert_eq!(printed["properties"].as_object().unwrap().len(), 9, "{printed}");
}

#[test]
fn schema_has_every_key_that_is_shown() {
    let schema: Value = serde_json::from_str(&Set::default().run(&["config", "schema"]).out).unwrap();
    let shown: Value = serde_json::from_str(&Set::default().run(&["config", "show", "--json"]).out).unwrap();
    let missing = |key: &&str| key.split('.').try_fold(&schema, |table, name| property(&schema, table, name)).is_none();
    let keys = shown["settings"].as_array().unwrap().iter().map(|setting| setting["key"].as_str().unwrap());
    assert_eq!(keys.filter(missing).collect::<Vec<_>>(), Vec::<&str>::new());
}

/// Returns the schema of a key of a table, which may be given by a reference.
fn property<'a>(schema: &'a Value, table: &'a Value, name: &str) -> Option<&'a Value> {
    let reference = table["$ref"].as_str().or_else(|| table["allOf"][0]["$ref"].as_str());
    let table = reference.and_then(|path| schema.pointer(path.trim_start_matches('#'))).unwrap_or(table);
    table["properties"].get(name)
}
