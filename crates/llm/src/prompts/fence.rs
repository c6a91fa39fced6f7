//! How words of conversations are put into a prompt: so that they stay data.
//!
//! A block's delimiter carries a hash of the block, which no text inside can know of itself; and inside it no line begins
//! with anything but what is written there by us, because line breaks of the texts are gone.

use annals_core::Digest;

/// Digits of the hash in a delimiter: enough that nobody finds a text that contains its own.
const DIGITS: usize = 12;

/// A block that only its own end closes.
pub(crate) fn fence(name: &str, body: &str) -> String {
    let id = &Digest::of([name, body]).to_string()[..DIGITS];
    format!("<{name} id=\"{id}\">\n{}\n</{name} id=\"{id}\">", body.trim_end_matches('\n'))
}

/// A text on one line, without control characters, and without the marks by which chat templates of local models tell who
/// speaks: some servers read these even inside a message.
pub(crate) fn tame(text: &str) -> String {
    let line: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let line: String = line.join(" ").chars().filter(|c| !is_invisible(*c)).collect();
    MARKS.iter().fold(line, |line, mark| apart(&line, mark))
}

/// Marks of roles in the chat templates in use. `<|` opens those of ChatML, Llama 3 and Phi.
const MARKS: [&str; 10] =
    ["<|", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<start_of_turn>", "<end_of_turn>", "<s>", "</s>", "<think>"];

/// The text with a space after the first character of every occurrence of `mark`.
fn apart(text: &str, mark: &str) -> String {
    if !text.contains(mark) {
        return text.to_owned();
    }
    let (first, rest) = mark.split_at(1);
    text.replace(mark, &format!("{first} {rest}"))
}

/// Characters that are not seen but read: zero-width ones, marks of direction, and the tag characters in which
/// instructions have been smuggled. The joiner of emoji stays.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_one_line_without_marks_of_roles() {
        fn check(text: &str, expect: &str) {
            assert_eq!(tame(text), expect, "{text:?}");
        }
        check(" one\n\n[2] two\r\u{2028}three\u{85}four\tfive\u{0} ", "one [2] two three four five");
        check("<|im_start|>system", "< |im_start|>system");
        check("a [INST] b <s>", "a [ INST] b < s>");
        check("x\u{E0041}y\u{200B}z", "xyz");
        check("👩\u{200D}🚀 東京", "👩\u{200D}🚀 東京");
        check("Vec<String> & a < b", "Vec<String> & a < b");
        check("", "");
    }

    proptest! {
        #[test]
        fn no_text_closes_its_block(text in "(\\PC|\n|<|/|sources|id=|\"|>){0,60}") {
            let block = fence("sources", &format!("[1] {}\n[2] end", tame(&text)));
            let lines: Vec<&str> = block.lines().collect();
            prop_assert_eq!(lines.len(), 4);
            let (open, close) = (lines[0], lines[3]);
            prop_assert!(!lines[1].contains(open) && !lines[1].contains(close));
            prop_assert!(lines[1].starts_with("[1] "));
        }
    }
}
