//! Words by which people describe a password, in seven languages: "my password is weak". The words are no passwords. Pure.

use annals_core::folded;

/// The words, in lower case and without accents.
const WORDS: &str = "
    required optional none unknown forgotten forgot wrong correct incorrect right invalid valid weak strong long short secret secure
    insecure safe unsafe simple easy hard difficult complex random unique different same similar new saved written hidden private public
    personal empty blank lost gone stolen unset temporary permanent default mine yours ours here there below above inside case-sensitive
    broken great good fine okay bad worse better best stupid silly funny annoying ridiculous terrible awful password passwort passphrase
    hint text string null true false later soon nothing something anything everything obvious confidential important identical invisible
    unchanged needed plain always never yet only outdated correctly still that this perfect crap rubbish garbage
    geheim falsch richtig korrekt vergessen abgelaufen geandert gleich kurz lang sicher unsicher einfach schwach stark kompliziert
    schwer leicht schwierig notig erforderlich notwendig pflicht leer gesperrt bekannt unbekannt verloren gespeichert ungultig gultig
    dasselbe dieselbe verschlusselt anders dran drin unten oben hier dort privat personlich zufallig neues altes unverandert folgt
    spater siehe standard mist quatsch geheimsache vertraulich wichtig egal noch immer identisch
    oublie faux expire change necessaire obligatoire requis faible fort court difficile facile complique nouveau perdu invalide secrete
    identique ici inconnu vide securise sensible
    secreta dificil incorrecta correcta caducada nueva larga corta debil fuerte necesaria obligatoria olvidada segura vacia aqui
    misma igual perdida incorreta correta expirada nova longa curta fraca forte necessaria obrigatoria esquecida vazia
    segreta difficile sbagliata corretta scaduta nuova lunga debole obbligatoria sicura dimenticata vuota uguale stessa qui
    fout juist verlopen nieuw kort zwak sterk nodig verplicht veilig vergeten leeg hetzelfde onbekend moeilijk makkelijk";

/// Endings of English adjectives and participles.
const ENDINGS: [&str; 9] = ["ed", "ing", "able", "ible", "ive", "ous", "ful", "less", "ly"];

/// Returns whether the word describes a password.
pub(super) fn describes(word: &str) -> bool {
    let folded = folded(word);
    let word = folded.trim_matches(|c: char| !c.is_alphanumeric());
    let is_plain = word.chars().all(char::is_alphabetic);
    WORDS.split_whitespace().any(|known| known == word) || (is_plain && ENDINGS.iter().any(|end| word.ends_with(end)))
}
