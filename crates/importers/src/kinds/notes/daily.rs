//! Passes on a note about one day: a message for each section. A section has the time in its heading or in a heading above it,
//! or else in a heading without text before it, or else the time of the note, or else noon.

use annals_core::{Date, Message, Result, Role, Timestamp};
use jiff::civil::Time;
use jiff::tz::TimeZone;

use super::{clock, sections};
use crate::dates;
use crate::item::Location;
use crate::kinds::texts::MadeIds;
use crate::output::Output;
use crate::skipped::Skip;

/// A note about one day.
pub struct Daily<'a> {
    pub conversation: String,
    /// The title, if the note has one.
    pub title: Option<&'a str>,
    pub day: Date,
    /// The time of the note, for sections without a time; noon is used if the note has no time either.
    pub at: Option<Timestamp>,
    /// The role of the messages: whoever wrote the note.
    pub role: Role,
    pub body: &'a str,
    pub lines_above: u64,
    /// The place of the file. The places of the messages are made of it.
    pub location: &'a Location,
}

/// The id of the text before the first heading, or below a heading without words.
const TOP: &str = "(top)";

impl Daily<'_> {
    /// Passes on the sections as messages. The id of a section is made of its headings. Counts headings without text, and an
    /// empty note, as skipped.
    pub fn write(&self, output: &mut Output<'_>) -> Result<()> {
        let split = sections::split(self.body);
        let location = |line: u64| self.location.at_line(self.lines_above + line);
        for (line, heading) in &split.empty {
            output.skip(Skip::no_message("heading without text", &location(*line).at_entry(heading.as_str())));
        }
        if split.sections.is_empty() && split.empty.is_empty() {
            output.skip(Skip::no_message("empty note", self.location));
            return Ok(());
        }
        let mut ids = MadeIds::default();
        // A heading that has a time but no text gives the time of the sections after it, up to a section with a time.
        let mut above = None;
        let mut empty = split.empty.iter().peekable();
        self.begin(output)?;
        for section in &split.sections {
            while let Some((_, heading)) = empty.next_if(|(line, _)| *line < section.own_line) {
                above = clock::find(heading).or(above);
            }
            let path = section.headings.join(" > ");
            let id = ids.named(if path.is_empty() { TOP } else { &path });
            let own = section.headings.iter().rev().find_map(|heading| clock::find(heading));
            above = above.filter(|_| own.is_none());
            let at = self.time(own.as_ref().or(above.as_ref()), output);
            self.message(id, section.text.clone(), at, &location(section.line), output)?;
        }
        Ok(())
    }

    /// Passes on the title of the conversation.
    pub fn begin(&self, output: &mut Output<'_>) -> Result<()> {
        output.conversation(&self.conversation, self.title, None, self.location)
    }

    /// Passes on one message of the note, under the note's conversation and role.
    pub fn message(
        &self,
        id: String,
        text: String,
        at: Timestamp,
        location: &Location,
        output: &mut Output<'_>,
    ) -> Result<()> {
        let message = Message {
            conversation: self.conversation.clone(),
            client_id: Some(id),
            role: self.role,
            name: output.name_of(self.role),
            content: text,
            at,
        };
        output.message(message, location)
    }

    /// Returns the instant of a time on the day of the note; without one the time of the note, or else noon. If noon is needed
    /// but is in the future, returns midnight.
    pub fn time(&self, clock: Option<&clock::Clock>, output: &Output<'_>) -> Timestamp {
        let zone = &output.options().zone;
        let at = clock.and_then(|clock| clock.on(self.day, zone)).and_then(dates::storable);
        let noon = output.past(Some(instant(self.day, Time::midnight() + jiff::Span::new().hours(12), zone)));
        at.or(self.at).or(noon).unwrap_or_else(|| instant(self.day, Time::midnight(), zone))
    }
}

/// Returns the instant of a time on a day. At the ends of the calendar, where the zone cannot represent it, uses UTC.
fn instant(day: Date, time: Time, zone: &TimeZone) -> Timestamp {
    let local = day.to_datetime(time);
    clock::instant(local, zone).or_else(|| clock::instant(local, &TimeZone::UTC)).unwrap_or(Timestamp::MIN)
}
