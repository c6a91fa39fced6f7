use crate::kinds::fixtures::{check, check_damaged, check_longer, fixture, keyed, options, read};
use crate::kinds::testing::zipped;
use crate::{DateOrder, Kind};

#[test]
fn chats_of_many_phones_are_read() {
    for name in [
        "ios.txt",
        "android.txt",
        "us.txt",
        "monotonic.txt",
        "german.txt",
        "spanish.txt",
        "iso.txt",
        "turkish-dots.txt",
        "arabic-digits.txt",
        "japanese.txt",
        "dst.txt",
        "not-a-chat.txt",
        "bad-date.txt",
        "chat-folder",
        "WhatsApp Chat with Arvid.txt",
    ] {
        check(Kind::WhatsApp, &format!("whatsapp/{name}"), &options("Europe/Stockholm"));
    }
}

#[test]
fn undecided_date_order_is_requested() {
    let mut options = options("UTC");
    let undecided = fixture("whatsapp/undecided.txt");
    let error = read(Kind::WhatsApp, &undecided, &options).unwrap_err().to_string();
    assert!(error.contains("undecided.txt") && error.contains("--date-order"), "{error}");
    for (order, days) in [(DateOrder::DayMonthYear, "2022-02-01"), (DateOrder::MonthDayYear, "2022-01-02")] {
        options.date_order = Some(order);
        let (_, summary) = read(Kind::WhatsApp, &undecided, &options).unwrap();
        assert_eq!(summary.days.first().unwrap().to_string(), days);
    }
}

#[test]
fn option_does_not_change_an_order_that_the_file_shows() {
    let mut american = options("UTC");
    american.date_order = Some(DateOrder::MonthDayYear);
    let (_, summary) = read(Kind::WhatsApp, &fixture("whatsapp/monotonic.txt"), &american).unwrap();
    assert_eq!(summary.days.last().unwrap().to_string(), "2022-02-02");
}

#[test]
fn later_export_that_begins_elsewhere_adds_only_what_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let later = folder.path().join("android.txt");
    std::fs::copy(fixture("whatsapp/android-longer.txt"), &later).unwrap();
    check_longer(Kind::WhatsApp, "whatsapp/android.txt", later.to_str().unwrap(), 1, &options("Europe/Stockholm"));
}

#[test]
fn chat_of_ios_is_named_by_its_archive() {
    let folder = tempfile::tempdir().unwrap();
    let chat = "[14/10/2021, 15:34:09] Tove: Hi\n";
    for (name, expect) in
        [("WhatsApp Chat - Tove.zip", "Tove"), ("WhatsApp Chat - Tove (2).zip", "Tove"), ("export.zip", "chat")]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, zipped(&[("_chat.txt", chat.as_bytes()), ("00000001-PHOTO.jpg", b"\xff")])).unwrap();
        let (items, _) = read(Kind::WhatsApp, &path, &options("UTC")).unwrap();
        assert!(keyed(&items).keys().all(|key| key.starts_with(&format!("whatsapp:{expect}/"))), "{name}");
    }
}

#[test]
fn named_speaker_is_the_assistant() {
    let mut named = options("UTC");
    named.assistants = vec!["Arvid".into()];
    let (_, summary) = read(Kind::WhatsApp, &fixture("whatsapp/WhatsApp Chat with Arvid.txt"), &named).unwrap();
    assert_eq!(summary.of_role(annals_core::Role::Assistant), 1);
}

#[test]
fn damaged_input_does_no_harm() {
    for name in ["ios.txt", "android.txt", "spanish.txt", "arabic-digits.txt"] {
        check_damaged(Kind::WhatsApp, &format!("whatsapp/{name}"), 100, &options("UTC"));
    }
}
