//! Words that refer to a day relative to the day on which they are used, in eight languages. A date in a summary may follow
//! from them. No date is computed: if a source has one of these words anywhere, dates near the day of the source are accepted.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use annals_core::{CHINESE_WEEKDAYS, TimeWords, entity_key};
use jiff::Unit;
use unicode_segmentation::UnicodeSegmentation;

use super::dates::weekday;
use super::plain;

/// Words that refer to a near day, besides the names of weekdays and words for a single day ("tomorrow"), which are in core.
/// Compared without case and accents.
const WORDS: &str = "next last ago week weekend days \
    nächste nächsten nächster nächstes kommende kommenden letzte letzten letzter \
    letztes vergangene vergangenen woche wochen wochenende tage tagen \
    lendemain prochain prochaine dernier dernière semaine semaines jours \
    próximo próxima pasado pasada semana semanas finde días \
    passado passada dias segunda terça quarta quinta sexta \
    prossimo prossima scorso scorsa settimana settimane giorni \
    volgende komende vorige afgelopen weken dagen geleden";

/// Phrases of several words, and words of languages without spaces, that refer to a near day. Looked for anywhere in a text,
/// without case.
const PHRASES: &str = "que viene|que vem|今天|明天|后天|後天|昨天|前天|今晚|\
    昨晚|明晚|明早|下周|上周|这周|本周|周末|下週|上週|週末|星期|礼拜|\
    天前|天后|今日|明日|昨日|来週|先週|今週|曜日";

/// Words for spans of two weeks or more, besides those for months and years.
const DISTANT: &str = "weeks fortnight wochen semanas settimane weken";

static SINGLE: LazyLock<HashSet<String>> = LazyLock::new(|| {
    // Words for days that are further away are not among them: they do not refer to a near day.
    let days = TimeWords::all().flat_map(|words| words.days).filter(|(_, distance)| distance.abs() <= 2);
    WORDS.split_whitespace().chain(days.map(|(word, _)| *word)).map(entity_key).collect()
});
static UNITS: LazyLock<HashMap<String, Unit>> = LazyLock::new(|| {
    let units = TimeWords::all().flat_map(TimeWords::units);
    units.map(|(word, unit)| (entity_key(word), unit)).collect()
});
static SPANS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let units = TimeWords::all().flat_map(TimeWords::units).filter(|(_, unit)| *unit >= Unit::Month);
    DISTANT.split_whitespace().chain(units.map(|(word, _)| word)).map(entity_key).collect()
});

/// Returns whether a text refers to a day near the one on which it was said.
pub(super) fn is_relative(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has_chinese_weekday = |week: char| CHINESE_WEEKDAYS.iter().any(|day| lower.contains(&format!("{week}{day}")));
    PHRASES.split('|').any(|phrase| lower.contains(phrase))
        || has_chinese_weekday('周')
        || has_chinese_weekday('週')
        || text.unicode_words().map(plain).any(|word| SINGLE.contains(&word) || weekday(&word).is_some())
}

/// Returns whether a text mentions a span of weeks, months or years, so that a distant day may follow from it.
pub(super) fn is_distant(text: &str) -> bool {
    text.contains(['月', '年']) || text.unicode_words().any(|word| SPANS.contains(&plain(word)))
}

/// Returns whether a text mentions the unit, months or years, in any language, as in "last year".
pub(super) fn has_unit(text: &str, unit: Unit) -> bool {
    let sign = if unit == Unit::Year { '年' } else { '月' };
    text.contains(sign) || text.unicode_words().any(|word| UNITS.get(&plain(word)) == Some(&unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_language_are_found() {
        for text in [
            "next Monday",
            "ab nächsten Montag",
            "lundi prochain",
            "el lunes que viene",
            "na segunda que vem",
            "lunedì prossimo",
            "volgende maandag",
            "下周一",
            "周五见",
            "来週",
            "Bis Dienstag",
            "anteayer",
        ] {
            assert!(is_relative(text), "{text}");
        }
        for text in ["I moved", "Ich ziehe um", "me mudé", "我搬家了", "周到"] {
            assert!(!is_relative(text), "{text}");
        }
        assert!(has_unit("letztes Jahr", Unit::Year) && has_unit("下个月", Unit::Month));
        assert!(!has_unit("last year", Unit::Month) && !has_unit("next week", Unit::Year));
        assert!(is_distant("in three weeks") && is_distant("下个月") && !is_distant("next week"));
    }
}
