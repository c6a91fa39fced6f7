//! Splits text by whether words are separated by spaces. Chinese, Japanese, Korean and the scripts of mainland South-East Asia
//! count as unspaced.

/// A piece of text in which either all words are separated by spaces, or none are.
#[derive(Debug, PartialEq)]
pub(crate) enum Run<'a> {
    /// Text in scripts that put spaces between words.
    Spaced(&'a str),
    /// Characters that are words, or form words without a separator.
    Unspaced(&'a str),
}

/// Splits text into runs, at each change between spaced and unspaced characters.
pub(crate) fn runs(text: &str) -> impl Iterator<Item = Run<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let unspaced = is_unspaced(rest.chars().next()?);
        let end = rest.find(|c| is_unspaced(c) != unspaced).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(if unspaced { Run::Unspaced(run) } else { Run::Spaced(run) })
    })
}

fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' // Thai
        | '\u{e81}'..='\u{ece}' // Lao
        | '\u{1000}'..='\u{1049}' // Myanmar
        | '\u{1100}'..='\u{11ff}' // Hangul letters
        | '\u{1780}'..='\u{17d3}' // Khmer
        | '\u{3005}'..='\u{3007}' // iteration mark, closing mark, zero
        | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}' // Hiragana
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' // Katakana
        | '\u{3105}'..='\u{312f}' // Bopomofo
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' // Han
        | '\u{ac00}'..='\u{d7a3}' // Hangul syllables
        | '\u{20000}'..='\u{323af}' // Han, the rare ones
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_split_where_spacing_changes() {
        let cut = |text| runs(text).collect::<Vec<_>>();
        assert_eq!(cut(""), []);
        assert_eq!(cut("ab c"), [Run::Spaced("ab c")]);
        assert_eq!(cut("我a、ราคา"), [Run::Unspaced("我"), Run::Spaced("a、"), Run::Unspaced("ราคา")]);
    }
}
