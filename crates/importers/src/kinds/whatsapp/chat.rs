//! Reads one chat twice: for the order of day and month, and for its messages. One message is in memory at a time.

use std::io::BufRead;

use annals_core::{Message, Result, Role, Timestamp};

use super::head::{self, Head};
use super::media::{self, Content};
use crate::dates;
use crate::item::Location;
use crate::kinds::local_time::Orders;
use crate::kinds::texts::MadeIds;
use crate::options::DateOrder;
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};

/// Maximum length in bytes of a line; longer lines are read as several lines. A message of WhatsApp has at most 64 KiB.
const MAX_LINE_LENGTH: usize = 1 << 20;
/// Length in bytes of a message after which further lines of it are skipped, because a file that is not a chat may have one
/// head and a million lines.
const MAX_MESSAGE_LENGTH: usize = 8 << 20;

/// Collects the dates of a chat. Counts a file that cannot be read as skipped.
pub fn orders(source: &mut Source, entry: &Entry, output: &mut Output<'_>) -> Orders {
    let mut orders = Orders::default();
    let read = each_line(source, entry, |line, _| {
        if let Some(head) = head::parse(line) {
            orders.add(&head.written);
        }
        Ok(())
    });
    if let Err(Stop::Input(cause)) = read {
        output.skip(Skip::damaged("unreadable file", cause.to_string(), &entry.location()));
    }
    orders
}

/// Passes on the messages of a chat.
pub fn read(source: &mut Source, entry: &Entry, order: DateOrder, output: &mut Output<'_>) -> Result<()> {
    let mut chat = Chat {
        location: entry.location(),
        order,
        conversation: None,
        named: chat_name(entry),
        ids: MadeIds::default(),
        minute: None,
        open: None,
    };
    match each_line(source, entry, |line, number| chat.line(line, number, output)) {
        // The error of the input was already counted by `orders`.
        Ok(()) | Err(Stop::Input(_)) => chat.close(output),
        Err(Stop::Output(error)) => Err(error),
    }
}

/// The reason why reading ended early.
enum Stop {
    Input(std::io::Error),
    Output(annals_core::Error),
}

fn each_line(
    source: &mut Source,
    entry: &Entry,
    mut read: impl FnMut(&str, u64) -> Result<()>,
) -> std::result::Result<(), Stop> {
    let mut input = source.open_entry(entry).map_err(Stop::Input)?;
    let mut buffer = Vec::new();
    for number in 1.. {
        buffer.clear();
        let mut limited = std::io::Read::take(&mut input, MAX_LINE_LENGTH as u64);
        if limited.read_until(b'\n', &mut buffer).map_err(Stop::Input)? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&buffer);
        read(line.trim_end_matches(['\n', '\r']), number).map_err(Stop::Output)?;
    }
    Ok(())
}

struct Chat {
    location: Location,
    order: DateOrder,
    conversation: Option<String>,
    named: Option<String>,
    ids: MadeIds,
    /// The minute of the last message; repetitions are numbered within it.
    minute: Option<i64>,
    open: Option<Open>,
}

/// A message that further lines may continue.
struct Open {
    line: u64,
    at: Option<Timestamp>,
    name: Option<String>,
    text: String,
}

impl Chat {
    fn line(&mut self, line: &str, number: u64, output: &mut Output<'_>) -> Result<()> {
        let Some(Head { written, name, text }) = head::parse(line) else {
            match &mut self.open {
                Some(open) if open.text.len() > MAX_MESSAGE_LENGTH => {
                    output.skip(Skip::unknown("line of a message without end", "", &self.location.at_line(number)));
                }
                Some(open) => {
                    open.text.push('\n');
                    open.text.push_str(line);
                }
                None if line.trim().is_empty() => {}
                None => output.skip(Skip::unknown("line before the first message", "", &self.location.at_line(number))),
            }
            return Ok(());
        };
        self.close(output)?;
        let at = written.instant(self.order, &output.options().zone).and_then(dates::storable);
        self.open = Some(Open { line: number, at, name, text: text.to_owned() });
        Ok(())
    }

    /// Passes on the open message, or counts it as skipped.
    fn close(&mut self, output: &mut Output<'_>) -> Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let location = self.location.at_line(open.line);
        let conversation = self.conversation(&open, &location, output)?;
        let Some(name) = open.name else {
            output.skip(Skip::no_message("line of WhatsApp", &location));
            return Ok(());
        };
        let (text, media) = match media::classify(&open.text) {
            Content::Text(text, media) => (text, media),
            Content::Other(what) => {
                output.skip(Skip::no_message(what, &location));
                return Ok(());
            }
        };
        (0..media).for_each(|_| output.skip(Skip::no_message("media", &location)));
        let Some(at) = open.at else {
            output.skip(Skip::new(SkipReason::Undated, "message with an impossible date", "", &location));
            return Ok(());
        };
        let minute = at.as_second().div_euclid(60);
        if self.minute.replace(minute) != Some(minute) {
            self.ids = MadeIds::default();
        }
        let id = self.ids.next(&[&at.to_string(), &name, &text]);
        let is_assistant = output.options().assistants.iter().any(|other| other.to_lowercase() == name.to_lowercase());
        let role = if is_assistant { Role::Assistant } else { Role::User };
        output.message(
            Message { conversation, client_id: Some(id), role, name: Some(name), content: text, at },
            &location,
        )
    }

    /// Returns the id of the conversation. Passes on the beginning of the conversation at the first call.
    fn conversation(&mut self, first: &Open, location: &Location, output: &mut Output<'_>) -> Result<String> {
        if let Some(conversation) = &self.conversation {
            return Ok(conversation.clone());
        }
        // On iOS the first line is a notice, with the name of the chat as its sender.
        let by_notice = first.name.clone().filter(|_| first.text.starts_with('\u{200e}'));
        let title = self.named.take().or(by_notice).unwrap_or_else(|| "chat".to_owned());
        let conversation = format!("whatsapp:{title}");
        output.conversation(&conversation, Some(&title), None, location)?;
        self.conversation = Some(conversation.clone());
        Ok(conversation)
    }
}

/// Beginnings of the names that phones give exported files, before the name of the chat.
const PREFIXES: [&str; 11] = [
    "WhatsApp Chat with ",
    "WhatsApp Chat mit ",
    "WhatsApp Chat - ",
    "WhatsApp-Chat mit ",
    "Chat de WhatsApp con ",
    "Chat WhatsApp con ",
    "Discussion WhatsApp avec ",
    "Conversa do WhatsApp com ",
    "WhatsApp-chat met ",
    "WhatsApp Sohbeti - ",
    "WhatsApp Chat ",
];

/// Returns the name of a chat from the name of its file; for `_chat.txt`, from the name of its folder or archive. Returns
/// `None` if that folder or archive does not have a name as the phone chooses it.
fn chat_name(entry: &Entry) -> Option<String> {
    let inner = entry.path.rsplit('/').nth(1);
    match entry.stem() {
        "_chat" => inner.or(entry.container()).and_then(named),
        stem => named(stem).or_else(|| Some(stem.to_owned())),
    }
}

/// Returns the name of a chat from the name of a file or folder; `None` if the name does not begin as the phone's names do.
fn named(text: &str) -> Option<String> {
    let name = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix))?.trim();
    // Browsers add a number to the name of a second download.
    let name = name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once(" ("))
        .map_or(name, |(before, number)| if number.bytes().all(|byte| byte.is_ascii_digit()) { before } else { name });
    (!name.is_empty()).then(|| name.to_owned())
}
