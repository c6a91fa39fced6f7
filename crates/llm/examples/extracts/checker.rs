//! Checks whether a sentence can stand alone. Shares no patterns and no word lists with the engine.

use std::sync::LazyLock;

use regex::Regex;

/// A reason why a sentence does not stand alone, or should not be in a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The sentence begins with a pronoun or demonstrative that refers to another sentence.
    Pronoun,
    /// A relative time without a date after it.
    RelativeDate,
    /// The caption of a picture, or another remark in brackets that is not a date.
    Caption,
    /// A greeting, thanks, applause or a reaction.
    SmallTalk,
    Question,
    /// A masked credential.
    Masked,
}

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("a pattern of the checker"));
    };
}

pattern!(
    PRONOUN,
    r"(?ix)^\W*
      (?:(?:and|but|so|then|also|plus|because|well|anyway|anyways|yes|yeah|yep|no|nah|oh|ah|now|still|or|too|therefore|however|like)\b\W+)*
      (?:he|she|it|they|that|those|these|his|her|hers|him|them|their|theirs|its|
         thats|theyre|such\ a|there's\ the|
         this(?:$|\ (?:is|was|has|had|will|would|can|could|one|thing|book|place|makes|made|helps|helped|guy|movie|game|game's|picture|photo|pic)\b|'s|\W*$)|
         er|sie\ (?:war|hat|ist)|das\ (?:war|ist|hat)|c'est|il\ est|elle\ est|eso|esto|isso|isto|quello|questo|dat\ is|dit\ is)
      (?:['’](?:s|re|d|ll|ve))?(?:\b|$)"
);

// A match is a fault unless a date follows; see `has_undated`.
pattern!(
    RELATIVE,
    r"(?ix)\b(?:
        yesterday|tomorrow|today|tonight|to-day|to-morrow|to-night|
        (?:last|next|this|past|coming|previous|following)\s(?:past\s|coming\s)?(?:night|week|weekend|month|quarter|year|summer|winter|spring|autumn|fall|
            morning|afternoon|evening|monday|tuesday|wednesday|thursday|friday|saturday|sunday|
            january|february|march|april|june|july|august|september|october|november|december|christmas|easter)|
        (?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|several|some|many|few|couple(?:\sof)?)\s(?:more\s)?(?:hours?|nights?|days?|weeks?|months?|years?)\s(?:ago|back)|
        the\sother\s(?:day|night|week)|
        (?:on|by|until|till|since|before|after)\s(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|
        (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\s(?:morning|afternoon|evening|night)|
        gestern|heute|übermorgen|vorgestern|(?:letzte|nächste)[nrsm]?\s(?:woche|monat|jahr)|
        hier|demain|aujourd['’]hui|ayer|mañana\b|hoy|ontem|amanhã|hoje|ieri|oggi|domani|gisteren|vandaag
      )\b"
);

pattern!(
    CAPTION,
    r"(?i)\[(?:[^\]\d]|\d{1,3}\D)[^\]]*\]|!\[|\b(?:shared|sent|posts?) an? (?:picture|photo|image|pic)\b|^an? (?:photo|picture|image)(?:graphy|graph)? of\b"
);
pattern!(DATE_BRACKET, r"\[[^\]]*\d{4}[^\]]*\]");

pattern!(
    SMALL_TALK,
    r"(?ix)^\W*(?:
        (?:hi|hey|hello|hiya|yo|dear|good\s(?:morning|evening|night|afternoon|day))\b|
        (?:bye|goodbye|see\s(?:you|ya)|ttyl|talk\s(?:to\syou\s)?soon|later)\b|
        (?:many\s|a\slot\sof\s)?(?:thanks|thank|thx|ty|cheers|congrats|congratulations|sorry|welcome)\b|
        you(?:'re|\sare)\swelcome|
        (?:wow|woah|whoa|yay|woohoo|aww*|ooh+|omg|lol|haha\w*|yum|ugh|phew|yikes|oops|hmm+)\b|
        (?:awesome|amazing|great|cool|nice|wonderful|fantastic|lovely|perfect|excellent|beautiful|brilliant|impressive|sweet|adorable|gorgeous)\s?(?:[!.,]|$|job|work|to\shear|news|idea|pic|photo|shot|one)|
        (?:so|very|really)?\s?(?:glad|happy|proud|excited|pleased)\s(?:to\shear|for\syou|of\syou|you|that\syou)|
        i['’]?\s?a?m\s(?:so\s|really\s|very\s|super\s)?(?:glad|happy|proud|pleased|sorry|thrilled)\s(?:to\shear|for\syou|of\syou|you|about\sthat|that\syou)|
        (?:that|it|this)?\s?(?:sounds|looks)\s(?:like\s)?(?:a\s|an\s|so\s|really\s)?(?:great|awesome|amazing|cool|fun|good|nice|delicious|wonderful|fantastic|lovely|interesting|blast|plan)|
        (?:good|best\sof)\sluck|take\scare|keep\s(?:it\sup|up|going|me\sposted|in\stouch)|have\s(?:a\s)?(?:fun|great|good|nice|blast)|enjoy\b|
        (?:of\scourse|sure|absolutely|definitely|exactly|agreed|totally|indeed|true|right|okay|ok|yep|yup|yeah|yes|no\sproblem|no\sworries)\s?(?:[!.,]|$)|
        (?:can['’]?t|cannot)\swait|fingers\scrossed|i\s(?:totally\s|completely\s|really\s)?(?:agree|appreciate\s(?:it|your|the\ssupport|you)|hope\syou|wish\syou|bet\b)|
        let\sme\sknow|feel\sfree|you['’]?(?:'ve|ve)?\s(?:got\sthis|rock|deserve)|well\sdone|way\sto\sgo|same\shere|me\stoo|
        danke|bitte|hallo|guten\s(?:tag|morgen|abend)|merci|bonjour|salut|gracias|hola|buenos|buenas|obrigad[oa]|ol[aá]|grazie|ciao|buongiorno|bedankt|hoi
      )"
);

pattern!(QUESTION, r#"[?？]["'”’)\]\s\p{So}!]*$"#);

/// Returns the faults of a sentence, each once.
pub fn faults(sentence: &str) -> Vec<Fault> {
    let without_dates = DATE_BRACKET.replace_all(sentence, "");
    let checks = [
        (Fault::Pronoun, PRONOUN.is_match(sentence)),
        (Fault::RelativeDate, has_undated(sentence)),
        (Fault::Caption, CAPTION.is_match(&without_dates)),
        (Fault::SmallTalk, SMALL_TALK.is_match(sentence)),
        (Fault::Question, QUESTION.is_match(sentence)),
        (Fault::Masked, sentence.contains("[masked")),
    ];
    checks.into_iter().filter(|(_, applies)| *applies).map(|(fault, _)| fault).collect()
}

/// Returns whether a relative time has no date. A bracket with a date may follow after a few more words: "last Friday
/// evening [2023-05-05]".
fn has_undated(sentence: &str) -> bool {
    RELATIVE.find_iter(sentence).any(|found| {
        let rest = &sentence[found.end()..];
        let near: String = rest.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
        !DATE_BRACKET.is_match(&near) && !is_dated_by_hand(rest)
    })
}

/// Returns whether the text itself gives the date: "today, 5 March 2024", "on Tuesday 11 February", "Tuesday the 11th".
fn is_dated_by_hand(rest: &str) -> bool {
    static DATED: LazyLock<Regex> = LazyLock::new(|| {
        let months = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";
        let day = r"\d{1,2}(?:st|nd|rd|th)?";
        let pattern = format!(
            r"(?i)^,?\s\(?(?:on\s)?(?:the\s)?(?:{day}\s(?:of\s)?{months}|{months}\s{day}|\d{{1,2}}(?:st|nd|rd|th))\b"
        );
        Regex::new(&pattern).expect("a pattern of the checker")
    });
    DATED.is_match(rest)
}
