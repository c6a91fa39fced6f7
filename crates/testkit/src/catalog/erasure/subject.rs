//! Whether a text names somebody: any of their names, as whole words, whatever the case and accents.

use std::collections::BTreeSet;

use annals_core::{FactOperation, entity_key, folded, joined_names};

/// Somebody by all their names, as entity keys. The default is nobody.
#[derive(Debug, Default)]
pub(super) struct Subject(BTreeSet<String>);

impl Subject {
    /// The name, and all that the log joins with it or with its other names.
    pub(super) fn new<'o>(name: &str, log: impl Iterator<Item = &'o FactOperation>) -> Subject {
        let pairs = joined_names(&log.cloned().collect::<Vec<_>>());
        let mut names = BTreeSet::from([entity_key(name)]);
        let mut known = 0;
        while names.len() > known {
            known = names.len();
            let met = pairs.iter().filter(|pair| pair.iter().any(|name| names.contains(name)));
            names = met.flatten().cloned().chain(names.iter().cloned()).collect();
        }
        names.remove("");
        Subject(names)
    }

    /// Whether this is a name of it.
    pub(super) fn is(&self, name: &str) -> bool {
        self.0.contains(&entity_key(name))
    }

    /// Whether the text names it.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        let text = folded(text);
        self.0.iter().any(|name| text.match_indices(name.as_str()).any(|(start, _)| stands_alone(&text, start, name)))
    }
}

/// Whether no letter or digit touches the name on either side. Scripts without spaces have no words to be whole.
fn stands_alone(text: &str, start: usize, name: &str) -> bool {
    let touch = |inner: Option<char>, outer: Option<char>| {
        inner.zip(outer).is_some_and(|(inner, outer)| [inner, outer].iter().all(|c| is_lettered(*c)))
    };
    let (before, after) = (text[..start].chars().next_back(), text[start + name.len()..].chars().next());
    !touch(name.chars().next(), before) && !touch(name.chars().next_back(), after)
}

fn is_lettered(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words() {
        fn check(name: &str, text: &str, expect: bool) {
            assert_eq!(Subject::new(name, [].into_iter()).is_named_in(text), expect, "{name:?} in {text:?}");
        }
        check("Ann", "ANN's tea", true);
        check("Ann", "Anna had tea", false);
        check("Ann", "Joann", false);
        check("Ann", "Joann and Ann", true);
        check("José García", "with jose\n garcia.", true);
        check("the Museum", "a museum!", true);
        check("C++", "C++ is fun", true);
        check("R2", "R2D2", false);
        check("東京", "東京に行く", true);
        check("민수", "민수가 왔다", true);
        check("민수", "민숙이 왔다", false);
        check("カス", "ガスがない", false);
        check("", "anything", false);
        check("...", "anything ...", false);
    }
}
