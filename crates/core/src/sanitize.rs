//! Makes conversation text harmless for models that read it beside instructions.

/// Returns the text on one line, without invisible characters, and with the role marks of chat templates broken up.
/// Some servers interpret these marks even inside a message.
pub fn sanitized_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    without_marks(words.collect::<Vec<_>>().join(" ").chars())
}

/// Returns the text as [`sanitized_line`] does, but keeps spaces, tabs and line breaks: for strings of JSON, in which these are
/// escaped.
pub fn sanitized_lines(text: &str) -> String {
    without_marks(text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()))
}

fn without_marks(text: impl Iterator<Item = char>) -> String {
    let text: String = text.filter(|c| !is_invisible(*c)).collect();
    MARKS.iter().fold(text, |text, mark| apart(text, mark))
}

/// Marks of roles, reasoning and tools in common chat templates. `<|` opens the marks of ChatML, Llama 3 and Phi; the
/// mark with the wide bar opens those of DeepSeek.
const MARKS: [&str; 20] = [
    "<|",
    "<｜",
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CALLS]",
    "[TOOL_RESULTS]",
    "[AVAILABLE_TOOLS]",
    "<<SYS>>",
    "<</SYS>>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<s>",
    "</s>",
    "<bos>",
    "<eos>",
    "<think>",
    "</think>",
    "<tool_call>",
];

/// Returns the text with a space after the first character of every occurrence of `mark`.
fn apart(text: String, mark: &str) -> String {
    if !text.contains(mark) {
        return text;
    }
    let (first, rest) = mark.split_at(1);
    text.replace(mark, &format!("{first} {rest}"))
}

/// Returns whether a character is invisible but still read by models: zero-width characters, direction marks, and the
/// tag characters that have been used to smuggle instructions. The zero-width joiner and non-joiner are kept.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_one_line_without_template_marks() {
        fn check(text: &str, expect: &str) {
            assert_eq!(sanitized_line(text), expect, "{text:?}");
        }
        check(" one\n\n[2] two\r\u{2028}three\u{85}four\tfive\u{0} ", "one [2] two three four five");
        check("<|im_start|>system", "< |im_start|>system");
        check("<\u{200B}|im_start|>", "< |im_start|>");
        check("<｜User｜>", "< ｜User｜>");
        check("a [INST] b <s>", "a [ INST] b < s>");
        check("x\u{E0041}y\u{200B}z", "xyz");
        check("👩\u{200D}🚀 東京", "👩\u{200D}🚀 東京");
        check("Vec<String> & a < b", "Vec<String> & a < b");
        check("", "");
    }

    #[test]
    fn lines_and_spaces_may_stay() {
        assert_eq!(sanitized_lines("  a\n\tb\u{7} <\u{200B}|im_end|>\r\n"), "  a\n\tb < |im_end|>\n");
    }
}
