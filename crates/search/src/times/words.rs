//! Converts the words of a question to tokens: English, the agent's language, and Chinese wherever it occurs. Pure.
//!
//! A table lists the words of a token without accents and in lower case. `_` joins words that only count together. The names of
//! months and weekdays come from [`CalendarNames`]; the tables add other forms of them.

use std::collections::HashMap;

use annals_core::{CalendarNames, Date, Period, folded, is_wide};

use super::Holiday::{Christmas, Easter, Halloween, NewYear, ValentinesDay};
use super::Length::{Day, Month as MonthLong, Quarter, Week, Weekend, Year as YearLong};
use super::Season::{Autumn, Spring, Summer, Winter};
use super::Token::{
    Ago, AgoBefore, Count, DayBeforeYesterday, Filler, Holiday, In, Last, Month, Of, Ordinal, PerhapsMonth, Season,
    Since, This, Today, Unit, Weekday, Yesterday,
};
use super::{Token, Word, chinese};

/// Maximum number of words of one entry.
const LONGEST: usize = 4;

type Table = &'static [(&'static str, Token)];

const ENGLISH: Table = &[
    ("last past previous", Last),
    ("this", This),
    ("ago", Ago),
    ("since", Since),
    ("in during until by from on", In),
    ("of", Of),
    ("the", Filler),
    ("today tonight this_morning this_afternoon this_evening", Today),
    ("yesterday last_night", Yesterday),
    ("the_day_before_yesterday day_before_yesterday", DayBeforeYesterday),
    ("day days", Unit(Day)),
    ("week weeks", Unit(Week)),
    ("weekend weekends", Unit(Weekend)),
    ("month months", Unit(MonthLong)),
    ("quarter quarters", Unit(Quarter)),
    ("year years", Unit(YearLong)),
    ("jan", PerhapsMonth(1)),
    ("feb", PerhapsMonth(2)),
    ("march mar", PerhapsMonth(3)),
    ("apr", PerhapsMonth(4)),
    ("may", PerhapsMonth(5)),
    ("jun", PerhapsMonth(6)),
    ("jul", PerhapsMonth(7)),
    ("aug", PerhapsMonth(8)),
    ("sep sept", PerhapsMonth(9)),
    ("oct", PerhapsMonth(10)),
    ("nov", PerhapsMonth(11)),
    ("dec", PerhapsMonth(12)),
    ("spring", Season(Spring)),
    ("summer", Season(Summer)),
    ("autumn fall", Season(Autumn)),
    ("winter", Season(Winter)),
    ("easter", Holiday(Easter)),
    ("christmas xmas", Holiday(Christmas)),
    ("new_year new_year's new_years new_year's_day", Holiday(NewYear)),
    ("halloween", Holiday(Halloween)),
    ("valentine's_day valentines_day", Holiday(ValentinesDay)),
    ("a an one", Count(1)),
    ("two a_couple_of couple_of", Count(2)),
    ("three few a_few", Count(3)),
    ("four", Count(4)),
    ("five", Count(5)),
    ("six", Count(6)),
    ("seven", Count(7)),
    ("eight", Count(8)),
    ("nine", Count(9)),
    ("ten", Count(10)),
    ("eleven", Count(11)),
    ("twelve", Count(12)),
    ("first", Ordinal(1)),
    ("second", Ordinal(2)),
    ("third", Ordinal(3)),
    ("fourth", Ordinal(4)),
];

const GERMAN: Table = &[
    (
        "letzte letzten letzter letztes letztem vergangene vergangenen vergangener vergangenes vorige vorigen voriges",
        Last,
    ),
    ("diese diesen dieser dieses diesem", This),
    ("vor", AgoBefore),
    ("seit", Since),
    ("im in am um wahrend bis ab von an", In),
    ("des", Of),
    ("der die das den dem", Filler),
    ("heute", Today),
    ("gestern", Yesterday),
    ("vorgestern", DayBeforeYesterday),
    ("tag tage tagen", Unit(Day)),
    ("woche wochen", Unit(Week)),
    ("wochenende wochenenden", Unit(Weekend)),
    ("monat monate monaten monats", Unit(MonthLong)),
    ("quartal quartale quartalen quartals", Unit(Quarter)),
    ("jahr jahre jahren jahres", Unit(YearLong)),
    ("sonnabend", Weekday(5)),
    ("janner", Month(1)),
    ("fruhling fruhjahr", Season(Spring)),
    ("sommer", Season(Summer)),
    ("herbst", Season(Autumn)),
    ("winter", Season(Winter)),
    ("ostern", Holiday(Easter)),
    ("weihnachten", Holiday(Christmas)),
    ("neujahr", Holiday(NewYear)),
    ("ein eine einen einem einer", Count(1)),
    ("zwei ein_paar", Count(2)),
    ("drei einigen", Count(3)),
    ("vier", Count(4)),
    ("funf", Count(5)),
    ("sechs", Count(6)),
    ("sieben", Count(7)),
    ("acht", Count(8)),
    ("neun", Count(9)),
    ("zehn", Count(10)),
    ("erste ersten", Ordinal(1)),
    ("zweite zweiten", Ordinal(2)),
    ("dritte dritten", Ordinal(3)),
    ("vierte vierten", Ordinal(4)),
];

const FRENCH: Table = &[
    ("dernier derniere derniers dernieres passe passee passes passees", Last),
    ("ce cet cette ces", This),
    ("il_y_a", AgoBefore),
    ("depuis", Since),
    ("en au a pendant durant jusqu'a", In),
    ("de du des", Of),
    ("le la les", Filler),
    ("aujourd'hui", Today),
    ("hier", Yesterday),
    ("avant-hier", DayBeforeYesterday),
    ("jour jours", Unit(Day)),
    ("semaine semaines", Unit(Week)),
    ("week-end weekend", Unit(Weekend)),
    ("mois", Unit(MonthLong)),
    ("trimestre trimestres", Unit(Quarter)),
    ("an ans annee annees", Unit(YearLong)),
    ("printemps", Season(Spring)),
    ("ete", Season(Summer)),
    ("automne", Season(Autumn)),
    ("hiver", Season(Winter)),
    ("paques", Holiday(Easter)),
    ("noel", Holiday(Christmas)),
    ("nouvel_an", Holiday(NewYear)),
    ("un une", Count(1)),
    ("deux", Count(2)),
    ("trois quelques", Count(3)),
    ("quatre", Count(4)),
    ("cinq", Count(5)),
    ("six", Count(6)),
    ("sept", Count(7)),
    ("huit", Count(8)),
    ("neuf", Count(9)),
    ("dix", Count(10)),
    ("premier", Ordinal(1)),
    ("deuxieme", Ordinal(2)),
    ("troisieme", Ordinal(3)),
    ("quatrieme", Ordinal(4)),
];

const SPANISH: Table = &[
    ("pasado pasada pasados pasadas ultimo ultima ultimos ultimas anterior", Last),
    ("este esta estos estas", This),
    ("hace", AgoBefore),
    ("desde", Since),
    ("en durante hasta a por", In),
    ("de del", Of),
    ("el la los las", Filler),
    ("hoy", Today),
    ("ayer", Yesterday),
    ("anteayer antes_de_ayer", DayBeforeYesterday),
    ("dia dias", Unit(Day)),
    ("semana semanas", Unit(Week)),
    ("fin_de_semana fines_de_semana", Unit(Weekend)),
    ("mes meses", Unit(MonthLong)),
    ("trimestre trimestres", Unit(Quarter)),
    ("ano anos", Unit(YearLong)),
    ("setiembre", Month(9)),
    ("primavera", Season(Spring)),
    ("verano", Season(Summer)),
    ("otono", Season(Autumn)),
    ("invierno", Season(Winter)),
    ("pascua semana_santa", Holiday(Easter)),
    ("navidad", Holiday(Christmas)),
    ("ano_nuevo", Holiday(NewYear)),
    ("un una uno", Count(1)),
    ("dos", Count(2)),
    ("tres unos unas", Count(3)),
    ("cuatro", Count(4)),
    ("cinco", Count(5)),
    ("seis", Count(6)),
    ("siete", Count(7)),
    ("ocho", Count(8)),
    ("nueve", Count(9)),
    ("diez", Count(10)),
    ("primer", Ordinal(1)),
    ("segundo", Ordinal(2)),
    ("tercer", Ordinal(3)),
    ("cuarto", Ordinal(4)),
];

const PORTUGUESE: Table = &[
    ("passado passada passados passadas ultimo ultima ultimos ultimas anterior", Last),
    ("este esta neste nesta deste desta esse essa", This),
    ("ha", AgoBefore),
    ("atras", Ago),
    ("desde", Since),
    ("em no na nos nas durante ate", In),
    ("de do da dos das", Of),
    ("o a os as", Filler),
    ("hoje", Today),
    ("ontem", Yesterday),
    ("anteontem", DayBeforeYesterday),
    ("dia dias", Unit(Day)),
    ("semana semanas", Unit(Week)),
    ("fim_de_semana fins_de_semana", Unit(Weekend)),
    ("mes meses", Unit(MonthLong)),
    ("trimestre trimestres", Unit(Quarter)),
    ("ano anos", Unit(YearLong)),
    ("terca", Weekday(1)),
    ("primavera", Season(Spring)),
    ("verao", Season(Summer)),
    ("outono", Season(Autumn)),
    ("inverno", Season(Winter)),
    ("pascoa", Holiday(Easter)),
    ("natal", Holiday(Christmas)),
    ("ano_novo", Holiday(NewYear)),
    ("um uma", Count(1)),
    ("dois duas", Count(2)),
    ("tres alguns algumas", Count(3)),
    ("quatro", Count(4)),
    ("cinco", Count(5)),
    ("seis", Count(6)),
    ("sete", Count(7)),
    ("oito", Count(8)),
    ("nove", Count(9)),
    ("dez", Count(10)),
    ("primeiro", Ordinal(1)),
    ("segundo", Ordinal(2)),
    ("terceiro", Ordinal(3)),
    ("quarto", Ordinal(4)),
];

const ITALIAN: Table = &[
    ("scorso scorsa scorsi scorse passato passata passati passate ultimo ultima ultimi ultime", Last),
    ("questo questa questi queste", This),
    ("fa", Ago),
    ("da dal dalla dall", Since),
    ("in a nel nella nei durante fino", In),
    ("di del della dell", Of),
    ("il lo la i gli le l", Filler),
    ("oggi", Today),
    ("ieri", Yesterday),
    ("altro_ieri avantieri", DayBeforeYesterday),
    ("giorno giorni", Unit(Day)),
    ("settimana settimane", Unit(Week)),
    ("fine_settimana weekend", Unit(Weekend)),
    ("mese mesi", Unit(MonthLong)),
    ("trimestre trimestri", Unit(Quarter)),
    ("anno anni", Unit(YearLong)),
    ("primavera", Season(Spring)),
    ("estate", Season(Summer)),
    ("autunno", Season(Autumn)),
    ("inverno", Season(Winter)),
    ("pasqua", Holiday(Easter)),
    ("natale", Holiday(Christmas)),
    ("capodanno", Holiday(NewYear)),
    ("un uno una", Count(1)),
    ("due", Count(2)),
    ("tre qualche", Count(3)),
    ("quattro", Count(4)),
    ("cinque", Count(5)),
    ("sei", Count(6)),
    ("sette", Count(7)),
    ("otto", Count(8)),
    ("nove", Count(9)),
    ("dieci", Count(10)),
    ("primo", Ordinal(1)),
    ("secondo", Ordinal(2)),
    ("terzo", Ordinal(3)),
    ("quarto", Ordinal(4)),
];

const DUTCH: Table = &[
    ("vorige afgelopen laatste verleden", Last),
    ("deze dit", This),
    ("geleden", Ago),
    ("sinds", Since),
    ("in op tijdens tot vanaf", In),
    ("van", Of),
    ("de het", Filler),
    ("vandaag", Today),
    ("gisteren", Yesterday),
    ("eergisteren", DayBeforeYesterday),
    ("dag dagen", Unit(Day)),
    ("week weken", Unit(Week)),
    ("weekend weekeinde", Unit(Weekend)),
    ("maand maanden", Unit(MonthLong)),
    ("kwartaal kwartalen", Unit(Quarter)),
    ("jaar jaren", Unit(YearLong)),
    ("lente voorjaar", Season(Spring)),
    ("zomer", Season(Summer)),
    ("herfst", Season(Autumn)),
    ("winter", Season(Winter)),
    ("pasen", Holiday(Easter)),
    ("kerst kerstmis", Holiday(Christmas)),
    ("nieuwjaar", Holiday(NewYear)),
    ("een", Count(1)),
    ("twee een_paar", Count(2)),
    ("drie enkele", Count(3)),
    ("vier", Count(4)),
    ("vijf", Count(5)),
    ("zes", Count(6)),
    ("zeven", Count(7)),
    ("acht", Count(8)),
    ("negen", Count(9)),
    ("tien", Count(10)),
    ("eerste", Ordinal(1)),
    ("tweede", Ordinal(2)),
    ("derde", Ordinal(3)),
    ("vierde", Ordinal(4)),
];

fn table(language: &str) -> Table {
    match language {
        "en" => ENGLISH,
        "de" => GERMAN,
        "fr" => FRENCH,
        "es" => SPANISH,
        "pt" => PORTUGUESE,
        "it" => ITALIAN,
        "nl" => DUTCH,
        _ => &[],
    }
}

/// Returns the words of English and of the agent's language. The latter replace the former.
fn vocabulary(language: &str) -> HashMap<String, Token> {
    let mut words = words_of("en");
    if language != "en" {
        words.extend(words_of(language));
    }
    words
}

/// Returns the words of one language. Its table replaces names of the calendar: "may" and "march" are only perhaps months.
fn words_of(language: &str) -> HashMap<String, Token> {
    let mut words = HashMap::new();
    if let Some(CalendarNames { months, weekdays }) = CalendarNames::of(language) {
        words.extend(months.iter().zip(1..).map(|(name, number)| (folded(name), Month(number))));
        words.extend(weekdays.iter().zip(0..).map(|(name, number)| (folded(name), Weekday(number))));
    }
    for (entries, token) in table(language) {
        words.extend(entries.split(' ').map(|entry| (entry.replace('_', " "), *token)));
    }
    words
}

/// Returns the words of a question as tokens.
pub(super) fn read<'a>(text: &'a str, language: &str, today: Date) -> Vec<Word<'a>> {
    let vocabulary = vocabulary(language);
    let pieces: Vec<&str> = text.split_whitespace().flat_map(|word| elided(word, language)).collect();
    let keys: Vec<String> = pieces.iter().map(|piece| key(piece)).collect();
    let (mut words, mut place) = (Vec::new(), 0);
    while place < pieces.len() {
        if pieces[place].chars().any(is_wide) {
            chinese::read(pieces[place], today, &mut words);
            place += 1;
            continue;
        }
        let (length, token) = longest(&keys[place..], &vocabulary).unwrap_or((1, plain(pieces[place], &keys[place])));
        words.push(Word { text: span(text, pieces[place], pieces[place + length - 1]), token });
        place += length;
    }
    words
}

/// Returns the longest entry at the beginning of the words.
fn longest(keys: &[String], vocabulary: &HashMap<String, Token>) -> Option<(usize, Token)> {
    let lengths = (1..=LONGEST.min(keys.len())).rev();
    lengths.into_iter().find_map(|length| Some((length, *vocabulary.get(&keys[..length].join(" "))?)))
}

/// Returns the text from the beginning of one piece to the end of another.
fn span<'a>(text: &'a str, first: &'a str, last: &'a str) -> &'a str {
    let start = first.as_ptr() as usize - text.as_ptr() as usize;
    let end = last.as_ptr() as usize + last.len() - text.as_ptr() as usize;
    &text[start..end]
}

/// Splits an elided article from its noun, such as "l'été". French and Italian only.
fn elided<'a>(word: &'a str, language: &str) -> impl Iterator<Item = &'a str> {
    let apart = ["fr", "it"].contains(&language);
    let split = word.find(['\'', '’']).filter(|place| apart && *place <= 4).and_then(|place| {
        let (article, rest) = word.split_at(place);
        let noun = rest.trim_start_matches(['\'', '’']);
        (!noun.is_empty()).then_some([article, noun])
    });
    split.unwrap_or([word, ""]).into_iter().filter(|piece| !piece.is_empty())
}

/// Returns the word as the tables spell it.
fn key(word: &str) -> String {
    let folded = folded(bare(word)).replace('’', "'");
    match folded.strip_suffix("'s") {
        Some(owner) if !["new year", "valentine"].contains(&owner) && !folded.starts_with("year") => owner.to_owned(),
        _ => folded,
    }
}

/// Removes surrounding punctuation and a possessive ending.
pub(super) fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// Reads numbers, dates and labels of periods.
fn plain(piece: &str, key: &str) -> Token {
    if let Some((first, last)) = labelled(bare(piece)).or_else(|| dotted(bare(piece))) {
        return Token::Days(first, last);
    }
    let digits = key.trim_end_matches(|c: char| !c.is_ascii_digit());
    let ending = &key[digits.len()..];
    match digits.parse::<i16>() {
        Ok(year) if ending.is_empty() && digits.len() == 4 && (1900..2100).contains(&year) => Token::Year(year),
        Ok(number) if ending.is_empty() && digits.len() < 4 => Token::Number(number),
        Ok(number) if ["st", "nd", "rd", "th", "er", "e", "º", "ª", "o", "a"].contains(&ending) => Ordinal(number),
        _ => Token::Other,
    }
}

/// Reads the label of a period with a hyphen: `2026-03-04`, `2026-W10`.
fn labelled(word: &str) -> Option<(Date, Date)> {
    let period: Period = word.contains('-').then(|| word.to_uppercase().parse().ok())??;
    Some((period.first_day(), period.last_day()))
}

/// Reads `4.3.2026`.
fn dotted(word: &str) -> Option<(Date, Date)> {
    let mut parts = word.split('.');
    let (day, month, year) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let day = Date::new(year, month, day).ok().filter(|_| parts.next().is_none() && year >= 1900)?;
    Some((day, day))
}
