//! Recognises the texts that WhatsApp writes in place of media and deleted messages, and its notices, in several languages.

use super::head::is_invisible;
use crate::kinds::texts::window;

/// The content of a message.
#[derive(Debug, PartialEq)]
pub enum Content {
    /// A text of the person, with the number of media files that belong to it.
    Text(String, usize),
    /// No text of the person; the string is the kind under which the message is skipped.
    Other(&'static str),
}

/// Beginnings of the texts of deleted messages, which are skipped.
const DELETED: [&str; 26] = [
    "This message was deleted",
    "You deleted this message",
    "Diese Nachricht wurde gelöscht",
    "Du hast diese Nachricht gelöscht",
    "Se eliminó este mensaje",
    "Eliminaste este mensaje",
    "Este mensaje fue eliminado",
    "Ce message a été supprimé",
    "Vous avez supprimé ce message",
    "Questo messaggio è stato eliminato",
    "Hai eliminato questo messaggio",
    "Mensagem apagada",
    "Esta mensagem foi apagada",
    "Essa mensagem foi apagada",
    "Você apagou esta mensagem",
    "Você apagou essa mensagem",
    "Eliminou esta mensagem",
    "Dit bericht is verwijderd",
    "U hebt dit bericht verwijderd",
    "Je hebt dit bericht verwijderd",
    "Bu mesaj silindi",
    "Bu mesajı sildiniz",
    "Данное сообщение удалено",
    "Вы удалили данное сообщение",
    "Det här meddelandet togs bort",
    "このメッセージは削除されました",
];
/// Texts for media that was not exported, as older versions for iOS wrote them, without a mark of direction. A message with
/// such a text alone is skipped.
const OMITTED: [&str; 8] = [
    "image omitted",
    "video omitted",
    "audio omitted",
    "sticker omitted",
    "document omitted",
    "GIF omitted",
    "Contact card omitted",
    "video note omitted",
];
/// Texts after the name of an exported file on Android. A first line that ends with one is removed and counted as a file.
const ATTACHED: [&str; 10] = [
    "(file attached)",
    "(Datei angehängt)",
    "(archivo adjunto)",
    "(fichier joint)",
    "(file allegato)",
    "(arquivo anexado)",
    "(ficheiro anexado)",
    "(bestand bijgevoegd)",
    "(dosya ekli)",
    "(файл добавлен)",
];

/// Marks at the end of edited messages, without their angle brackets, to be removed. Marks in other languages are recognised by
/// the mark of direction before them.
const EDITED: [&str; 7] = [
    "this message was edited",
    "se editó este mensaje",
    "diese nachricht wurde bearbeitet",
    "ce message a été modifié",
    "questo messaggio è stato modificato",
    "mensagem editada",
    "dit bericht is bewerkt",
];

/// Maximum length in bytes of a reference to a file. A longer text in angle brackets is a part of the message.
const MAX_REFERENCE_LENGTH: usize = 512;

/// Returns the words of a person in the text of a message, or the kind under which the message is skipped because it has none.
pub fn classify(text: &str) -> Content {
    let is_marked = text.starts_with('\u{200e}');
    let (text, media) = without_files(text);
    let text = without_edit_mark(&text);
    let plain = text.trim_matches(|c: char| is_invisible(c) || c.is_whitespace());
    if plain.is_empty() {
        return Content::Other(if media > 0 { "media" } else { "empty message" });
    }
    if DELETED.iter().any(|start| plain.starts_with(start)) {
        return Content::Other("deleted message");
    }
    let is_angled = plain.starts_with('<') && plain.ends_with('>') && !plain.contains(['\n', '/', '=']);
    // "Plan.pdf • 2 pages document omitted", with a mark of direction before the count and the last words.
    let is_file = !plain.contains('\n') && plain.contains(" • ") && OMITTED.iter().any(|words| plain.ends_with(words));
    if is_angled || is_file || OMITTED.contains(&plain) {
        return Content::Other("media");
    }
    if plain == "null" {
        return Content::Other("message that WhatsApp did not export");
    }
    // On iOS every text that nobody typed begins with a mark of direction. Among them, polls and locations have content and are
    // kept.
    let has_content = plain.contains('\n') || plain.contains("https://");
    if is_marked && media == 0 && !has_content {
        return Content::Other("media or notice of WhatsApp");
    }
    Content::Text(plain.to_owned(), media)
}

/// Removes references to exported files in angle brackets, and a first line that names a file. Returns the rest, which is a
/// caption, and the number of references.
fn without_files(text: &str) -> (String, usize) {
    let (mut rest, mut media) = without_brackets(text);
    let first = rest.lines().next().unwrap_or_default();
    let trimmed = first.trim_matches(|c: char| is_invisible(c) || c.is_whitespace());
    if ATTACHED.iter().any(|mark| trimmed.ends_with(mark)) {
        rest = rest[first.len()..].to_owned();
        media += 1;
    }
    (rest, media)
}

/// Removes references to files such as `<attached: 00000012-PHOTO.jpg>`; the first word is localised. A reference is read only
/// at the start of the text or after an invisible character. Returns the rest of the text and the number of references.
fn without_brackets(text: &str) -> (String, usize) {
    let (mut kept, mut files) = (String::with_capacity(text.len()), 0);
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        kept.push_str(before);
        let inside = window(behind, MAX_REFERENCE_LENGTH).split_once('>').map_or("", |(inside, _)| inside);
        let is_file =
            inside.split_once(": ").is_some_and(|(word, file)| !word.contains([' ', '<']) && file.contains('.'));
        if is_file && !inside.contains('\n') && kept.chars().next_back().is_none_or(is_invisible) {
            files += 1;
            rest = &behind[inside.len() + 1..];
        } else {
            kept.push('<');
            rest = behind;
        }
    }
    kept.push_str(rest);
    (kept, files)
}

/// Removes the mark of an edited message at the end: `<This message was edited>` after a mark of direction.
fn without_edit_mark(text: &str) -> &str {
    let trimmed = text.trim_end();
    match trimmed.rfind('<').filter(|_| trimmed.ends_with('>')) {
        Some(start) if start > 0 => {
            let is_marked = trimmed[..start].ends_with('\u{200e}')
                && !trimmed[..start].trim_matches(is_invisible).trim().is_empty();
            let inside = trimmed[start..].trim_matches(['<', '>', '.']).to_lowercase();
            if is_marked || EDITED.contains(&inside.as_str()) {
                trimmed[..start].trim_end_matches(|c: char| is_invisible(c) || c.is_whitespace())
            } else {
                text
            }
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn text(input: &str, expect: &str, media: usize) {
        assert_eq!(classify(input), Content::Text(expect.into(), media), "{input}");
    }

    #[track_caller]
    fn other(input: &str, expect: &'static str) {
        assert_eq!(classify(input), Content::Other(expect), "{input}");
    }

    #[test]
    fn texts_are_kept() {
        text("Hi <b>", "Hi <b>", 0);
        text("a < b", "a < b", 0);
        text("There it says document omitted", "There it says document omitted", 0);
        let hostile = "<".repeat(1 << 20);
        text(&hostile, &hostile, 0);
        text("Late, sorry. \u{200e}<This message was edited>", "Late, sorry.", 0);
        text("Tarde <Se editó este mensaje.>", "Tarde", 0);
        text("a <b> c <d>", "a <b> c <d>", 0);
        text(
            "\u{200e}POLL:\nWhen?\n\u{200e}OPTION: Monday (2 votes)",
            "POLL:\nWhen?\n\u{200e}OPTION: Monday (2 votes)",
            0,
        );
        text("\u{200e}Location: https://maps.example/?q=1,2", "Location: https://maps.example/?q=1,2", 0);
        text("The score \u{200e}<attached: 00000012-PHOTO.jpg>", "The score", 1);
        text("IMG-20211014-WA0001.jpg (file attached)\nThe score", "The score", 1);
    }

    #[test]
    fn everything_else_is_named() {
        other("\u{200e}image omitted", "media");
        other("image omitted", "media");
        other("Plan.pdf • \u{200e}2 pages \u{200e}document omitted", "media");
        other("<Medien ausgeschlossen>", "media");
        other("\u{200e}<adjunto: 00000012-PHOTO.jpg>", "media");
        other("IMG-20211014-WA0001.jpg (file attached)", "media");
        other("\u{200e}This message was deleted.", "deleted message");
        other("Eliminaste este mensaje.", "deleted message");
        other("\u{200e}Missed voice call", "media or notice of WhatsApp");
        other("null", "message that WhatsApp did not export");
        other(" \u{200e}", "empty message");
    }
}
