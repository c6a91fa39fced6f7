//! German sentences and their English clauses.

use super::Line;

#[rustfmt::skip]
pub(super) const LINES: &[Line] = &[
    // Home.
    (r"ich (?:wohne|lebe)(?: jetzt| inzwischen)?(?: hier)? in(?: der| den)? {o}",  "I live in $o"),
    (r"(?:wir|wir beide) (?:wohnen|leben)(?: jetzt)?(?: hier)? in(?: der| den)? {o}", "we live in $o"),
    (r"(?:ich bin|wir sind)(?: gerade| kürzlich| endlich| jetzt)? (?:nach|in die|in den) {o} (?:um)?gezogen", "I moved to $o"),
    (r"bin(?: ich)?(?: endlich)? (?:nach|in die|in den) {o} (?:um)?gezogen",       "I moved to $o"),
    (r"(?:ich bin|wir sind) von (?P<former>[^,;:]+?) nach {o} (?:um)?gezogen",     "I moved from $former to $o"),
    (r"ich (?:wohne|lebe) nicht mehr in {o}",                                      "I no longer live in $o"),
    (r"ich (?:komme|stamme)(?: ursprünglich)? aus(?: der| den)? {o}",              "I come from $o"),
    (r"ich bin in {o} (?:aufgewachsen)",                                           "I grew up in $o"),
    (r"ich (?:bin|wurde) in {o} geboren",                                          "I was born in $o"),
    (r"ich (?:bin|wurde) geboren",                                                 "I was born"),
    (r"ich bin (?P<o>\d\d)(?: Jahre alt)?",                                        "I am $o years old"),
    (r"ich habe Geburtstag|mein Geburtstag ist",                                   "my birthday is"),
    // Work and study.
    (r"ich (?:arbeite|bin angestellt)(?: jetzt)? (?:bei|für)(?: der| dem)? {o}",   "I work at $o"),
    (r"ich arbeite(?: jetzt)?(?: bei (?P<e>\p{Lu}[^,;:]*?))? als {o}",             "I work as a $o"),
    (r"ich arbeite nicht mehr (?:bei|für)(?: der| dem)? {o}",                      "I no longer work at $o"),
    (r"ich habe(?: meinen Job)? (?:bei|beim)(?: der| dem)? {o} gekündigt",         "I quit my job at $o"),
    (r"ich habe (?:meinen Job gekündigt|gekündigt|meine Arbeit verloren|meinen Job verloren)", "I quit my job"),
    (r"ich (?:habe|hab)(?: gerade)? (?:bei|beim)(?: der| dem)? {o} angefangen(?: zu arbeiten)?", "I started working at $o"),
    (r"ich studiere(?: jetzt)? {o}",                                               "I study $o"),
    // Family, partners and pets.
    (r"ich bin(?: glücklich)? mit {name} verheiratet",                             "I am married to $name"),
    (r"ich bin (?:mit {name} )?verlobt",                                           "I am engaged to $name"),
    (r"ich (?:habe|hab) {name} geheiratet",                                        "I married $name"),
    (r"ich bin (?:ledig|single)",                                                  "I am single"),
    (r"ich bin verheiratet",                                                       "I am married"),
    (r"ich bin geschieden",                                                        "I am divorced"),
    (r"(?:ich habe|wir haben) (?P<number>zwei|drei|vier|fünf) Kinder",                  "I have $number kids"),
    (r"(?:ich habe|wir haben) (?:einen|eine|ein) (?P<pet>\p{L}+)(?: namens|,? (?:die|der|das)) {name}(?: heißt)?", "I have a $pet named $name"),
    (r"(?:ich habe|wir haben) (?:einen|eine|ein) (?P<pet>\p{L}+)",                 "I have a $pet"),
    (r"(?:ich habe|wir haben) (?:einen|eine|ein) \p{Ll}+ (?P<pet>\p{L}+)(?: namens|,? (?:die|der|das)) {name}(?: heißt)?", "I have a $pet named $name"),
    (r"(?:ich habe|wir haben) (?P<number>zwei|drei|vier|fünf) (?P<pet>\p{L}+)",    "I have $number $pet"),
    (r"(?:mein|meine|unser|unsere)(?: (?:ältere|jüngere|große|kleine|beste|älteste|jüngste)[rs]?)? (?P<pet>\p{L}+) heißt {name}", "my $pet is called $name"),
    (r"(?:mein|meine|unser|unsere) (?P<pet>\p{L}+) {name} ist(?: leider)? (?:gestorben|tot)", "my $pet $name died"),
    // Food, health, likes, languages.
    (r"(?:ich )?bin(?: stark)? gegen {o} allergisch",                              "I am allergic to $o"),
    (r"ich bin(?: stark)? allergisch gegen {o}",                                   "I am allergic to $o"),
    (r"ich (?:bin|lebe|esse|ernähre mich)(?: jetzt| strikt)? vegan",               "I am vegan"),
    (r"ich bin Veganer(?:in)?",                                                    "I am vegan"),
    (r"ich (?:bin Vegetarier(?:in)?|esse vegetarisch|lebe vegetarisch|ernähre mich vegetarisch)", "I am vegetarian"),
    (r"ich esse kein(?:e|en)? (?P<food>\p{L}+)",                                   "I don't eat $food"),
    (r"ich spreche(?: fließend)? {o}",                                             "I speak $o"),
    (r"ich lerne(?: gerade)? {o}",                                                 "I am learning $o"),
    (r"ich spiele {o}",                                                            "I play $o"),
    (r"ich (?:mag kein(?:e|en)?|hasse) {o}",                                       "I hate $o"),
    (r"ich (?:liebe|mag) {o}",                                                     "I love $o"),
    (r"ich bin laktoseintolerant",                                                 "I am lactose intolerant"),
    (r"ich bin Diabetiker(?:in)?",                                                 "I have diabetes"),
    (r"ich bin Epileptiker(?:in)?",                                                "I have epilepsy"),
    (r"ich bin Asthmatiker(?:in)?",                                                "I have asthma"),
    (r"ich (?:habe|hab)(?: leider| seit Jahren)? {o}",                             "I have $o"),
    // Names.
    (r"(?:ich heiße|mein Name ist) {name}",                                        "my name is $name"),
    // Plans.
    (r"ich ziehe nach {o}(?: um)?",                                                "I'm moving to $o"),
    (r"ich (?:fliege|reise|fahre) nach {o}",                                       "I'm going to $o"),
    // What somebody is. Last, because other lines begin the same way.
    (r"ich bin(?: von Beruf)? {o}(?: von Beruf)?",                                 "I am a $o"),
];

pub(super) const DATES: &[(&str, &str)] = &[
    ("vorgestern", "the day before yesterday"),
    ("gestern(?: abend)?", "yesterday"),
    ("heute", "today"),
    ("übermorgen", "the day after tomorrow"),
    ("morgen", "tomorrow"),
    ("letzte Woche", "last week"),
    ("letzten Monat|letzter Monat", "last month"),
    ("letztes Jahr", "last year"),
    ("nächste Woche", "next week"),
    ("nächsten Monat", "next month"),
    ("nächstes Jahr", "next year"),
    (r"vor (?P<n>\d{1,2}) Jahren", "$n years ago"),
    ("vor einem Jahr", "a year ago"),
    ("vor zwei Jahren", "two years ago"),
    ("vor drei Jahren", "three years ago"),
    (r"seit (?P<n>\d{1,2}) Jahren", "since $n years ago"),
    ("seit einem Jahr", "since a year ago"),
    ("seit (?P<number>zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn) Jahren", "since $number years ago"),
    (r"seit (?P<y>\d{4})", "since $y"),
    (r"(?:im Jahr )(?P<y>\d{4})", "in $y"),
];
