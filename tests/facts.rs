//! Facts by the built-in rules and by hand, through the command.

use serde_json::{Value, json};

use crate::command::Annals;
use crate::story::line;

fn annals_with(lines: &[(&str, &str)]) -> Annals {
    let annals = Annals::new();
    let lines = lines.iter().enumerate();
    annals.import(
        &lines.map(|(id, (at, text))| line("ann", "talk", &id.to_string(), "Ann", text, at)).collect::<String>(),
    );
    annals
}

/// Returns `predicate object` of the facts that a command finds.
fn facts(annals: &Annals, args: &[&str]) -> Vec<String> {
    let found = annals.json(&[&["facts", "--agent", "ann"], args].concat());
    let word = |fact: &Value, field: &str| fact[field].as_str().unwrap().to_owned();
    found["facts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fact| format!("{} {}", word(fact, "predicate"), word(fact, "object")))
        .collect()
}

#[test]
fn move_ends_the_former_residence() {
    let annals = annals_with(&[
        ("2026-01-05T10:00:00Z", "I live in Rome."),
        ("2026-02-05T10:00:00Z", "I moved to Oslo last week."),
        ("2026-03-05T10:00:00Z", "I moved from Oslo to Bern."),
    ]);
    assert_eq!(facts(&annals, &["--about", "ÁNN", "--predicate", "lives in"]), ["lives_in Bern"]);
    assert_eq!(facts(&annals, &["--as-of", "2026-02-20"]), ["lives_in Oslo"]);
    assert_eq!(facts(&annals, &["--history"]).len(), 3);
    assert_eq!(facts(&annals, &["--about", "Bob"]), [""; 0]);
}

#[test]
fn older_message_does_not_overturn_newer_facts() {
    let annals = annals_with(&[("2026-02-05T10:00:00Z", "I live in Oslo.")]);
    assert_eq!(facts(&annals, &[]), ["lives_in Oslo"]);
    annals.import(&line("ann", "diary", "1", "Ann", "I live in Rome.", "2019-02-05T10:00:00Z"));
    assert_eq!(facts(&annals, &[]), ["lives_in Oslo"]);
    assert_eq!(facts(&annals, &["--as-of", "2020-01-01"]), ["lives_in Rome"]);
}

#[test]
fn plan_ends_with_its_day() {
    let annals = annals_with(&[
        ("2023-05-10T10:00:00Z", "I'm flying to Boston tomorrow."),
        ("2023-05-10T10:01:00Z", "I live in Oslo."),
    ]);
    assert_eq!(facts(&annals, &[]), ["lives_in Oslo"]);
    assert_eq!(facts(&annals, &["--as-of", "2023-05-11"]), ["plans flying to Boston", "lives_in Oslo"]);
    assert_eq!(facts(&annals, &["--as-of", "2023-05-13"]), ["lives_in Oslo"]);
    assert_eq!(facts(&annals, &["--history"]), ["plans flying to Boston", "lives_in Oslo"]);
}

#[test]
fn facts_are_added_and_retracted_by_hand() {
    let annals = Annals::new();
    annals.json(&["facts", "add", "Bob", "Likes", "tea", "--agent", "ann", "--since", "2026-01-01"]);
    annals.json(&["facts", "add", "Bob", "likes", "jazz", "--agent", "ann", "--since", "2026-01-02"]);
    annals.json(&["facts", "add", "Bob", "also known as", "Robert", "--agent", "ann"]);
    assert_eq!(facts(&annals, &["--about", "robert", "--predicate", "likes"]), ["likes tea", "likes jazz"]);
    annals.json(&["facts", "retract", "bob", "likes", "TEA", "--agent", "ann"]);
    assert_eq!(facts(&annals, &["--predicate", "likes"]), ["likes jazz"]);
    assert_eq!(annals.run(&["facts", "add", "Bob", " ", "tea", "--agent", "ann"]).code, 2);
    assert_eq!(annals.json(&["verify"])["sound"], json!(true));
}

#[test]
fn damaged_or_missing_table_of_facts_is_rebuilt() {
    let annals = annals_with(&[("2026-01-05T10:00:00Z", "I live in Rome.")]);
    let before = facts(&annals, &[]);
    for file in crate::command::files(&annals.data().join("facts")) {
        std::fs::write(file, "no parquet").unwrap();
    }
    assert_eq!(facts(&annals, &[]), before);
    std::fs::remove_dir_all(annals.data().join("facts")).unwrap();
    assert_eq!(facts(&annals, &[]), before);
}

#[test]
fn system_and_tool_messages_are_stored_and_not_extracted() {
    let annals = Annals::new();
    let message = |id: &str, role: &str| {
        json!({
            "agent": "ann", "conversation": "c", "id": id, "role": role, "content": "I live in Rome.",
            "at": "2026-01-05T10:00:00Z",
        })
        .to_string()
    };
    annals.import(&[message("1", "system"), message("2", "tool")].join("\n"));
    assert_eq!(facts(&annals, &[]), [""; 0]);
    assert_eq!(annals.json(&["status"])["agents"][0]["memories"]["working"], json!(2));
}

#[test]
fn credentials_are_masked_before_they_are_stored() {
    let annals = Annals::new();
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let text = format!("The key is {key}, keep it.");
    let imported = annals.import(&line("ann", "c", "1", "Ann", &text, "2026-01-05T10:00:00Z"));
    assert_eq!(imported["masked"], json!(1));
    assert!(!annals.dump().contains(&key));
    annals.json(&["agent", "create", "bob", "--mask", "false"]);
    annals.import(&line("bob", "c", "1", "Bob", &text, "2026-01-05T10:00:00Z"));
    assert!(annals.dump().contains(&key));
}

/// Returns `subject predicate object` of the facts on a walk or path, each with its depth if it has one.
fn steps(annals: &Annals, args: &[&str]) -> Option<Vec<String>> {
    let found = annals.json(&[&["facts", "--agent", "ann"], args].concat());
    let step = |fact: &Value| {
        let words = ["subject", "predicate", "object"].map(|field| fact[field].as_str().unwrap());
        let depth = fact["depth"].as_u64().map(|depth| format!("{depth} ")).unwrap_or_default();
        format!("{depth}{}", words.join(" "))
    };
    let is_found = found["connected"] != json!(false);
    is_found.then(|| found["facts"].as_array().unwrap().iter().map(step).collect())
}

#[test]
fn walks_and_paths_follow_facts() {
    let annals = Annals::new();
    for [subject, predicate, object, since] in [
        ["Ann", "knows", "Bob", "2026-01-01"],
        ["Bob", "works_at", "Acme", "2026-01-02"],
        ["Robert", "also_known_as", "Bob", "2026-01-03"],
        ["Eve", "works_at", "Acme", "2026-01-04"],
        ["Eve", "likes", "tea", "2026-01-05"],
    ] {
        annals.json(&["facts", "add", subject, predicate, object, "--agent", "ann", "--since", since]);
    }
    assert_eq!(
        steps(&annals, &["--about", "ann", "--depth", "2", "--direction", "out"]).unwrap(),
        ["1 Ann knows Bob", "2 Bob works_at Acme", "2 Robert also_known_as Bob"]
    );
    assert_eq!(
        steps(&annals, &["--about", "tea", "--depth", "9", "--predicate", "likes,works at", "--limit", "2"]).unwrap(),
        ["1 Eve likes tea", "2 Eve works_at Acme"]
    );
    assert_eq!(
        steps(&annals, &["--about", "Ann", "--to", "eve"]).unwrap(),
        ["Ann knows Bob", "Bob works_at Acme", "Eve works_at Acme"]
    );
    assert_eq!(steps(&annals, &["--about", "Ann", "--to", "eve", "--as-of", "2026-01-03"]), None);
    assert_eq!(steps(&annals, &["--about", "Ann", "--to", "eve", "--direction", "out"]), None);
    assert_eq!(steps(&annals, &["--about", "Bob", "--to", "Robert"]).unwrap(), [""; 0]);
    for wrong in [&["--about", "Ann", "--depth", "11"][..], &["--depth", "2"], &["--about", "Ann", "--direction", "up"]]
    {
        assert_eq!(annals.run(&[&["facts", "--agent", "ann"], wrong].concat()).code, 2, "{wrong:?}");
    }
}

#[test]
fn equivalent_names_are_merged_with_a_reason_until_retracted() {
    let annals = Annals::new();
    let add = |subject: &str, predicate: &str, object: &str| {
        annals.json(&["facts", "add", subject, predicate, object, "--agent", "ann", "--since", "2026-01-01"]);
    };
    add("Dr. Bob Smith", "plays", "cello");
    add("Bob", "plays", "cello");
    add("Bob Smith", "lives_in", "Bern");
    let about = ["--about", "Bob", "--predicate", "lives_in"];
    assert_eq!(facts(&annals, &about), ["lives_in Bern"]);
    let merges = annals.json(&["facts", "--agent", "ann", "--predicate", "also_known_as"]);
    let mut why: Vec<&str> = Vec::new();
    for merge in merges["facts"].as_array().unwrap() {
        why.push(merge["properties"]["merged_because"].as_str().unwrap());
        assert!(!merge["source_ids"].as_array().unwrap().is_empty());
    }
    why.sort_unstable();
    assert_eq!(why, ["only_full_name", "same_words"]);
    assert_eq!(annals.json(&["verify"])["sound"], json!(true));
    annals.json(&["rebuild"]);
    assert_eq!(annals.json(&["facts", "--agent", "ann", "--predicate", "also_known_as"]), merges);

    annals.json(&["facts", "retract", "bob", "also known as", "bob smith", "--agent", "ann"]);
    assert_eq!(facts(&annals, &about), [""; 0]);
    add("Bob", "visited", "Lyon");
    assert_eq!(facts(&annals, &about), [""; 0]);
    assert_eq!(facts(&annals, &["--about", "Dr. Bob Smith", "--predicate", "lives_in"]), ["lives_in Bern"]);

    // A stated alias can be retracted in the same way.
    add("Zelda", "also_known_as", "Kit");
    add("Kit", "plays", "oboe");
    let about = ["--about", "Zelda", "--predicate", "plays"];
    assert_eq!(facts(&annals, &about), ["plays oboe"]);
    annals.json(&["facts", "retract", "Zelda", "also known as", "Kit", "--agent", "ann"]);
    assert_eq!(facts(&annals, &about), [""; 0]);
}

#[test]
fn deaths_resignations_and_moves_end_facts() {
    let annals = annals_with(&[
        ("2026-01-05T10:00:00Z", "My dog Bello is six. I work at Siemens. I live in Bern."),
        ("2026-03-05T10:00:00Z", "My dog Bello died yesterday. I quit my job at Siemens on Friday."),
        ("2026-03-06T10:00:00Z", "I no longer live in Bern, we moved to Basel yesterday."),
    ]);
    assert_eq!(facts(&annals, &[]), ["lives_in Basel"]);
    let mut before = facts(&annals, &["--as-of", "2026-02-20"]);
    before.sort();
    assert_eq!(before, ["has_pet Bello", "lives_in Bern", "works_at Siemens"]);
}

#[test]
fn fact_by_hand_that_a_later_one_ends_is_stored_as_ended() {
    let annals = annals_with(&[("2026-02-05T10:00:00Z", "I live in Oslo.")]);
    let add = ["facts", "add", "Ann", "lives_in", "Rome", "--agent", "ann", "--since", "2020-01-01"];
    let answer = annals.run(&add);
    assert!(answer.code == 0 && answer.out.contains("stored as ended"), "{}", answer.out);
    assert_eq!(facts(&annals, &[]), ["lives_in Oslo"]);
    assert_eq!(facts(&annals, &["--as-of", "2021-01-01"]), ["lives_in Rome"]);
}

#[test]
fn hearsay_neither_ends_facts_nor_assigns_names() {
    let annals = Annals::new();
    let words = [
        ("Ann", "I'm married to Tom. I live in Oslo."),
        ("Mallory", "Ann got divorced. Ann moved to Rome. Call me Ann. My name is Ann."),
        ("Mallory", "I live in Bern."),
    ];
    let lines = words.iter().zip(1..).map(|((name, text), day)| {
        line("ann", "talk", &day.to_string(), name, text, &format!("2026-01-0{day}T10:00:00Z"))
    });
    annals.import(&lines.collect::<String>());
    let mut about = facts(&annals, &["--about", "Ann"]);
    about.sort();
    assert_eq!(about, ["lives_in Oslo", "marital_status married", "married_to Tom"]);
    assert_eq!(facts(&annals, &["--about", "Mallory"]), ["lives_in Bern"]);
}

#[test]
fn retracted_alias_is_not_followed_by_forgetting() {
    let annals = annals_with(&[("2026-01-05T10:00:00Z", "The garden needs water.")]);
    annals.json(&["facts", "add", "Mallory", "also_known_as", "Ann", "--agent", "ann", "--since", "2026-01-01"]);
    annals.json(&["facts", "retract", "Mallory", "also_known_as", "Ann", "--agent", "ann"]);
    annals.json(&["forget", "--agent", "ann", "--subject", "Mallory", "--yes"]);
    let found = annals.run(&["search", "garden water", "--agent", "ann"]);
    assert!(found.out.contains("garden needs water"), "{}", found.out);
}

#[test]
fn recalled_memory_is_neither_summarised_nor_read_for_facts() {
    let recalled = "<annals-memory>\n2026-01-01 Ann: I live in Tromsø near the cathedral since my wedding.\n</annals-memory>\n\
                    Today I repaired the green bicycle with my neighbour and we drank coffee.";
    let annals = annals_with(&[
        ("2026-01-05T10:00:00Z", recalled),
        ("2026-01-06T10:00:00Z", "<annals-memory>\nI live in Tromsø near the cathedral.\n</annals-memory>"),
    ]);
    annals.json_after(24 * 30, &["rollup", "--agent", "ann"]);
    for grain in ["daily", "weekly", "monthly"] {
        let found = annals.run_after(24 * 30, &["timeline", "--agent", "ann", "--grain", grain]).out;
        assert!(found.contains("bicycle") && !found.contains("Troms"), "{grain}: {found}");
    }
    assert_eq!(facts(&annals, &[]), [""; 0]);
}
