//! Finds mails that are pasted into a message. Somebody else wrote them, so their lines name the sender: "(From: Kyle Brandt)
//! Crane is only available …". Removes the header of a mail, its signature, and lines that every mail has.

use std::borrow::Cow;

/// Names of the line with the sender, and of the other lines of a header, in several languages.
const SENDER: [&str; 7] = ["from", "von", "de", "da", "van", "发件人", "差出人"];
const HEADER: &str = "to|cc|bcc|date|sent|reply-to|an|gesendet|datum|para|enviado|fecha|à|envoyé|\
    data|inviato|a|aan|verzonden|收件人|日期|抄送";

/// Names of the line with the subject.
const SUBJECT: &str = "subject|betreff|asunto|objet|assunto|oggetto|onderwerp|主题|件名";

/// Number of lines below the sender that are searched for other lines of the header.
const NEAR: usize = 6;

/// Maximum words of a line of a signature.
const MAX_SIGNATURE: usize = 8;

/// Phrases of boilerplate lines: from automatic senders, legal notices and newsletters.
const BOILERPLATE: &str = "do not reply|not monitored|confidentiality notice|intended recipient|attorney-client|received in error|in error, please|unsubscribe|view in browser|view this email|\
    sent from my|get outlook for|this e-mail is|this email is|this message is intended|privacy policy|all rights reserved|nicht auf diese|\
    diese e-mail ist vertraulich|diese nachricht ist vertraulich|gesendet von mein|newsletter abbestellen|im browser ansehen|no responda a este|no responder a este|enviado desde mi|aviso de confidencialidad|darse de baja|\
    ne pas répondre|envoyé de mon|se désabonner|请勿回复|退订";

/// A part of a message by one writer: what the speaker wrote, or one pasted mail.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part<'a> {
    /// The line with the sender, without the address: "From: Kyle Brandt". `None` for what the speaker wrote.
    pub(super) label: Option<String>,
    pub(super) text: Cow<'a, str>,
}

/// Splits a message into what the speaker wrote, if anything, and the mails below it. A message without a mail is one part,
/// without the lines of links of a newsletter.
pub(super) fn parts(message: &str) -> Vec<Part<'_>> {
    let lines: Vec<&str> = message.lines().collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|at| begins_mail(&lines[*at..])).collect();
    let Some(first) = starts.first() else { return vec![Part { label: None, text: without_links(message) }] };
    let written = lines[..*first].join("\n");
    let own = Part { label: None, text: Cow::Owned(written) };
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let mails = starts.iter().zip(ends).map(|(start, end)| mail(&lines[*start..end]));
    [own].into_iter().filter(|own| !own.text.trim().is_empty()).chain(mails).collect()
}

/// Returns whether a mail begins here: a line with the sender, another line of a header near it, and an address or a subject.
/// "From: Lisbon", "To: Porto" is a journey.
fn begins_mail(lines: &[&str]) -> bool {
    let is_sender = lines.first().is_some_and(|line| sender(line).is_some());
    let near = || lines.iter().skip(1).take(NEAR).take_while(|line| !line.trim().is_empty());
    let has_subject = || near().any(|line| is_named(line, SUBJECT));
    is_sender && near().any(|line| is_header(line)) && (lines[0].contains('@') || has_subject())
}

/// Returns the line with the sender, without the address if there is a name. `None` if the line has no sender.
fn sender(line: &str) -> Option<String> {
    let (name, sender) = line.trim().split_once([':', '：'])?;
    let sender = sender.trim();
    let is_one = SENDER.contains(&name.trim().to_lowercase().as_str()) && !sender.is_empty();
    let bare = sender.split(['<', '[', '(']).next().unwrap_or_default().trim().trim_matches('"');
    is_one.then(|| format!("{}: {}", name.trim(), if bare.is_empty() { sender.trim_matches(['<', '>']) } else { bare }))
}

fn is_header(line: &str) -> bool {
    is_named(line, HEADER) || is_named(line, SUBJECT)
}

/// Returns whether the word before the colon is one of the names.
fn is_named(line: &str, names: &str) -> bool {
    let name = line.split_once([':', '：']).map(|(name, _)| name.trim().to_lowercase());
    name.is_some_and(|name| names.split('|').any(|one| one == name))
}

fn mail<'a>(lines: &[&str]) -> Part<'a> {
    let header = header_lines(lines);
    // A line of two hyphens begins the signature.
    let body = lines[header..].iter().take_while(|line| line.trim() != "--").copied();
    // Below a signature there may be a legal notice.
    let is_address = |line: &str| line.contains(" | ") && is_of_signature(line);
    let mut text: Vec<&str> = body.filter(|line| !is_boilerplate(line) && !is_address(line)).collect();
    let signature = text.iter().rev().take_while(|line| is_of_signature(line)).count();
    if signature < text.len() {
        text.truncate(text.len() - signature);
    }
    Part { label: sender(lines[0]), text: Cow::Owned(text.join("\n").trim().to_owned()) }
}

/// Returns the number of lines of the header. It ends at the last line with a known name: mails have unknown ones in between,
/// such as "Priority: high".
fn header_lines(lines: &[&str]) -> usize {
    let named = lines.iter().take_while(|line| line.contains([':', '：'])).count();
    lines[..named].iter().rposition(|line| is_header(line)).map_or(1, |last| last + 1)
}

/// Returns whether a line at the end of a mail is a closing, a name, a role or a number: short, and no sentence.
fn is_of_signature(line: &str) -> bool {
    let line = line.trim();
    let words = line.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    words <= MAX_SIGNATURE && !line.ends_with(['.', '!', '?', '。', '！', '？'])
}

/// Removes the lines of links of a newsletter without a header, unless nothing else would be left. Other lines with these
/// phrases may be what somebody wrote.
fn without_links(message: &str) -> Cow<'_, str> {
    let is_of_links = |line: &&str| (line.contains('|') || line.contains("://")) && is_boilerplate(line);
    if !message.lines().any(|line| is_of_links(&line)) {
        return Cow::Borrowed(message);
    }
    let kept: Vec<&str> = message.lines().filter(|line| !is_of_links(line)).collect();
    // If all lines are of this kind, the message is about them and stays unchanged.
    if kept.join("").trim().is_empty() { Cow::Borrowed(message) } else { Cow::Owned(kept.join("\n")) }
}

fn is_boilerplate(line: &str) -> bool {
    let line = line.to_lowercase();
    BOILERPLATE.split('|').any(|phrase| line.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_are_told_from_what_the_speaker_wrote() {
        fn check(message: &str, expect: &[(Option<&str>, &str)]) {
            let parts = parts(message);
            let found: Vec<_> = parts.iter().map(|part| (part.label.as_deref(), part.text.trim())).collect();
            assert_eq!(found, expect, "{message}");
        }
        check("Rent is due. From: now on I pay.", &[(None, "Rent is due. From: now on I pay.")]);
        check("From: Lisbon\nTo: Porto\nDate: 3 May", &[(None, "From: Lisbon\nTo: Porto\nDate: 3 May")]);
        check("From: Oslo\nwe took the train", &[(None, "From: Oslo\nwe took the train")]);
        check(
            "FYI, crane\n\nFrom: Kyle Brandt <kyle@b.example>\nTo: Pat\nSubject: Crane\n\nApril 13 only.\nSent from my phone",
            &[(None, "FYI, crane"), (Some("From: Kyle Brandt"), "April 13 only.")],
        );
        check(
            "Von: buchhaltung@b.example\nBetreff: Rechnung 7\nSie wurde bezahlt.\nBitte nicht auf diese Mail antworten.\n--\nB AG",
            &[(Some("Von: buchhaltung@b.example"), "Sie wurde bezahlt.")],
        );
        check(
            "From: A\nSubject: Re: x\nYes.\nFrom: B\nSubject: x\nShall we?",
            &[(Some("From: A"), "Yes."), (Some("From: B"), "Shall we?")],
        );
        check(
            "From: Beth Lindqvist\nPriority: high\nSubject: Lot 7731\nStop shipping.\n\nBest\nBeth Lindqvist | Quality | x 221",
            &[(Some("From: Beth Lindqvist"), "Stop shipping.")],
        );
        check("From: A\nSubject: x\nsee attachment", &[(Some("From: A"), "see attachment")]);
        check("News\nView in browser | Unsubscribe", &[(None, "News")]);
        check("I must unsubscribe from it.\nBought milk.", &[(None, "I must unsubscribe from it.\nBought milk.")]);
        check("How do I unsubscribe?", &[(None, "How do I unsubscribe?")]);
    }
}
