//! Repairs lone surrogates. JavaScript writes `\ud83d` alone if a text was cut inside an emoji; such an escape encodes
//! no character.

/// Returns the JSON with a replacement character for each lone surrogate, or `None` if there is none.
pub fn without_halves(json: &[u8]) -> Option<Vec<u8>> {
    let mut repaired: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = json[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        let (length, is_half) = escape(&json[at..]);
        if is_half {
            let bytes = repaired.get_or_insert_with(|| json.to_vec());
            bytes[at + 2..at + 6].copy_from_slice(b"fffd");
        }
        at += length.min(json.len() - at);
    }
    repaired
}

/// Returns the length in bytes of the escape at the beginning, and whether it is a lone surrogate. A surrogate pair counts as
/// one escape.
fn escape(json: &[u8]) -> (usize, bool) {
    match unit(json) {
        None => (2, false),
        Some(0xd800..=0xdbff) => match unit(json.get(6..).unwrap_or_default()) {
            Some(0xdc00..=0xdfff) => (12, false),
            _ => (6, true),
        },
        Some(0xdc00..=0xdfff) => (6, true),
        Some(_) => (6, false),
    }
}

/// Returns the UTF-16 code unit of an escape such as `\u1234` at the beginning; `None` for other escapes.
fn unit(json: &[u8]) -> Option<u16> {
    let digits = json.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::without_halves;

    #[track_caller]
    fn check(json: &str, expect: Option<&str>) {
        assert_eq!(
            without_halves(json.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap()),
            expect.map(Into::into)
        );
    }

    #[test]
    fn halves_are_replaced_and_nothing_else() {
        check(r#""cut \ud83d here""#, Some(r#""cut \ufffd here""#));
        check(r#""\ude00\ud83d\ud83d\ude00\ud83d""#, Some(r#""\ufffd\ufffd\ud83d\ude00\ufffd""#));
        check(r#""\\ud83d \n \u00e9 \ud83d\ude00""#, None);
        check(r#""\ud8"#, None);
        check("\\", None);
    }
}
