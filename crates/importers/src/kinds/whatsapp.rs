//! Reads exported chats of WhatsApp: text files. How each message begins depends on the phone, country and language.
//!
//! A chat has no ids. The id of a message is made of its time, name and words, with a number for repetitions within a minute.
//! So a later export that begins with another message gives the same ids.

mod chat;
mod head;
mod media;

use annals_core::{Error, Fault, Result};

use crate::detect::{Fit, Sample};
use crate::item::Location;
use crate::kind::Importer;
use crate::kinds::local_time::Orders;
use crate::kinds::texts::extension;
use crate::options::DateOrder;
use crate::output::Output;
use crate::skipped::Skip;
use crate::source::{Entry, Source};

pub struct WhatsApp;

impl Importer for WhatsApp {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        for entry in sample.entries().to_vec().iter().filter(|entry| is_chat(entry)).take(5) {
            let is_named = entry.name() == "_chat.txt" || entry.name().contains("WhatsApp");
            let text = String::from_utf8_lossy(sample.head(entry)).into_owned();
            let heads = text.lines().take(50).filter(|line| head::parse(line).is_some()).count();
            match (is_named, heads) {
                (true, 1..) => return Fit::Clear(format!("{} begins as a chat of WhatsApp", entry.path)),
                (false, 2..) => return Fit::Possible(format!("{} has lines of a chat", entry.path)),
                _ => {}
            }
        }
        Fit::No
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        let entries = source.entries().to_vec();
        let chats: Vec<&Entry> = entries.iter().filter(|entry| is_chat(entry)).collect();
        for entry in entries.iter().filter(|entry| !is_chat(entry)) {
            output.skip(Skip::no_message(format!("media file (.{})", extension(entry)), &entry.location()));
        }
        let mut orders = Vec::with_capacity(chats.len());
        for entry in &chats {
            orders.push(chat::orders(source, entry, output));
        }
        for (entry, own) in chats.iter().zip(&orders) {
            let order = decide(own, &orders, output, &entry.location())?;
            chat::read(source, entry, order, output)?;
        }
        Ok(())
    }
}

fn is_chat(entry: &Entry) -> bool {
    entry.has_extension("txt")
}

/// Returns the order of day and month that the file shows. If it shows none, returns the order that the other files show, which
/// come from the same phone, unless they differ. Otherwise returns the order in the options. Returns an error if none of them
/// gives an order.
fn decide(own: &Orders, all: &[Orders], output: &Output<'_>, location: &Location) -> Result<DateOrder> {
    let by_others = || {
        let decided: Vec<DateOrder> =
            all.iter().filter(|orders| orders.is_shown()).filter_map(Orders::decide).collect();
        decided.first().copied().filter(|first| decided.iter().all(|order| order == first))
    };
    own.decide().or_else(by_others).or(output.options().date_order).ok_or_else(|| {
        let reason =
            "is not clear: no date has a day above 12; name the order with --date-order dmy or --date-order mdy";
        Error::Invalid(Fault {
            file: Some(location.file.to_string()),
            ..Fault::new("the order of day and month", reason)
        })
    })
}

#[cfg(test)]
mod tests;
