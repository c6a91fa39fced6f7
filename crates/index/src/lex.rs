//! The analyser of the full-text column, for stored rows and for queries.
//!
//! It turns text into tokens joined by spaces, and LanceDB only splits them again. None of LanceDB's own analysers both stems
//! and handles Chinese or Japanese, and with their stop words a search for "who is it" finds nothing. Stored rows also get the
//! words of their date and speaker. The tokens are stored on disk: change them only together with a new generation of the
//! tables, or so that queries find the former ones too.
//!
//! A row is stemmed by the language of its own text. Its stems are stored with that language (`haus:de`), English ones without:
//! stems of several languages in one table do not mix, and rows written before languages were detected stay valid. A word of a
//! query looks for its stems in all languages, and counts as one word.

mod languages;
mod normalize;
mod query;
mod script;
mod stem;
mod stop;
mod terms;

use annals_core::Period;

pub use languages::Languages;
pub use query::{Query, Word, query};
use stem::Stem;
use terms::{Single, Term, terms};

/// Returns the tokens of a stored row, joined by spaces: those of its text, its speaker, and the words for its period.
/// `language` is that of the text.
pub fn document(text: &str, language: &str, period: Period, speaker: Option<&str>) -> String {
    let mut tokens = tokens(text, language);
    tokens.extend(self::tokens(speaker.unwrap_or_default(), language));
    tokens.extend(self::tokens(&date_words(period), "en"));
    tokens.join(" ")
}

/// Returns all tokens of a text, repeated ones included, as in a stored row.
pub fn tokens(text: &str, language: &str) -> Vec<String> {
    let stem = Stem::of(language);
    let token = |term| match term {
        Term::Word(word) => stem.token(&word),
        Term::Whole(token) => cut(token),
    };
    terms(text, Single::Each).into_iter().map(token).collect()
}

/// Returns a token cut to the maximum length, between characters.
fn cut(mut token: String) -> String {
    while token.len() > stem::MAX_STEM_LENGTH {
        token.pop();
    }
    token
}

/// Returns the words by which people name a period. For the day 2026-03-04 these are the label, "2026-03", "2026", "March" and
/// "Wednesday"; a coarser period has fewer.
fn date_words(period: Period) -> String {
    use annals_core::Grain::{Daily, Monthly, Quarterly, Weekly, Working, Yearly};
    let (day, label) = (period.first_day(), period.to_string());
    match period.grain() {
        Working | Daily => format!("{label} {} {}", day.strftime("%Y-%m %Y %B"), day.strftime("%A")),
        Monthly => format!("{label} {}", day.strftime("%Y %B")),
        // The year of the label: an ISO week may begin in the year before.
        Weekly | Quarterly => format!("{label} {}", label.split('-').next().unwrap_or_default()),
        Yearly => label,
    }
}

#[cfg(test)]
mod tests;
