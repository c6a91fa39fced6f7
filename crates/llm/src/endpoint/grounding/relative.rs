//! Words that refer to a day relative to the day on which they are used, in eight languages. A date that a summary gives may
//! follow from them.

use std::collections::HashSet;
use std::sync::LazyLock;

use annals_core::entity_key;
use unicode_segmentation::UnicodeSegmentation;

use super::dates::weekday;
use super::plain;

/// Words of these languages, compared without case and accents.
const WORDS: &str = "today tomorrow yesterday tonight next last ago week weekend days \
    heute morgen übermorgen gestern vorgestern nächste nächsten nächster nächstes kommende kommenden letzte letzten letzter \
    letztes vergangene vergangenen woche wochen wochenende tage tagen \
    aujourd'hui demain lendemain hier prochain prochaine dernier dernière semaine semaines jours \
    hoy mañana ayer anoche anteayer próximo próxima pasado pasada semana semanas finde días \
    hoje amanhã ontem anteontem passado passada dias segunda terça quarta quinta sexta \
    oggi domani dopodomani ieri prossimo prossima scorso scorsa settimana settimane giorni \
    vandaag overmorgen gisteren eergisteren volgende komende vorige afgelopen weken dagen geleden";

/// Phrases, also in languages without spaces.
const PHRASES: &str = "que viene|que vem|今天|明天|后天|後天|昨天|前天|今晚|\
    昨晚|明晚|明早|下周|上周|这周|本周|周末|下週|上週|週末|星期|礼拜|\
    天前|天后|今日|明日|昨日|来週|先週|今週|曜日";

/// Weekdays in Chinese and Japanese, whose last character is the number or the name of the day: "周一".
const WEEKDAYS: [char; 7] = ['一', '二', '三', '四', '五', '六', '日'];

/// Words for spans of more than two weeks.
const DISTANT: &str = "weeks month months year years fortnight \
    wochen monat monate monaten jahr jahre jahren mois an ans année années \
    semanas mes meses año años mês ano anos settimane mese mesi anno anni weken maand maanden jaar jaren";

static SINGLE: LazyLock<HashSet<String>> = LazyLock::new(|| WORDS.split_whitespace().map(entity_key).collect());
static SPANS: LazyLock<HashSet<String>> = LazyLock::new(|| DISTANT.split_whitespace().map(entity_key).collect());

/// Returns whether a text refers to a day near the one on which it was said.
pub(super) fn is_relative(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has_chinese_weekday = |week: char| WEEKDAYS.iter().any(|day| lower.contains(&format!("{week}{day}")));
    PHRASES.split('|').any(|phrase| lower.contains(phrase))
        || has_chinese_weekday('周')
        || has_chinese_weekday('週')
        || text.unicode_words().map(plain).any(|word| SINGLE.contains(&word) || weekday(&word).is_some())
}

/// Returns whether a text mentions a span of weeks, months or years, so that a distant day may follow from it.
pub(super) fn is_distant(text: &str) -> bool {
    text.contains(['月', '年']) || text.unicode_words().any(|word| SPANS.contains(&plain(word)))
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
        assert!(is_distant("in three weeks") && is_distant("下个月") && !is_distant("next week"));
    }
}
