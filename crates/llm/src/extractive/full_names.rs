//! Full names for surnames in records: "Whitlock refused" becomes "Sandra Whitlock refused" if the entry or an earlier one has
//! the full name. Readers of a summary see the sentence alone.
//!
//! Only a surname with exactly one full name is completed: a wrong name would make the summary false.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::MemoryId;

use super::language::Language;
use super::tokens::{Token, is_in, tokens};
use super::{dates, definite, pronouns, verbs};

/// The full names that occur in texts, and the words that must not be taken for surnames.
#[derive(Debug, Default)]
pub(super) struct FullNames {
    /// Full names by surname, each with the last turn that contains it; `None` for the entry that is being read.
    names: BTreeMap<String, BTreeMap<String, Option<MemoryId>>>,
    /// Words that occur in lower case: "Strike" in a headline is not a name if the text also writes "strike".
    common: BTreeSet<String>,
    /// Names that are also those of firms: "Brandt & Sons".
    firms: BTreeSet<String>,
}

impl FullNames {
    /// Adds the full names in a text. `from` is the turn of the text; `None` for the entry that is being read.
    pub(super) fn read(&mut self, text: &str, language: Language, from: Option<&MemoryId>) {
        let tokens = tokens(text);
        self.common.extend(tokens.iter().filter(|token| !token.is_capital()).map(|token| token.lower.clone()));
        self.firms.extend(firms(text, &tokens));
        // German capitalises every noun: only the last two of three words are a name.
        let least = if language == Language::German { 3 } else { 2 };
        let without_article = |run: &'_ [Token]| usize::from(language.is_grammar(&run[0].lower));
        for run in runs(text, &tokens).filter(|run| run.len() >= least + without_article(run)) {
            let [.., given, surname] = run else { continue };
            if given.raw != surname.raw
                && is_name(given)
                && !is_verb(text, given)
                && is_name(surname)
                && !is_in(INSTITUTIONS, bare(&surname.lower))
            {
                let full = format!("{} {}", given.raw, bare(surname.raw));
                self.names.entry(bare(surname.raw).to_owned()).or_default().insert(full, from.cloned());
            }
        }
    }

    /// Returns whether a word is the surname of a known full name.
    pub(super) fn has(&self, surname: &str) -> bool {
        self.names.contains_key(bare(surname))
    }

    /// Returns the full name of a surname and the turn that contains it. `None` if the surname has several full names, or is
    /// also a common word or the name of a firm in the texts.
    fn of(&self, surname: &str) -> Option<(&str, Option<&MemoryId>)> {
        let names = self.names.get(surname)?;
        let is_other = self.common.contains(&surname.to_lowercase()) || self.firms.contains(surname);
        let only = names.len() == 1 && !is_other;
        names.iter().next().filter(|_| only).map(|(name, from)| (name.as_str(), from.as_ref()))
    }
}

/// Returns the sentence with full names, and the turns that contain these names. Completes the first mention of each surname,
/// but none after a title, an article or a preposition of place, in quotation marks, or before a word such as "family". Uses
/// the first of the lists in `known` that has the surname.
pub(super) fn complete(sentence: &str, known: &[&FullNames]) -> (String, Vec<MemoryId>) {
    let tokens = tokens(sentence);
    let (mut text, mut from, mut done) = (String::new(), Vec::new(), BTreeSet::new());
    let mut end = 0;
    for run in runs(sentence, &tokens) {
        let [surname] = run else {
            // A name of several words is complete. Later mentions of the person keep the surname.
            done.extend(run.iter().map(|token| bare(token.raw)));
            continue;
        };
        let before = tokens[..tokens.partition_point(|token| token.span.end <= surname.span.start)].last();
        let is_place =
            before.is_some_and(|before| is_in("in at on near off around across der die das den dem", &before.lower));
        if before.is_some_and(|before| is_in(TITLES, &before.lower)) {
            // "Mr Fox" need not be "Anna Fox".
            done.insert(bare(surname.raw));
            continue;
        }
        let named = known.iter().find(|names| names.names.contains_key(bare(surname.raw)));
        let Some((full, turn)) = named.and_then(|names| names.of(bare(surname.raw))) else { continue };
        let is_quoted = sentence[..surname.span.start].ends_with('"');
        let is_of_all = tokens.iter().find(|next| next.span.start > surname.span.start);
        let is_of_all = is_of_all.is_some_and(|next| is_in(FAMILY, &next.lower));
        if is_place || is_quoted || is_of_all || !is_name(surname) || !done.insert(bare(surname.raw)) {
            continue;
        }
        text.push_str(&sentence[end..surname.span.start]);
        text.push_str(full);
        end = surname.span.start + bare(surname.raw).len();
        from.extend(turn.cloned());
    }
    text.push_str(&sentence[end..]);
    (text, from)
}

/// Returns the runs of capitalised words that are joined by single spaces, each without a first word that cannot be a name. The
/// genitive ends a run.
pub(super) fn runs<'t, 'a>(text: &'a str, tokens: &'t [Token<'a>]) -> impl Iterator<Item = &'t [Token<'a>]> {
    let is_joined = |one: &Token, next: &Token| {
        one.is_capital() && next.is_capital() && bare(one.raw) == one.raw && &text[one.span.end..next.span.start] == " "
    };
    let runs = tokens.chunk_by(is_joined).filter(|run| run[0].is_capital());
    // "But Gale": the first word of a sentence need not be a name.
    runs.map(|run| if run.len() > 1 && !pronouns::may_be_name(&run[0].lower) { &run[1..] } else { run })
}

/// Returns whether the first word of a sentence is a verb: "Borrowing Bev's car".
fn is_verb(text: &str, token: &Token) -> bool {
    let before = text[..token.span.start].trim_end();
    let begins = before.is_empty()
        || before.ends_with(['.', '!', '?', ':', ';'])
        || text[before.len()..token.span.start].contains('\n');
    let is_gerund = token.lower.ends_with("ing") && !["irving", "sterling", "channing"].contains(&token.lower.as_str());
    begins && (is_gerund || verbs::is_finite(&token.lower))
}

pub(super) fn is_name(token: &Token) -> bool {
    token.is_capital()
        && bare(token.raw).chars().count() > 2
        && pronouns::may_be_name(bare(&token.lower))
        && !dates::is_calendar_word(bare(&token.lower))
        && !definite::is_acronym(token.raw)
}

/// Returns the capitalised words next to an ampersand or before the legal form of a firm: "Brandt & Sons", "Brandt GmbH".
fn firms<'a>(text: &'a str, tokens: &'a [Token<'a>]) -> impl Iterator<Item = String> + 'a {
    let pairs = tokens.windows(2).filter(|pair| {
        let between = text[pair[0].span.end..pair[1].span.start].trim();
        between == "&" || is_in(FIRMS, &pair[1].lower) && matches!(between, "" | ",")
    });
    pairs.flatten().filter(|token| token.is_capital()).map(|token| bare(token.raw).to_owned())
}

/// Removes the genitive ending `'s`.
pub(super) fn bare(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// Titles. A surname after one of them is not completed.
const TITLES: &str = "mr mrs ms miss mx dr prof professor sir lady herr herrn frau monsieur madame mme mlle señor señora sr sra don \
    doña senhor senhora signor signora meneer mevrouw";

/// Words behind a surname that mean all who have it. The surname then stays as it is.
const FAMILY: &str = "family families brothers sisters twins kids siblings estate household";

/// Legal forms of firms, and words that end their names.
const FIRMS: &str = "inc plc ltd llc llp corp gmbh ag kg sa sarl sl bv nv oy ab group holdings partners sons bros associates construction electric \
    industries";

/// Last words of the names of institutions, offices and places, which are not surnames.
const INSTITUTIONS: &str = "court council party bank street road city town university ministry school college hospital park square bridge \
    river island lake mountain house hall club league cup union front movement army group company bay sea ocean county state states \
    region parliament minister president secretary act inc plc ltd corporation agency commission committee office station airport";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surname_is_completed_if_it_has_one_full_name() {
        #[track_caller]
        fn check(before: &str, sentence: &str, expect: &str) {
            let mut names = FullNames::default();
            names.read(before, Language::of(&tokens(before)), None);
            assert_eq!(complete(sentence, &[&names]).0, expect, "{before} {sentence}");
        }
        check("Union leader Sandra Whitlock refused.", "Whitlock left.", "Sandra Whitlock left.");
        check("Sandra Whitlock's firm closed.", "Whitlock’s staff left.", "Sandra Whitlock’s staff left.");
        check(
            "Sandra Whitlock came.",
            "Union jails Whitlock, says Whitlock.",
            "Union jails Sandra Whitlock, says Whitlock.",
        );
        check("Sandra Whitlock refused.", "Mayor Whitlock left.", "Mayor Whitlock left.");
        check(
            "Anna Fox opened a shop.",
            "Mr Fox repaired the ovens, and Fox left.",
            "Mr Fox repaired the ovens, and Fox left.",
        );
        check("Anna Fox opened a shop.", "Mr. Fox repaired the ovens.", "Mr. Fox repaired the ovens.");
        check("Sandra and Tom Whitlock met Ida Whitlock.", "Whitlock left.", "Whitlock left.");
        check("On Whitlock they agreed.", "Whitlock left.", "Whitlock left.");
        check("The charity Rescue Marrable closed.", "He was on Marrable.", "He was on Marrable.");
        check("Harbour Strike Begins\nThe strike began.", "Strike leaders met.", "Strike leaders met.");
        check("Borrowing Bev's old Fiesta till Friday.", "Bev retires.", "Bev retires.");
        check("Carrow Crown Court met.", "Court of Appeal met.", "Court of Appeal met.");
        check(
            "Der Jurist Henrik Stolp kommt aus Kassel.",
            "Stolp legt eine Liste vor.",
            "Henrik Stolp legt eine Liste vor.",
        );
        check("Das Amtsgericht Kassel tagt.", "Kassel protestiert.", "Kassel protestiert.");
    }
}
