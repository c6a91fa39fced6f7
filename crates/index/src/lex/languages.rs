//! A set of languages: those of the rows of a table.

use annals_core::Settings;

use super::stem::{Stem, TAG};

/// A set of languages that tokens name, so not English. A query looks for stems in these languages only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Languages(u32);

impl Languages {
    /// All languages, for a table whose languages are unknown.
    pub const ALL: Languages = Languages(u32::MAX);

    /// Adds the language of a token, if it names one.
    pub fn add(&mut self, token: &str) {
        if let Some((_, code)) = token.rsplit_once(TAG) {
            let index = Settings::LANGUAGES.iter().position(|language| *language == code);
            self.0 |= index.map_or(0, |index| 1 << index);
        }
    }

    /// Returns the stemmers of these languages.
    pub(crate) fn stems(self) -> impl Iterator<Item = Stem> {
        let codes = Settings::LANGUAGES.into_iter().zip(0..);
        codes.filter(move |(_, index)| self.0 >> index & 1 == 1).map(|(code, _)| Stem::of(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_tokens_are_collected() {
        let mut languages = Languages::default();
        ["dog", "haus:de", "casa:es", "baum:de", "x:xx"].into_iter().for_each(|token| languages.add(token));
        let codes: Vec<&str> = languages.stems().map(|stem| stem.code()).collect();
        assert_eq!(codes, ["de", "es"]);
        assert_eq!(Languages::ALL.stems().count(), Settings::LANGUAGES.len());
    }
}
