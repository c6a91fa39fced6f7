//! French sentences and their English clauses.

use super::Line;

#[rustfmt::skip]
pub(super) const LINES: &[Line] = &[
    // Home.
    (r"(?:j'habite|je vis|je réside)(?: maintenant| actuellement)? (?:à|en|au|aux) {o}", "I live in $o"),
    (r"(?:nous habitons|on habite|nous vivons)(?: maintenant)? (?:à|en|au|aux) {o}", "we live in $o"),
    (r"(?:j'ai|nous avons|on a)(?: enfin)? (?:déménagé|emménagé) (?:à|en|au|aux) {o}", "I moved to $o"),
    (r"j'ai déménagé de (?P<former>[^,;:]+?) à {o}",                               "I moved from $former to $o"),
    (r"je (?:n'habite|ne vis) plus (?:à|en|au|aux) {o}",                           "I no longer live in $o"),
    (r"je n'habite plus (?:à|en|au|aux) {o}",                                      "I no longer live in $o"),
    (r"je (?:viens|suis originaire) (?:de|du|d')\s?{o}",                           "I come from $o"),
    (r"j'ai grandi (?:à|en|au|aux) {o}",                                           "I grew up in $o"),
    (r"je suis née? (?:à|en|au|aux) {o}",                                          "I was born in $o"),
    (r"je suis née?",                                                              "I was born"),
    (r"j'ai (?P<o>\d\d) ans",                                                      "I am $o years old"),
    (r"mon anniversaire est",                                                      "my birthday is"),
    // Work and study.
    (r"je (?:travaille|bosse)(?: maintenant)? (?:chez|pour) {o}",                  "I work at $o"),
    (r"je travaille(?: maintenant)? comme {o}",                                    "I work as a $o"),
    (r"je ne travaille plus (?:chez|pour) {o}",                                    "I no longer work at $o"),
    (r"j'ai (?:quitté mon (?:travail|poste|emploi|boulot)|démissionné) (?:chez|de chez) {o}", "I quit my job at $o"),
    (r"j'ai (?:démissionné|quitté mon (?:travail|poste|emploi|boulot)|perdu mon (?:travail|emploi|boulot))", "I quit my job"),
    (r"j'étudie (?:la |le |l'|les )?{o}",                                          "I study $o"),
    // Family, partners and pets.
    (r"(?:mon|ma|notre) (?P<pet>\p{L}+(?:-\p{L}+)?) {name} (?:travaille|habite|vit|étudie|joue|ronfle|aime|adore|déteste|vient|va|cuisine|apprend|fête|rentre|entre)(?: [^,;:]+)?", "my $pet is called $name"),
    (r"je suis mariée? (?:à|avec) {name}",                                         "I am married to $name"),
    (r"je suis fiancée? (?:à|avec) {name}",                                        "I am engaged to $name"),
    (r"je suis célibataire",                                                       "I am single"),
    (r"je suis mariée?",                                                           "I am married"),
    (r"je suis divorcée?",                                                         "I am divorced"),
    (r"(?:j'ai|nous avons) (?P<number>deux|trois|quatre|cinq) enfants",            "I have $number kids"),
    (r"(?:j'ai|nous avons) une? (?P<pet>\p{L}+) (?:qui s'appelle|nommée?|appelée?) {name}", "I have a $pet named $name"),
    (r"(?:j'ai|nous avons) une? (?P<pet>\p{L}+)",                                  "I have a $pet"),
    (r"(?:j'ai|nous avons) une? (?P<pet>\p{L}+) \p{L}+ (?:qui s'appelle|nommée?|appelée?) {name}", "I have a $pet named $name"),
    (r"(?:j'ai|nous avons) (?P<number>deux|trois|quatre|cinq) (?P<pet>\p{L}+)",    "I have $number $pet"),
    (r"(?:mon|ma|notre)(?: (?:petite?|grande?|meilleure?))? (?P<pet>\p{L}+(?:-\p{L}+)?) s'appelle {name}", "my $pet is called $name"),
    (r"(?:mon|ma|notre) (?P<pet>\p{L}+) {name} est morte?",                        "my $pet $name died"),
    // Food, health, likes, languages.
    (r"je suis(?: très)? allergique (?:aux|au|à la|à l'|à) ?{o}",                  "I am allergic to $o"),
    (r"je suis végétarien(?:ne)?",                                                 "I am vegetarian"),
    (r"je suis (?:végane?|vegan)",                                                 "I am vegan"),
    (r"je ne mange pas (?:de |d')(?P<food>\p{L}+)",                                "I don't eat $food"),
    (r"je parle(?: couramment)? (?:le |l')?{o}",                                   "I speak $o"),
    (r"j'apprends (?:le |la |l')?{o}",                                             "I am learning $o"),
    (r"je joue (?:du |de la |de l'|au |aux ){o}",                                  "I play $o"),
    (r"j'(?:adore|aime) (?:le |la |l'|les )?{o}",                                  "I love $o"),
    (r"je (?:déteste|n'aime pas) (?:le |la |l'|les )?{o}",                         "I hate $o"),
    (r"je suis (?:cœliaque|coeliaque)",                                            "I have celiac disease"),
    (r"je suis diabétique",                                                        "I have diabetes"),
    (r"je suis épileptique",                                                       "I have epilepsy"),
    (r"je suis asthmatique",                                                       "I have asthma"),
    (r"je suis intolérante? au lactose",                                           "I am lactose intolerant"),
    (r"j'ai (?:de l'|du |de la |des |la |le |l'|une |un )?{o}",                    "I have $o"),
    // Names.
    (r"(?:je m'appelle|mon nom est) {name}",                                       "my name is $name"),
    // Plans.
    (r"je déménage (?:à|en|au|aux) {o}",                                           "I'm moving to $o"),
    (r"je (?:vais|pars) (?:à|en|au|aux) {o}",                                      "I'm going to $o"),
    // What somebody is. Last, because other lines begin the same way.
    (r"je suis {o}(?: de métier| de profession)?",                                 "I am a $o"),
];

pub(super) const DATES: &[(&str, &str)] = &[
    ("avant-hier", "the day before yesterday"),
    ("hier(?: soir)?", "yesterday"),
    ("aujourd'hui", "today"),
    ("après-demain", "the day after tomorrow"),
    ("demain", "tomorrow"),
    ("la semaine dernière", "last week"),
    ("le mois dernier", "last month"),
    ("l'année dernière|l'an dernier", "last year"),
    ("la semaine prochaine", "next week"),
    ("le mois prochain", "next month"),
    ("l'année prochaine|l'an prochain", "next year"),
    (r"il y a (?P<n>\d{1,2}) ans", "$n years ago"),
    ("il y a un an", "a year ago"),
    ("il y a deux ans", "two years ago"),
    ("il y a trois ans", "three years ago"),
    (r"depuis (?P<n>\d{1,2}) ans", "since $n years ago"),
    ("depuis un an", "since a year ago"),
    ("depuis (?P<number>deux|trois|quatre|cinq|six|sept|huit|neuf|dix) ans", "since $number years ago"),
    (r"depuis (?P<y>\d{4})", "since $y"),
    (r"en (?P<y>\d{4})", "in $y"),
];
