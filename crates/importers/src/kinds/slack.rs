//! Reads the export of a Slack workspace: a folder per channel with a file per day, and lists of users and channels.
//!
//! A channel becomes a conversation with the id `slack:CHANNEL`, which stays the same if the channel is renamed. The id of a
//! message is its `ts`, which is unique within a channel. People have the role `user` with a name. Messages of bots are
//! imported on request, with the role `tool`. Speakers that the options name as assistants have the role `assistant`.

mod directory;
mod text;

use annals_core::{Message, Result, Role};
use serde_json::Value;

use crate::dates;
use crate::detect::{Fit, Sample};
use crate::item::Location;
use crate::kind::Importer;
use crate::kinds::texts::{each_value, extension};
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};
use directory::{Directory, LISTS, Speaker};

pub struct Slack;

/// Subtypes of messages that a person wrote. They are imported like messages without a subtype.
const WRITTEN: [&str; 5] = ["me_message", "thread_broadcast", "file_share", "file_comment", "reply_broadcast"];
/// Subtypes of events, which nobody wrote. They are counted as skipped.
const EVENTS: [&str; 38] = [
    "channel_join",
    "channel_leave",
    "channel_topic",
    "channel_purpose",
    "channel_name",
    "channel_archive",
    "channel_unarchive",
    "channel_convert_to_private",
    "channel_posting_permissions",
    "channel_canvas_updated",
    "channel_created",
    "group_join",
    "group_leave",
    "group_topic",
    "group_purpose",
    "group_name",
    "group_archive",
    "group_unarchive",
    "bot_add",
    "bot_remove",
    "bot_enable",
    "bot_disable",
    "pinned_item",
    "unpinned_item",
    "reminder_add",
    "reminder_delete",
    "tombstone",
    "message_deleted",
    "message_changed",
    "message_replied",
    "huddle_thread",
    "sh_room_created",
    "sh_room_shared",
    "app_conversation_join",
    "joiner_notification",
    "joiner_notification_for_inviter",
    "ekm_access_denied",
    "assistant_app_thread",
];

impl Importer for Slack {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        let entries = sample.entries().to_vec();
        let has = |name: &str| entries.iter().any(|entry| entry.name() == name);
        let has_users = has("users.json") || has("org_users.json");
        let day = entries.iter().filter(|entry| is_day(entry)).take(3).find(|entry| {
            let keys = sample.keys(entry);
            keys.iter().any(|key| key == "ts") && keys.iter().any(|key| key == "type")
        });
        match (day, has_users && LISTS.iter().any(|(name, _)| has(name))) {
            (Some(_), true) => Fit::Clear("lists of users and channels are there, and days with messages".into()),
            (Some(day), false) => Fit::Possible(format!("{} has messages with ts", day.path)),
            (None, true) => Fit::Possible("lists of users and channels are there".into()),
            (None, false) => Fit::No,
        }
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        let directory = Directory::read(source, output)?;
        let mut open = String::new();
        for entry in source.entries().to_vec() {
            let location = entry.location();
            if directory::is_list(&entry) {
                continue;
            }
            if !is_day(&entry) {
                let kind = format!("file that is no day of a channel (.{})", extension(&entry));
                output.skip(Skip::no_message(kind, &location));
                continue;
            }
            let folder = entry.path.rsplit('/').nth(1).unwrap_or_default();
            let channel = directory.channel(folder);
            let conversation = format!("slack:{}", channel.id);
            if open != conversation {
                output.conversation(&conversation, Some(&channel.title), None, &location)?;
                open.clone_from(&conversation);
            }
            each_value(source, &entry, output, |value, location, output| {
                message(value, &conversation, &directory, location, output)
            })?;
        }
        Ok(())
    }
}

/// Returns whether a file has the messages of one day in a channel: `CHANNEL/2026-03-09.json`.
fn is_day(entry: &Entry) -> bool {
    entry.has_extension("json") && entry.stem().parse::<annals_core::Date>().is_ok()
}

fn message(
    value: &Value,
    conversation: &str,
    directory: &Directory,
    location: &Location,
    output: &mut Output<'_>,
) -> Result<()> {
    let Some(ts) = ts_of(value) else {
        output.skip(Skip::damaged("message without ts", "", location));
        return Ok(());
    };
    let location = &location.at_entry(format!("ts {ts}"));
    let speaker = directory.speaker(value);
    let role = match check_subtype(value, location).and_then(|()| role_of(&speaker, location, output)) {
        Ok(role) => role,
        Err(skip) => {
            output.skip(skip);
            return Ok(());
        }
    };
    let text = text::of_message(value, directory);
    let files = value["files"].as_array().map_or(0, Vec::len);
    (0..files).for_each(|_| output.skip(Skip::no_message("attached file", location)));
    if text.trim().is_empty() {
        if files == 0 {
            output.skip(Skip::no_message("empty message", location));
        }
        return Ok(());
    }
    let Some(at) = dates::of_text(ts, &output.options().zone) else {
        output.skip(Skip::new(SkipReason::Undated, "message with an impossible ts", ts, location));
        return Ok(());
    };
    // A message that was also sent to the channel occurs in the thread and in the channel with the same `ts`.
    if !output.is_new(&format!("{conversation}/{ts}")) {
        output.skip(Skip::new(SkipReason::Repeated, "message that occurs twice", "", location));
        return Ok(());
    }
    let me = output.options().me.clone().filter(|me| speaker.is_among(std::slice::from_ref(me)));
    let message = Message {
        conversation: conversation.to_owned(),
        client_id: Some(ts.to_owned()),
        role,
        name: Some(me.unwrap_or(speaker.name)),
        content: text,
        at,
    };
    output.message(message, location)
}

/// Returns why a message that is an event, or of an unknown subtype, is left out.
fn check_subtype<'a>(value: &Value, location: &'a Location) -> std::result::Result<(), Skip<'a>> {
    match value["subtype"].as_str() {
        None | Some("" | "bot_message" | "slackbot_response") => Ok(()),
        Some(subtype) if WRITTEN.contains(&subtype) => Ok(()),
        Some(subtype) if EVENTS.contains(&subtype) => Err(Skip::no_message(format!("event {subtype}"), location)),
        Some(subtype) => Err(Skip::unknown(format!("unknown subtype {subtype:?}"), "", location)),
    }
}

/// Returns the role of a speaker, or why messages of this bot are left out.
fn role_of<'a>(speaker: &Speaker, location: &'a Location, output: &Output<'_>) -> std::result::Result<Role, Skip<'a>> {
    match () {
        () if speaker.is_among(&output.options().assistants) => Ok(Role::Assistant),
        () if !speaker.is_bot => Ok(Role::User),
        () if output.options().tools => Ok(Role::Tool),
        () => {
            let what = format!("message of the bot {} (--tools, --assistant)", speaker.name);
            Err(Skip::option(what, location))
        }
    }
}

/// Returns the `ts` of a message, which is both its time and its id; `None` if it is missing.
fn ts_of(value: &Value) -> Option<&str> {
    value["ts"].as_str().filter(|ts| !ts.is_empty())
}

#[cfg(test)]
mod tests;
