//! Invariants of every summary, on small cases; `random` has random conversations.

mod random;

use annals_core::ports::Background;
use annals_core::{Agent, Body, Interval, MemoryId, Period, Role, Timestamp, TurnKey, Zones};

use super::*;

fn agent() -> Agent {
    Agent::new("a").unwrap()
}

/// Returns a turn on the `day`th of May 2023, `minute` minutes after midnight.
pub(super) fn turn(day: i64, minute: i64, role: Role, speaker: &str, text: &str) -> Memory {
    let at = Timestamp::from_second(1_682_899_200 + (day - 1) * 86_400 + minute * 60).unwrap();
    let date = Zones::new("UTC").unwrap().day_of(at);
    let key = TurnKey { conversation: "c".into(), id: format!("{day:03}-{minute:05}") };
    Memory {
        id: MemoryId::turn(&agent(), &key),
        grain: Grain::Working,
        period: Period::of(Grain::Daily, date),
        cover: Interval { start: at, end: at },
        days: (date, date),
        text: text.to_owned(),
        pinned: false,
        seq: 0,
        body: Body::Turn { speaker: speaker.to_owned(), role, conversation: key.conversation, message: key.id },
    }
}

/// Returns turns of one day, one a minute, each given as `Ann: I moved to Berlin.`
fn day(lines: &[&str]) -> Vec<Memory> {
    let turn = |(minute, line): (usize, &&str)| {
        let (speaker, text) = line.split_once(": ").unwrap();
        turn(8, i64::try_from(minute).unwrap(), Role::User, speaker, text)
    };
    lines.iter().enumerate().map(turn).collect()
}

pub(super) fn write(grain: Grain, sources: &[Memory]) -> Draft {
    write_upon(Period::of(grain, sources[0].days.0), None, sources)
}

fn write_upon(period: Period, base: Option<&Base>, sources: &[Memory]) -> Draft {
    write_after(&[], period, base, sources)
}

/// Writes a summary with earlier turns.
fn write_after(earlier: &[Memory], period: Period, base: Option<&Base>, sources: &[Memory]) -> Draft {
    let (agent, settings, now) = (agent(), Settings::default(), Timestamp::UNIX_EPOCH);
    let background = Background { earlier: earlier.to_vec(), ..Background::default() };
    let (agent, settings, background) = (&agent, &settings, Some(&background));
    let task = SummaryTask { agent, settings, period, sources, base, read_seq: 0, now, background, access_key: None };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(Extractive.summarize(task)).unwrap()
}

/// Returns the parts of a summary that are kept when it is sealed.
fn sealed(summary: Memory) -> Base {
    let Memory { text, body: Body::Summary { sentences, sources }, .. } = summary else {
        panic!("{summary:?} is no summary")
    };
    Base { text, sentences, sources, verbatim: true }
}

fn summary(grain: Grain, sources: &[Memory]) -> Memory {
    let draft = write(grain, sources);
    let period = Period::of(grain, sources[0].days.0);
    Memory {
        id: MemoryId::summary(&agent(), period),
        grain,
        period,
        cover: Zones::new("UTC").unwrap().cover(period),
        days: (sources[0].days.0, sources[sources.len() - 1].days.1),
        text: draft.text,
        pinned: false,
        seq: 0,
        body: Body::Summary {
            sentences: draft.sentences,
            sources: sources.iter().map(|source| source.id.clone()).collect(),
        },
    }
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Returns the summaries of one grain above these memories, in order.
fn roll_up(grain: Grain, memories: &[Memory]) -> Vec<Memory> {
    let same_period = |one: &Memory, next: &Memory| one.period.ancestor(grain) == next.period.ancestor(grain);
    memories.chunk_by(same_period).map(|children| summary(grain, children)).collect()
}

/// Returns the sources of summaries of a grain: the turns for days, otherwise daily summaries.
fn roll_up_to(grain: Grain, turns: &[Memory]) -> Vec<Memory> {
    if grain == Grain::Daily { turns.to_vec() } else { roll_up(Grain::Daily, turns) }
}

#[test]
fn question_in_a_log_leaves_it_a_record_and_many_subjects_get_no_label() {
    #[track_caller]
    fn check(entries: &[&str], expect: &str) {
        let turns: Vec<Memory> = (1..).zip(entries).map(|(day, text)| turn(day, 0, Role::User, "Wire", text)).collect();
        let (last, earlier) = turns.split_last().unwrap();
        let written = write_after(earlier, Period::of(Grain::Daily, last.days.0), None, std::slice::from_ref(last));
        assert_eq!(written.sentences[0].text, expect, "{entries:?}");
    }
    let paper =
        ["Fire kills Ann Lee in Halden.", "Halden Town signs Leon Mbeki.", "The A614 is shut.", "Snow falls in Tarn."];
    check(&[&paper[..], &["Norbryg closes a brewery in Ashby."]].concat(), "Norbryg closes a brewery in Ashby.");
    let log = ["renewed the wildcard cert", "moved the backup to 03:30", "disk 2 at 88%", "fixed the dns zone"];
    let failed = "restore test of the backup failed. since when??";
    check(&[&log[..], &[failed]].concat(), "restore test of the backup failed.");
}

#[test]
fn summary_quotes_content_only() {
    fn check(lines: &[&str], expect: &str) {
        assert_eq!(write(Grain::Daily, &day(lines)).text, expect);
    }
    check(&["Ann: I moved to Berlin."], "Ann: I moved to Berlin.");
    check(
        &["Ann: Hey Bob! Good to see you!", "Bob: Hi! I sold the car on Monday.", "Ann: Wow, cool!", "Bob: :-)"],
        "Bob: I sold the car on Monday [2023-05-08].",
    );
    check(
        &[
            "Ann: We got a puppy from Spain. Her name is Luna.",
            "Ann: She eats shoes",
            "Bob: Does Luna sleep in the kitchen?",
        ],
        "Ann: We got a puppy from Spain. The puppy's name is Luna. / She eats shoes",
    );
    check(&["Ann: Does Luna sleep in the kitchen?"], "Ann: Does Luna sleep in the kitchen?");
    check(&["Ann: ", "Bob: \n \t", "Ann: The bakery closed."], "Ann: The bakery closed.");
    check(&["Ann: The bakery closed.", "Bob: The bakery closed."], "Ann: The bakery closed.");
    check(&["Ann: The bakery closed."], "Ann: The bakery closed.");
    check(&["Ann: Quiet day."], "Small talk only: 1 message by Ann.");
    check(&["Ann: Devon and I split up. He keeps the dog."], "Ann: Devon and I split up. He keeps the dog.");
    check(
        &["Ann: The funeral is in Canford", "Ann: on Thursday, 11am", "Bob: ok", "Ann: sorry, Friday 6th"],
        "Ann: The funeral is in Canford / on Thursday [2023-05-11], 11am → “sorry, Friday 6th”",
    );
    check(
        &["Ann: funeral is on Thursday, 11am, Canford", "Bob: ok", "Ann: sorry, Friday 19th"],
        "Ann: funeral is on Thursday [2023-05-11], 11am, Canford → “sorry, Friday 19th”",
    );
    check(
        &[
            "Ann: We were at the cinema on Monday with Tom",
            "Bob: Are you coming on Friday?",
            "Ann: no wait, Saturday 13th",
        ],
        "Ann: We were at the cinema on Monday [2023-05-08] with Tom\nAnn: no wait, Saturday 13th [2023-05-13]",
    );
    check(
        &["Ann: FYI\nFrom: Kyle Brandt <kyle@b.example>\nSubject: Crane\nWe bring the crane to Lakeview on April 20."],
        "Ann: (From: Kyle Brandt) We bring the crane to Lakeview on April 20.",
    );
    check(&["Ann: hi", "Bob: hello!", "Ann: ok"], "Small talk only: 3 messages by Ann and Bob.");
    check(&["Ann: "], "Small talk only: 1 message by Ann.");
}

#[test]
fn key_events_are_kept_and_masked_credentials_dropped() {
    fn check(lines: &[&str], expect: &str) {
        assert_eq!(write(Grain::Daily, &day(lines)).text, expect);
    }
    let five = [
        "Ann: Hi, can you help me set up the project?",
        "Ann: My API key is [masked:api-key].",
        "Ann: We decided to use Postgres instead of MySQL; the deadline is 5 December.",
        "Bob: Great, thanks!",
        "Ann: ok",
    ];
    check(&five, "Ann: We decided to use Postgres instead of MySQL; the deadline is 5 December.");
    check(
        &["Ann: Look at this! [shared a picture: a photo of a dog]", "Ann: So yesterday I sold the boat. It was time!"],
        "Ann: Yesterday [2023-05-07] I sold the boat.",
    );
}

#[test]
fn yearly_summary_keeps_lasting_events() {
    let chat = [
        "The light in here is lovely.",
        "I lost my job as a banker.",
        "I had a sandwich with my neighbour and we talked a while.",
        "We should stay positive and follow our dreams.",
        "I opened my own dance studio on Main Street.",
        "My sister Anna got married in Rome.",
    ];
    let days = (0..).step_by(20);
    let turns: Vec<Memory> = chat.iter().zip(days).map(|(text, day)| turn(day, 0, Role::User, "Jon", text)).collect();
    let mut memories = turns;
    for grain in Grain::SUMMARIES {
        memories = roll_up(grain, &memories);
    }
    let year = &memories[0].text;
    for kept in ["lost my job", "dance studio", "Anna got married"] {
        assert!(year.contains(kept), "{kept}: {year}");
    }
    for dropped in ["lovely", "sandwich", "dreams"] {
        assert!(!year.contains(dropped), "{dropped}: {year}");
    }
}

#[test]
fn tool_and_system_turns_are_quoted_only_if_nobody_spoke() {
    fn check(roles: [Role; 2], expect: &str) {
        let turns = [turn(8, 0, roles[0], "x", "The server has four disks."), turn(8, 1, roles[1], "y", "ok")];
        assert_eq!(write(Grain::Daily, &turns).text, expect);
    }
    check([Role::Tool, Role::User], "Small talk only: 2 messages by x and y.");
    check([Role::System, Role::Assistant], "Small talk only: 2 messages by x and y.");
    check([Role::Tool, Role::System], "x: The server has four disks.");
    check([Role::Assistant, Role::Tool], "x: The server has four disks.");
}

#[test]
fn every_child_is_quoted_before_one_dominates() {
    let text: String = (0..30).map(|n| format!("Room {n} has {n}0 grey chairs and {n}5 green tables. ")).collect();
    let mut turns: Vec<Memory> =
        (0..9).map(|n| turn(8, n, Role::User, "Ann", &format!("My cousin{n} sailed."))).collect();
    turns.insert(4, turn(8, 100, Role::User, "Bob", &text));
    let draft = write(Grain::Daily, &turns);
    for source in &turns {
        assert!(draft.sentences.iter().any(|sentence| sentence.from == [source.id.clone()]), "{}", source.text);
    }
    assert!(draft.sentences.iter().filter(|sentence| sentence.speaker.as_deref() == Some("Bob")).count() > 1);
}

#[test]
fn sentence_longer_than_the_budget_is_cut_at_a_word() {
    let long = (0..90).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    let draft = write(Grain::Daily, &day(&[&format!("Ann: {long}")]));
    assert_eq!(draft.text.split_whitespace().count(), 60);
    assert!(draft.text.ends_with(" word58…"), "{}", draft.text);
}

#[test]
fn small_talk_is_passed_on_only_without_other_content() {
    let quiet = summary(Grain::Daily, &[turn(8, 0, Role::User, "Ann", "hi")]);
    let lively = summary(Grain::Daily, &[turn(9, 0, Role::User, "Ann", "I moved to Berlin.")]);
    let week = summary(Grain::Weekly, &[quiet.clone(), lively]);
    assert_eq!(week.text, "2023-05-09 Ann: I moved to Berlin.");
    assert_eq!(write(Grain::Monthly, &[week]).text, "2023-05-09 Ann: I moved to Berlin.");
    let quiet_week = summary(Grain::Weekly, &[quiet]);
    assert_eq!(write(Grain::Monthly, &[quiet_week]).text, "2023-05-08 Small talk only: 1 message by Ann.");
}

#[test]
fn sealed_day_is_amended_with_late_turns() {
    fn check(kept: &[&str], late: &[&str], expect: &str) {
        let period = Period::of(Grain::Daily, day(kept)[0].days.0);
        let base = sealed(summary(Grain::Daily, &day(kept)));
        assert_eq!(write_upon(period, Some(&base), &day(late)).text, expect);
    }
    let moved = ["Ann: I moved to Berlin.", "Bob: Hi!"];
    check(&moved, &[], "Ann: I moved to Berlin.");
    check(&moved, &["Bob: I sold the car."], "Ann: I moved to Berlin.\nBob: I sold the car.");
    check(&moved, &["Ann: I moved to Berlin."], "Ann: I moved to Berlin.");
    check(&moved, &["Bob: ok"], "Ann: I moved to Berlin.");
    check(&["Ann: hi"], &["Bob: ok"], "Small talk only: 1 message by Ann.");
    check(&["Ann: hi"], &["Bob: I sold the car."], "Bob: I sold the car.");
}

#[test]
fn short_late_turn_takes_only_its_own_room_from_a_sealed_day() {
    let turn = |n| {
        turn(
            8,
            n,
            Role::User,
            "Ann",
            &format!("Cousin{n} sailed to Bergen. So did the three of them, now and then, if it is not too far."),
        )
    };
    let base = sealed(summary(Grain::Daily, &(0..20).map(turn).collect::<Vec<_>>()));
    let amended = write_upon(turn(0).period, Some(&base), &day(&["Bob: I sold the car."]));
    assert!(words(&base.text) > 50, "{}", base.text);
    assert!(words(&amended.text) >= words(&base.text) - 1, "{}", amended.text);
    assert!(amended.text.ends_with("\nBob: I sold the car."), "{}", amended.text);
}

#[test]
fn sealed_week_is_amended_in_order_of_days() {
    let summary_of = |day, text| summary(Grain::Daily, &[turn(day, 0, Role::User, "Ann", text)]);
    let kept = [summary_of(9, "I moved to Berlin."), summary_of(11, "Our bakery closed.")];
    let base = sealed(summary(Grain::Weekly, &kept));
    let late = [summary_of(8, "Cousin Tom sails to Oslo."), summary_of(11, "Lake Thun froze.")];
    let draft = write_upon(Period::of(Grain::Weekly, kept[0].days.0), Some(&base), &late);
    assert_eq!(
        draft.text,
        "2023-05-08 Ann: Cousin Tom sails to Oslo.\n2023-05-09 Ann: I moved to Berlin.\n\
         2023-05-11 Ann: Our bakery closed.\n2023-05-11 Ann: Lake Thun froze."
    );
}

#[test]
fn base_is_unchanged_if_nothing_can_be_added() {
    let turns = day(&["Ann: I moved to Berlin."]);
    let reworded = Base { text: "A move.".into(), verbatim: false, ..sealed(summary(Grain::Daily, &turns)) };
    let same = write_upon(turns[0].period, Some(&reworded), &[]);
    assert_eq!((same.text, same.sentences, same.verbatim), (reworded.text.clone(), reworded.sentences.clone(), false));
    assert!(!write_upon(turns[0].period, Some(&reworded), &day(&["Bob: I sold the car."])).verbatim);
    let empty = Base { sentences: Vec::new(), ..reworded };
    assert_eq!(write_upon(turns[0].period, Some(&empty), &day(&["Bob: ok"])).text, "A move.");
}

#[test]
fn chinese_text_has_sentences_and_lengths() {
    let text = "我上个月搬到了柏林。新的公寓很大，有三个房间！你什么时候来看我？";
    assert_eq!(
        write(Grain::Daily, &day(&[&format!("安: {text}")])).text,
        "安: 我上个月[2023-04]搬到了柏林。\n安: 新的公寓很大，有三个房间！"
    );
    let many: String = (0..3000).map(|n| char::from_u32(0x4E00 + n).unwrap()).collect();
    let unbroken = write(Grain::Daily, &day(&[&format!("安: {many}")])).text;
    assert!(unbroken.chars().count() <= 125 && unbroken.ends_with('…'), "{unbroken}");
}

/// Reads one text of ten megabytes, and texts of one megabyte each with patterns that could make a search for ends of
/// sentences, clauses or words start over. With quadratic run time this test would take hours.
#[test]
fn huge_turn_is_read_like_any_other() {
    fn check(bytes: usize, piece: &str) {
        let text = piece.repeat(bytes / piece.len());
        let draft = write(Grain::Daily, &[turn(8, 0, Role::User, "Ann", &text)]);
        assert!(!draft.text.is_empty() && words(&draft.text) <= 200);
    }
    check(10_000_000, "The bakery closed on Monday. ");
    for piece in ["ok ", "x", "我去了北京", "a; b ", "1. ", ".1 ", "fri ", "line of a log\n"] {
        check(1_000_000, piece);
    }
}

/// Returns entries of a news wire, one a day from the first of May on.
fn wire(conversation: &str, entries: &[&str]) -> Vec<Memory> {
    let entry = |(day, text): (i64, &&str)| {
        let mut entry = turn(day, 0, Role::User, "Wire", text);
        if let Body::Turn { conversation: name, .. } = &mut entry.body {
            conversation.clone_into(name);
        }
        entry
    };
    (1..).zip(entries).map(entry).collect()
}

/// Returns the lines of the last entry with the indices of their sources.
fn last_lines(entries: &[Memory]) -> Vec<(String, Vec<usize>)> {
    let (last, earlier) = entries.split_last().unwrap();
    let draft = write_after(earlier, last.period, None, std::slice::from_ref(last));
    let position = |id: &MemoryId| entries.iter().position(|entry| entry.id == *id).unwrap();
    let line = |sentence: Sentence| (sentence.text, sentence.from.iter().map(position).collect());
    draft.sentences.into_iter().map(line).collect()
}

#[test]
fn lines_of_a_record_say_what_it_is_about_with_their_sources() {
    const ENTRIES: [&str; 5] = [
        "Part of the Harrow tunnel collapsed in Selvay during the rush hour. The tunnel opened in 1994.",
        "Minister Elin Marwood visits Selvay.",
        "Divers recover nine more bodies.",
        "Parliament sets up an inquiry into the Harrow disaster.",
        "Marwood resigns after the inquiry finds deleted minutes.",
    ];
    #[track_caller]
    fn check(conversation: &str, entries: &[&str], expect: &str, from: &[usize]) {
        assert_eq!(last_lines(&wire(conversation, entries)), [(expect.to_owned(), from.to_vec())]);
    }
    let resigns = "Elin Marwood resigns after the inquiry finds deleted minutes.";
    check("timeline", &ENTRIES, &format!("(Harrow tunnel) {resigns}"), &[4, 1, 0]);
    check("harrow-tunnel", &ENTRIES, &format!("(Harrow tunnel) {resigns}"), &[4, 1, 0]);
    check("selvay-crisis", &ENTRIES, &format!("(Selvay crisis) {resigns}"), &[4, 1]);
    // The writer is the subject.
    let own = ["I took the Harrow tunnel to Selvay.", "I met Tom Marwood in Selvay.", "I rested.", "We left Selvay."];
    check(
        "diary",
        &[&own[..], &["Marwood sold his red boat in Bergen."]].concat(),
        "Tom Marwood sold his red boat in Bergen.",
        &[4, 1],
    );
    // Later entries are about something else.
    let mixed = ["Part of the Harrow tunnel collapsed.", "Rome elects Ida Lund.", "Oslo bans cars.", "Ghent floods."];
    check(
        "news",
        &[&mixed[..], &["Lund raises taxes in Rome by 3%."]].concat(),
        "Ida Lund raises taxes in Rome by 3%.",
        &[4, 1],
    );
    // A paper names the subject of each entry. That a minister comes back does not make her the subject of the others.
    let paper = [
        "Minister Ilse Marant opens the harbour in Aldis.",
        "The nurses of Ketter vote to strike.",
        "The cabinet of Ilse Marant backs a ban of cars in Ketter.",
        "The yards in Aldis ask Marant for help.",
    ];
    let storm = "Storm Gerda cuts power to 86,000 homes in Brack.";
    check("news", &[&paper[..], &[storm]].concat(), storm, &[4]);
}

#[test]
fn sentences_below_a_headline_quote_it() {
    let entries = wire(
        "2023-05-01",
        &[
            "Six libraries to close\nBy Ann Lee, arts writer\nSix libraries of Kelmore will close in July.\nA petition against the closures gathered 22,000 names.",
        ],
    );
    let lines: Vec<String> = last_lines(&entries).into_iter().map(|(line, _)| line).collect();
    let expect = [
        "Six libraries of Kelmore will close in July [2023-07].",
        "(Six libraries to close) A petition against the closures gathered 22,000 names.",
    ];
    assert_eq!(lines, expect);
}

#[test]
fn recipe_differs_by_grain() {
    let mut recipes: Vec<Digest> =
        Grain::SUMMARIES.iter().map(|grain| Extractive.recipe(&Settings::default(), *grain)).collect();
    recipes.sort_unstable();
    recipes.dedup();
    assert_eq!(recipes.len(), 5);
}
