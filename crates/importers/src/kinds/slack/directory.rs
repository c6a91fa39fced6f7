//! Names of the users and channels of a Slack export.

use std::collections::HashMap;

use annals_core::Result;
use serde_json::Value;

use crate::kinds::texts::each_value;
use crate::output::Output;
use crate::skipped::Skip;
use crate::source::{Entry, Source};

/// The files with lists of channels, and the kind of their channels.
pub const LISTS: [(&str, &str); 4] = [
    ("channels.json", "channel"),
    ("groups.json", "private channel"),
    ("dms.json", "direct messages"),
    ("mpims.json", "group messages"),
];
const USERS: [&str; 2] = ["users.json", "org_users.json"];

/// The users and channels that the lists of an export contain.
#[derive(Default)]
pub struct Directory {
    /// Users by id.
    users: HashMap<String, Speaker>,
    /// Channels by the name of their folder.
    channels: HashMap<String, Channel>,
    /// Names of channels by id.
    names: HashMap<String, String>,
}

#[derive(Clone)]
pub struct Channel {
    /// The id of the channel, or the name of its folder if the lists do not contain it.
    pub id: String,
    /// `#NAME`; for direct and group messages the kind and the names of the members.
    pub title: String,
}

/// The author of a message.
#[derive(Clone)]
pub struct Speaker {
    /// The name that people see.
    pub name: String,
    /// Whether the author is a program.
    pub is_bot: bool,
    /// Other names: user id, bot id, full name, short name.
    others: Vec<String>,
}

impl Speaker {
    /// Returns whether a name or id of the speaker is among `names`. Ignores case.
    pub fn is_among(&self, names: &[String]) -> bool {
        let own = std::iter::once(&self.name).chain(&self.others);
        own.into_iter().any(|own| names.iter().any(|name| name.to_lowercase() == own.to_lowercase()))
    }
}

/// Returns whether a file is a list that [`Directory::read`] reads.
pub fn is_list(entry: &Entry) -> bool {
    USERS.contains(&entry.name()) || LISTS.iter().any(|(name, _)| entry.name() == *name)
}

impl Directory {
    /// Reads the lists of users and channels. Counts entries without an id as skipped.
    pub fn read(source: &mut Source, output: &mut Output<'_>) -> Result<Directory> {
        let mut directory = Directory::default();
        let entries = source.entries().to_vec();
        for entry in entries.iter().filter(|entry| USERS.contains(&entry.name())) {
            each_value(source, entry, output, |user, location, output| {
                if !directory.add_user(user) {
                    output.skip(Skip::damaged("user without an id", "", location));
                }
                Ok(())
            })?;
        }
        for (list, what) in LISTS {
            for entry in entries.iter().filter(|entry| entry.name() == list) {
                each_value(source, entry, output, |channel, location, output| {
                    if !directory.add_channel(channel, what) {
                        output.skip(Skip::damaged("channel without an id", "", location));
                    }
                    Ok(())
                })?;
            }
        }
        Ok(directory)
    }

    fn add_user(&mut self, user: &Value) -> bool {
        let Some(id) = user["id"].as_str() else { return false };
        let is_bot = user["is_bot"] == true || id == "USLACKBOT";
        let others = std::iter::once(id).chain(names(user)).map(str::to_owned).collect();
        let name = name_of(user).unwrap_or_else(|| id.to_owned());
        self.users.insert(id.to_owned(), Speaker { name, is_bot, others });
        true
    }

    fn add_channel(&mut self, value: &Value, what: &str) -> bool {
        let Some(id) = value["id"].as_str() else { return false };
        let members: Vec<&str> = value["members"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let names: Vec<&str> = members.iter().map(|member| self.user(member)).collect();
        let name = value["name"].as_str().filter(|name| !name.is_empty());
        let title = match name.filter(|_| what.ends_with("channel")) {
            Some(name) => format!("#{name}"),
            None => format!("{what}: {}", names.join(", ")),
        };
        let channel = Channel { id: id.to_owned(), title };
        // The folder of direct messages is named by the id, that of a channel by its name.
        if let Some(name) = name {
            self.names.insert(id.to_owned(), name.to_owned());
            self.channels.insert(name.to_owned(), channel.clone());
        }
        self.channels.insert(id.to_owned(), channel);
        true
    }

    /// Returns the channel of a folder. If the lists do not contain the folder, its name is used as id and title.
    pub fn channel(&self, folder: &str) -> Channel {
        let unknown = || Channel { id: folder.to_owned(), title: format!("#{folder}") };
        self.channels.get(folder).cloned().unwrap_or_else(unknown)
    }

    /// Returns the name of a user, or the id if the lists do not contain it.
    pub fn user<'a>(&'a self, id: &'a str) -> &'a str {
        self.users.get(id).map_or(id, |user| &user.name)
    }

    /// Returns the name of the channel with this id, if the lists contain it.
    pub fn channel_name(&self, id: &str) -> Option<&str> {
        self.names.get(id).map(String::as_str)
    }

    /// Returns the author of a message, with the name in the list of users or else the name in the message itself.
    pub fn speaker(&self, message: &Value) -> Speaker {
        let filled = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let (user, bot) = (filled(&message["user"]), filled(&message["bot_id"]));
        let listed = user.as_ref().and_then(|id| self.users.get(id));
        let profile = &message["user_profile"];
        let name = listed
            .map(|user| user.name.clone())
            .or_else(|| name_of(&serde_json::json!({ "profile": profile })))
            .or_else(|| filled(&message["username"]))
            .or_else(|| filled(&message["bot_profile"]["name"]))
            .or_else(|| user.clone().or_else(|| bot.clone()))
            .unwrap_or_else(|| "unknown".to_owned());
        let is_bot = listed.is_some_and(|user| user.is_bot)
            || bot.is_some()
            || matches!(message["subtype"].as_str(), Some("bot_message" | "slackbot_response"))
            || user.as_deref() == Some("USLACKBOT");
        let others = [user, bot, filled(&message["username"]), filled(&message["bot_profile"]["name"])];
        let of_list = listed.into_iter().flat_map(|user| user.others.iter().cloned());
        Speaker { name, is_bot, others: others.into_iter().flatten().chain(of_list).collect() }
    }
}

/// Returns the name of a user that people see: the display name, the real name, or the short name; `None` without any of these.
fn name_of(user: &Value) -> Option<String> {
    names(user).next().map(str::to_owned)
}

/// Returns the names of a user; the name that people see comes first.
fn names(user: &Value) -> impl Iterator<Item = &str> {
    let profile = &user["profile"];
    [&profile["display_name"], &profile["real_name"], &user["real_name"], &user["name"]]
        .into_iter()
        .filter_map(|value| value.as_str().map(str::trim).filter(|name| !name.is_empty()))
}
