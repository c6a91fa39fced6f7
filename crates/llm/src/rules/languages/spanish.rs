//! Spanish sentences and their English clauses.

use super::Line;

#[rustfmt::skip]
pub(super) const LINES: &[Line] = &[
    // Home.
    (r"(?:yo )?(?:ahora )?vivo(?: ahora)? en {o}",                                 "I live in $o"),
    (r"(?:ahora )?vivimos(?: ahora)? en {o}",                                      "we live in $o"),
    (r"(?:me he mudado|me mudé|nos mudamos|nos hemos mudado) a {o}",               "I moved to $o"),
    (r"(?:me mudé|me he mudado) de (?P<former>[^,;:]+?) a {o}",                    "I moved from $former to $o"),
    (r"ya no vivo en {o}",                                                         "I no longer live in $o"),
    (r"(?:yo )?soy de {o}",                                                        "I come from $o"),
    (r"crecí en {o}",                                                              "I grew up in $o"),
    (r"nací en {o}",                                                               "I was born in $o"),
    (r"nací",                                                                      "I was born"),
    (r"tengo (?P<o>\d\d) años",                                                    "I am $o years old"),
    (r"mi cumpleaños es",                                                          "my birthday is"),
    // Work and study.
    (r"(?:yo )?(?:ahora )?trabajo(?: ahora)? (?:en|para) {o}",                     "I work at $o"),
    (r"(?:yo )?trabajo(?: ahora)? (?:como|de) {o}",                                "I work as a $o"),
    (r"ya no trabajo (?:en|para) {o}",                                             "I no longer work at $o"),
    (r"(?:dejé|he dejado) mi (?:trabajo|empleo|puesto) en {o}",                    "I quit my job at $o"),
    (r"(?:dejé|he dejado|perdí|he perdido) mi (?:trabajo|empleo)",                 "I quit my job"),
    (r"estudio {o}",                                                               "I study $o"),
    // Family, partners and pets.
    (r"(?:mi|nuestr[oa]) (?P<pet>\p{L}+) {name} (?:tiene|vive|trabaja|estudia|juega|viene|va|quiere|cocina|ronca|odia|aprende|cumple|está)(?: [^,;:]+)?", "my $pet is called $name"),
    (r"estoy casad[oa] con {name}",                                                "I am married to $name"),
    (r"estoy prometid[oa] con {name}",                                             "I am engaged to $name"),
    (r"(?:estoy|soy) solter[oa]",                                                  "I am single"),
    (r"estoy casad[oa]",                                                           "I am married"),
    (r"estoy divorciad[oa]",                                                       "I am divorced"),
    (r"(?:tengo|tenemos) (?P<number>dos|tres|cuatro|cinco) (?:hijos|hijas|niños)", "I have $number kids"),
    (r"(?:tengo|tenemos) una? (?P<pet>\p{L}+) (?:que se llama|llamad[oa]) {name}", "I have a $pet named $name"),
    (r"(?:tengo|tenemos) una? (?P<pet>\p{L}+)",                                    "I have a $pet"),
    (r"(?:tengo|tenemos) una? (?P<pet>\p{L}+) \p{L}+ (?:que se llama|llamad[oa]) {name}", "I have a $pet named $name"),
    (r"(?:tengo|tenemos) (?P<number>dos|tres|cuatro|cinco) (?P<pet>\p{L}+)",       "I have $number $pet"),
    (r"(?:mi|nuestr[oa]) (?P<pet>\p{L}+)(?: (?:mayor|menor|pequeñ[oa]|gemel[oa]))? se llama {name}", "my $pet is called $name"),
    (r"(?:mi|nuestr[oa]) (?P<pet>\p{L}+) {name} (?:murió|ha muerto)",              "my $pet $name died"),
    // Food, health, likes, languages.
    (r"(?:yo )?soy alérgic[oa] (?:a la |a los |a las |al |a ){o}",                 "I am allergic to $o"),
    (r"(?:yo )?soy vegetarian[oa]",                                                "I am vegetarian"),
    (r"(?:yo )?soy vegan[oa]",                                                     "I am vegan"),
    (r"no como (?P<food>\p{L}+)",                                                  "I don't eat $food"),
    (r"hablo(?: con fluidez)? {o}",                                                "I speak $o"),
    (r"estoy aprendiendo(?: a tocar)? (?:el |la )?{o}",                            "I am learning $o"),
    (r"(?:toco (?:el |la )|juego al ){o}",                                         "I play $o"),
    (r"(?:me encantan?|me gustan?)(?: mucho)? (?:el |la |los |las )?{o}",          "I love $o"),
    (r"(?:odio|no me gustan?|detesto) (?:el |la |los |las )?{o}",                  "I hate $o"),
    (r"(?:yo )?soy celíac[oa]",                                                    "I have celiac disease"),
    (r"(?:yo )?soy diabétic[oa]",                                                  "I have diabetes"),
    (r"(?:yo )?soy epiléptic[oa]",                                                 "I have epilepsy"),
    (r"(?:yo )?soy asmátic[oa]",                                                   "I have asthma"),
    (r"(?:yo )?soy intolerante a la lactosa",                                      "I am lactose intolerant"),
    (r"tengo (?:la |el |una? )?{o}",                                               "I have $o"),
    // Names.
    (r"(?:me llamo|mi nombre es) {name}",                                          "my name is $name"),
    // Plans.
    (r"me mudo a {o}",                                                             "I'm moving to $o"),
    (r"(?:voy|viajo|me voy) a {o}",                                                "I'm going to $o"),
    // What somebody is. Last, because other lines begin the same way.
    (r"(?:yo )?soy {o}",                                                           "I am a $o"),
];

pub(super) const DATES: &[(&str, &str)] = &[
    ("anteayer", "the day before yesterday"),
    ("ayer|anoche", "yesterday"),
    ("hoy", "today"),
    ("pasado mañana", "the day after tomorrow"),
    ("mañana", "tomorrow"),
    ("la semana pasada", "last week"),
    ("el mes pasado", "last month"),
    ("el año pasado", "last year"),
    ("la próxima semana|la semana que viene", "next week"),
    ("el próximo mes|el mes que viene", "next month"),
    ("el próximo año|el año que viene", "next year"),
    (r"desde hace (?P<n>\d{1,2}) años", "since $n years ago"),
    ("desde hace un año", "since a year ago"),
    ("desde hace (?P<number>dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez) años", "since $number years ago"),
    (r"hace (?P<n>\d{1,2}) años", "$n years ago"),
    ("hace un año", "a year ago"),
    ("hace dos años", "two years ago"),
    ("hace tres años", "three years ago"),
    (r"desde (?P<y>\d{4})", "since $y"),
    (r"en (?P<y>\d{4})", "in $y"),
];
