//! The shapes of credentials. Each pattern captures the secret itself, so that the words around it stay. A pattern for a label
//! captures an empty string, and the secret is the value after it.

use std::sync::LazyLock;

use regex::Regex;

use super::descriptions::describes;

/// Maximum characters of a value. Bounds the work for a text of labels only.
const MAX_VALUE_LENGTH: usize = 1024;

/// One kind of credential.
pub(crate) struct Shape {
    /// The kind in the text that replaces the secret.
    pub kind: &'static str,
    pub pattern: Regex,
    /// Returns whether the captured text is really a secret.
    pub is_secret: fn(&str) -> bool,
    /// Whether the secret is written in groups. Then its first groups may be the secret, and the other ones words behind it.
    pub in_groups: bool,
}

impl Shape {
    /// Returns the secret in a captured text, which begins with it.
    pub fn secret<'t>(&self, captured: &'t str) -> Option<&'t str> {
        let ends = captured.rmatch_indices(' ').map(|(at, _)| at).filter(|_| self.in_groups);
        [captured.len()].into_iter().chain(ends).map(|end| &captured[..end]).find(|text| (self.is_secret)(text))
    }

    /// Returns the bytes of a captured text without a secret that are passed over. A long text must not take minutes, but what
    /// looks like the first group may be a word before the secret.
    pub fn passed_over(&self, captured: &str) -> usize {
        captured.find(' ').filter(|_| self.in_groups).unwrap_or(captured.len())
    }
}

/// All shapes, in the order in which they are applied: shapes that contain others come first, and tokens with a form of their
/// own before labelled values. Card numbers come last.
pub(crate) static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    vec![
        shape("private-key", PRIVATE_KEY, |block| has_run(block, 24)),
        shape("url-password", URL, is_url_password),
        shape(
            "github-token",
            r"(?-u:\b)(gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})(?-u:\b)",
            |_| true,
        ),
        shape("gitlab-token", r"(?-u:\b)(glpat-[A-Za-z0-9_-]{20,})", |_| true),
        shape("anthropic-key", r"(?-u:\b)(sk-ant-[A-Za-z0-9_-]{16,})", |key| has_run(key, 8)),
        shape("openai-key", r"(?-u:\b)(sk-[A-Za-z0-9_-]{20,})", |key| has_run(key, 12)),
        shape("slack-token", r"(?-u:\b)(xox[abeoprs]-[A-Za-z0-9-]{10,})", has_digit),
        shape("google-key", r"(?-u:\b)(AIza[A-Za-z0-9_-]{35})", |_| true),
        shape("stripe-key", r"(?-u:\b)([rs]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,})", has_digit),
        shape("aws-key", r"(?-u:\b)((?:AKIA|ASIA)[A-Z0-9]{16})(?-u:\b)", |_| true),
        shape("jwt", r"(?-u:\b)(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})", |_| true),
        shape("bearer-token", AUTHORIZATION, |_| true),
        shape("bearer-token", r"(?-u:\b)[Bb]earer\s+([A-Za-z0-9._~+/=-]{20,})", |token| has_run(token, 12)),
        shape("password", &labelled(PASSWORD_LABELS), is_password),
        shape("api-key", &labelled(KEY_LABELS), |value| is_password(value) && value.len() >= 8),
        shape("secret", &labelled("secret|token"), |value| is_password(value) && has_run(value, 8)),
        shape("password", &quoted(PASSWORD_LABELS), is_quoted_password),
        shape("password", &alone(PASSWORD_LABELS), is_word_as_password),
        shape("password", &alone_wide(WIDE_LABELS), is_word_as_password),
        shape("pin", PIN, |_| true),
        Shape { in_groups: true, ..shape("iban", IBAN_IN_GROUPS, is_iban) },
        shape("iban", r"(?-u:\b)([A-Za-z]{2}[0-9]{2}[A-Z0-9]{11,30})(?-u:\b)", is_iban),
        shape("card-number", CARD, is_card),
    ]
});

const PRIVATE_KEY: &str = r"(?s)(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)";
const URL: &str = r"(?-u:\b)[A-Za-z][A-Za-z0-9+.-]{0,30}://[[:graph:]--[/:@\[]]{0,200}:([[:graph:]--[/@]]{1,200})@";
const AUTHORIZATION: &str =
    r#"(?i)(?-u:\b)authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{8,})"#;
/// Words for a password in the languages of the built-in rules.
const PASSWORD_LABELS: &str = "password|passwd|passphrase|passcode|pwd|passwort|kennwort|mot de passe|contraseña|senha|\
    palavra-passe|wachtwoord|密码|密碼|口令|パスワード";
/// Those of [`PASSWORD_LABELS`] that are written without spaces between words.
const WIDE_LABELS: &str = "密码|密碼|口令|パスワード";
/// A PIN in capitals with its number, or any spelling with "is" or a colon: not "pin 2 of the plug".
const PIN: &str = r"(?x)
    (?-u:\b) (?: (?:PIN|PUK) (?:[-\ ]?(?:[Cc]ode|CODE|[Nn]ummer|[Nn]umber))? (?:\s+(?:is|ist|lautet|est|es|é|è))? \s*[:=]?\s*
      | (?i:pin|puk) (?i:[-\ ]?(?:code|nummer|number))? (?: \s+(?:is|ist|lautet|est|es|é|è)\s*:?\s+ | \s*[:=：]\s* )
      | (?i:pin|puk) 码? \s* (?:是|为|：|:) \s* )
    ([0-9]{4,8}) (?:$|[^0-9A-Za-z.,:/-]|[.,:!?](?:$|[^0-9A-Za-z]))";
/// An IBAN in groups of four. Its last group may be shorter.
const IBAN_IN_GROUPS: &str = r"(?-u:\b)([A-Za-z]{2}[0-9]{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)(?-u:\b)";
const KEY_LABELS: &str =
    "api[ _-]?key|access[ _-]?key|secret[ _-]?key|client[ _-]?secret|(?:access|auth|api|refresh)[ _-]?token";
/// Pattern of a card number by the number ranges of the issuers: sixteen digits, together or in fours, or fifteen, together or
/// as American Express groups them. The end of a longer number or name does not match.
const CARD: &str = r"(?x)
    (?:^|[^0-9A-Za-z_.,/\#=+-])
    ( (?:4[0-9]{3}|5[1-5][0-9]{2}|2[2-7][0-9]{2}|35[0-9]{2}|6[0245][0-9]{2})
      (?:[0-9]{12}|(?:\ [0-9]{4}){3}|(?:-[0-9]{4}){3})
    | 3[47][0-9]{2}(?:[0-9]{11}|\ [0-9]{6}\ [0-9]{5}|-[0-9]{6}-[0-9]{5}) )
    (?-u:\b)";

fn shape(kind: &'static str, pattern: &str, is_secret: fn(&str) -> bool) -> Shape {
    Shape { kind, pattern: Regex::new(pattern).expect("the patterns are tested"), is_secret, in_groups: false }
}

/// What may follow a label: "for the router at home".
const WHOSE: &str =
    r"(?:\s+(?:for|to|of|at|on|in|für|von|vom|de|del|du|da|do|para|pour|di|van|voor)(?:\s+[\p{L}0-9'-]{1,40}){1,4}?)?";
/// What joins a label and its value.
const IS: &str = r"(?:\s+(?:is|ist|lautet|est|es|é|è)\s*:?\s+|\s*(?:=>|:=|==?|:|：|是|为|為|は)\s*)";

/// Builds the pattern of a label: `LABEL: `, `"LABEL" = "`, `LABEL for the router is `.
fn labelled(labels: &str) -> String {
    format!(r#"(?i)(?:{labels})\\?["'`]?{WHOSE}{IS}\\?["'`]?()"#)
}

/// Builds the pattern of a value in quotes after a label: `my password is "sunshine"`.
fn quoted(labels: &str) -> String {
    format!(r#"(?i)(?:{labels}){WHOSE}{IS}["“„«'‘]([^"“”„«»'‘’\n]{{4,64}})["”“»'’]"#)
}

/// Builds the pattern of a single word at the end of its line or sentence: `Passwort: Sonnenschein`, `my password is sunshine.`
/// Before "is", the label must name an owner or a network, because "the password is weak" only describes a password.
fn alone(labels: &str) -> String {
    let own = r"(?:my|our|mein|unser|mon|notre|mi|nuestra|minha|nossa|la mia|la nostra|mijn|ons)\s+(?:[\p{L}-]{1,20}[ -]){0,2}";
    let network = r"(?:wi-?fi|wlan|router|router-)[ -]?";
    let is = r"\s+(?:is|ist|lautet|est|es|é|è)\s*:?\s+";
    let of_whom = format!(r"(?:{own}|{network})(?:{labels}){WHOSE}{is}");
    format!(r#"(?im)(?-u:\b)(?:{of_whom}|(?:{labels})\s*[:：][ \t]+)([^\s"'`<>]{{4,64}}?)(?:[.!](?:\s|$)|[ \t]*$)"#)
}

/// Builds the pattern of a single value of ASCII characters at the end of its line: `密码：sunshine`. Other characters would be a
/// sentence.
fn alone_wide(labels: &str) -> String {
    format!(r#"(?m)(?:{labels})\s*[:：][ \t]*([!-~&&[^"'`<>]]{{4,64}})[ \t。]*$"#)
}

/// Returns the value at the start of a text: up to white space, a quote or an angle bracket, without closing punctuation.
pub(crate) fn value(text: &str) -> &str {
    let ends = |c: char| c.is_whitespace() || "\"'`<>".contains(c);
    let mut rest = text.char_indices().take(MAX_VALUE_LENGTH).skip_while(|(_, c)| !ends(*c));
    let end = match rest.next() {
        Some((end, _)) => end,
        None => text.char_indices().nth(MAX_VALUE_LENGTH).map_or(text.len(), |(end, _)| end),
    };
    text[..end].trim_end_matches(|c| ".,;:!?)]}。，、；：！？）".contains(c))
}

fn is_url_password(value: &str) -> bool {
    !is_placeholder(value) && !["password", "pass", "pwd", "secret", "xxx"].contains(&value.to_lowercase().as_str())
}

/// Returns whether the value has letters with digits, letters with signs, or digits without letters. A value of fewer than four
/// characters, a placeholder or an amount does not count; nor do letters with signs in a value of fewer than six bytes. In
/// plain prose a label is followed by a word, an amount, a date or code.
fn is_password(value: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && !"-_'’./:,…".contains(c);
    let (digits, letters) = (has_digit(value), value.chars().any(char::is_alphabetic));
    let signs = value.chars().any(is_sign) && value.len() >= 6;
    value.chars().count() >= 4
        && !is_placeholder(value)
        && !is_amount(value)
        && if letters { digits || signs } else { digits }
}

/// Returns whether a text in quotes after a label is a password: one word that does not describe one, or at least four words.
fn is_quoted_password(value: &str) -> bool {
    match value.split_whitespace().count() {
        1 => is_word_as_password(value),
        count => count >= 4,
    }
}

/// Returns whether a single word is a password: not an amount, a placeholder or a word by which people describe passwords.
fn is_word_as_password(value: &str) -> bool {
    let letters = value.chars().filter(|c| c.is_alphanumeric()).count();
    letters >= 4 && !is_placeholder(value) && !is_amount(value) && !value.contains(['/', '…']) && !describes(value)
}

/// Returns whether the country, length and check digits are right.
fn is_iban(number: &str) -> bool {
    number.to_ascii_uppercase().parse::<iban::Iban>().is_ok()
}

fn is_placeholder(value: &str) -> bool {
    let first = value.chars().next().unwrap_or_default();
    "<${[(%*&".contains(first)
        || value.contains(['(', '['])
        || value.contains("://")
        || value.chars().all(|c| c == first)
}

/// Returns whether the value is like `8-character`, `2nd`, `5pm`, `2026-03-04`, `12:30` or `1.5`.
fn is_amount(value: &str) -> bool {
    static AMOUNT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:\d+-\p{L}+|\d+\p{L}{1,2}|\d{4}-\d\d-\d\d.*|\d+(?:[:.,/]\d+)+\p{L}{0,2})$")
            .expect("the pattern is tested")
    });
    AMOUNT.is_match(value)
}

fn has_digit(value: &str) -> bool {
    value.contains(|c: char| c.is_ascii_digit())
}

/// Returns whether the value has a run of at least `length` ASCII letters and digits that contains both. Ordinary words have
/// none.
fn has_run(value: &str, length: usize) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|run| run.len() >= length && has_digit(run) && run.contains(|c: char| c.is_ascii_alphabetic()))
}

/// Returns whether the check digit is right (Luhn).
fn is_card(number: &str) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let digits = number.chars().rev().filter_map(|c| c.to_digit(10)).zip(0..);
    digits.map(|(digit, index)| if index % 2 == 0 { digit } else { doubled(digit) }).sum::<u32>() % 10 == 0
}
