//! The rules: which clauses state which fact, one rule per line. Each clause is tried on all rules and must match as a whole,
//! apart from what `tails` removes, except for people and pets named in passing.
//!
//! All predicates (relatives as in `grammar::relation`):
//! `likes dislikes has_favorite` · `lives_in is_from born_in born_on has_birthday age` · `works_at works_as is_a studies
//! studies_at graduated_from attends member_of volunteers_at` · `owns has_pet has_children has_child has_sister … has_friend
//! has_partner married_to engaged_to marital_status` · `speaks plays learns practices` ·
//! `allergic_to diet does_not_eat has_condition takes gave_up` · `prefers` · `has_email has_phone leads` · `plans wants` · `visited` · `also_known_as`

use std::sync::LazyLock;

use annals_core::ALIAS;
use regex::Regex;

use super::grammar::spelled;
use super::objects::Shape::{
    self, Alias, All, Allergen, Belonging, Birthday, Children, Club, Condition, Course, Date, Destination, Employer,
    Favorite, Field, FirstName, Food, Hobby, Language, Listed, Medicine, Names, Occupation, PetName, Pets, Place, Play,
    School, Skill, SmallFirstName, SmallName, Taste, Vehicle,
};

/// What a rule states, and which date it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum States {
    /// The fact holds in addition to other values. A date must say since when, or for names of people and pets be recent.
    Holds,
    /// The fact holds instead of other values. A date must say since when.
    Becomes,
    /// The fact holds, but only if the clause says since when; otherwise it may be over.
    Since,
    /// The fact began on a date in the past, or just now.
    Began,
    /// The fact began on a date in the past, or just now. Other values, or the named one, ended then.
    Turned,
    /// Something is planned for a date in the future.
    Plans,
    /// Something is planned, with or without a date.
    Hopes,
    /// The fact has the date as its object.
    Dates,
    /// The fact ended on a date in the past, or just now.
    Ends,
    /// The fact ended just now. With a date, the clause states nothing, because the date may belong to the denied plan: "I'm
    /// not moving in May".
    Dropped,
}
use States::{Becomes, Began, Dates, Dropped, Ends, Holds, Hopes, Plans, Since, Turned};

impl States {
    /// Returns whether the fact begins or ends at a moment that the clause may name.
    pub(super) fn needs_moment(self) -> bool {
        !matches!(self, Holds | Becomes)
    }
}

/// One line of the table.
pub(super) struct Rule {
    pub(super) pattern: Regex,
    pub(super) states: States,
    /// Predicate of the fact. Empty for relatives, where the kind of relative decides.
    pub(super) predicate: &'static str,
    pub(super) object: Shape,
    pub(super) confidence: f64,
}

impl Rule {
    /// Returns whether an ambiguous date is resolved to the future.
    pub(super) fn is_ahead(&self) -> bool {
        matches!(self.states, Plans | Hopes)
    }
}

/// Rules for whole clauses.
pub(super) static CLAUSES: LazyLock<Vec<Rule>> = LazyLock::new(|| compiled("(?i)^(?:", OF_CLAUSES, ")$"));

/// Rules for people and pets named in passing: at the start of a clause, after a comma, or after certain prepositions,
/// conjunctions, verbs and pronouns.
pub(super) static MENTIONS: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    compiled(
        r"(?i)(?:^|, |\b(?:with|and|for|from|to|by|at|of|about|is|meet|i|we|visit|visited|visiting|kept|keep|feed|fed|see|saw|seeing|met|call|called|helped?|helping|gave|give|lent|drove|invited|because|but|so|that|when|while|since|after|before|than) )(?:",
        OF_MENTIONS,
        ")",
    )
});

type Line = (&'static str, States, &'static str, Shape, f64);

fn compiled(before: &str, lines: &[Line], after: &str) -> Vec<Rule> {
    let rule = |(pattern, states, predicate, object, confidence): &Line| Rule {
        pattern: Regex::new(&format!("{before}{}{after}", spelled(pattern))).expect("a pattern of the table is valid"),
        states: *states,
        predicate,
        object: *object,
        confidence: *confidence,
    };
    lines.iter().map(rule).collect()
}

#[rustfmt::skip]
const OF_CLAUSES: &[Line] = &[
    // Likes and dislikes.
    ("{i} (?:love|like) to (?P<o>travel|read|cook|bake|paint|draw|dance|sing|swim|hike|ski|surf|garden|knit|sew|camp|climb|write)", Holds, "likes", Listed, 0.8),
    ("{i} (?:love|adore|enjoy|like) {o}",                                         Holds,   "likes",          Taste,      0.9),
    ("{i_have} (?:loved|been into|been fond of) {o}",                             Holds,   "likes",          Taste,      0.8),
    ("{i_am}(?: very)? (?:into|fond of|obsessed with|crazy about|passionate about|a (?:big |huge )?fan of) {o}", Holds, "likes", Taste, 0.8),
    ("{i} (?:hate|dislike|detest|loathe|(?:can't|cannot) stand) {o}",             Holds,   "dislikes",       Taste,      0.9),
    ("{i} (?:hate|dislike|detest|loathe|(?:can't|cannot) stand) {o}",             Ends,    "likes",          Taste,      0.9),
    ("{i} (?:don't|do not)(?: really| particularly)? (?:like|enjoy) {o}",         Holds,   "dislikes",       Taste,      0.8),
    ("{i} (?:don't|do not)(?: really| particularly)? (?:like|enjoy) {o}",         Ends,    "likes",          Taste,      0.8),
    ("{i_am} not (?:really )?(?:a (?:big |huge )?fan of|into|fond of) {o}",       Holds,   "dislikes",       Taste,      0.8),
    ("my (?:all-?time )?favou?rite {kind}(?: of all time)? (?:is|are|has always been){adv} {o}", Holds, "has_favorite", Favorite, 0.9),
    ("{o} (?:is|are){adv} my (?:all-?time )?favou?rite {kind}(?: of all time)?",  Holds,   "has_favorite",   Favorite,   0.8),
    // Homes and origins.
    ("{i} live (?:here )?in {o}{with}",                                                Holds,   "lives_in",       Place,      0.9),
    ("{i} live with (?:my|our) [\\p{L}' ]{2,40} in {o}",                         Holds,   "lives_in",       Place,      0.9),
    ("{i_am} (?:living|based|located) (?:here )?in {o}{with}",                         Holds,   "lives_in",       Place,      0.9),
    ("{i_have} (?:lived|been living) (?:here )?in {o}",                           Since,   "lives_in",       Place,      0.9),
    ("{i_have} (?:moved|relocated)(?: back| away)? from (?P<former>.+?) to {o}",  Turned,  "lives_in",       Place,      0.9),
    ("{i_have} (?:moved|relocated)(?: back| away)? to {o} from (?P<former>.+?)",  Turned,  "lives_in",       Place,      0.9),
    ("{i_have} (?:moved|relocated)(?: back| out| over)? to {o}",                  Turned,  "lives_in",       Place,      0.9),
    ("{i_am}(?: originally)? from {o}(?: originally)?",                           Holds,   "is_from",        Place,      0.9),
    ("{i_have} moved out of {o}", Ends, "lives_in", Place, 0.8),
    ("{i} come(?: originally)? from {o}(?: originally)?",                         Holds,   "is_from",        Place,      0.9),
    ("{i}(?: was)? (?:grew up|raised|born and raised) in {o}",                    Holds,   "is_from",        Place,      0.8),
    ("i was born (?:and raised )?in {o}",                                         Began,   "born_in",        Place,      0.9),
    ("i was born(?: (?:and raised )?in (?P<place>.+?))?",                         Dates,   "born_on",        Date,       0.9),
    ("my (?:birthday|bday|b-day) (?:is|was)",                                                    Dates,   "has_birthday",   Birthday,   0.9),
    ("(?:is|was|it's|it was) my birthday",                                        Dates,   "has_birthday",   Birthday,   0.9),
    ("(?:i'?m|i am){adv} (?P<o>[1-9]\\d) years old",                                          Becomes, "age",            Listed,     0.9),
    ("(?:i'?m|i am){adv} (?P<o>(?:1[3-9]|[2-9]\\d))",                                          Becomes, "age",            Listed,     0.8),
    ("i'm aged (?P<o>[1-9]\\d?)",                                                  Becomes, "age",            Listed,     0.9),
    ("i'm aged (?P<o>[1-9]\\d?)",                                                  Turned,  "age",            Listed,     0.9),
    // "I'm 35 today": the date is that of the birthday.
    ("(?:i'?m|i am){adv} (?P<o>(?:1[3-9]|[2-9]\\d))",                                          Turned,  "age",            Listed,     0.8),
    ("{i_have} turned (?P<o>[1-9]\\d?)(?: years old)?",                           Turned,  "age",            Listed,     0.9),
    // Work and study.
    ("{i_work} (?:at|for) {o}",                                                   Holds,   "works_at",       Employer,   0.9),
    ("{i} teach(?: \\w+){0,2} at {o}",                                            Holds,   "works_at",       Employer,   0.8),
    ("{i_am} (?:working|employed) (?:full[- ]time |part[- ]time )?(?:for|by) {o}", Holds,  "works_at",       Employer,   0.8),
    // People may sit and work "at the library", so the name needs a capital letter.
    ("{i_am} (?:working|employed) (?:full[- ]time |part[- ]time )?at (?P<o>(?-i:\\p{Lu}).+?)", Holds, "works_at", Employer, 0.8),
    ("{i_have}(?: been)? (?:work(?:ed|ing)|teaching|taught) (?:at|for) {o}",                       Since,   "works_at",       Employer,   0.9),
    ("{i_work} (?:at|for) {o} as an? (?P<occupation>.+?)",                        Holds,   "works_at",       Employer,   0.9),
    ("{i_work} (?:at|for) (?P<employer>.+?) as an? {o}",                          Holds,   "works_as",       Occupation, 0.9),
    ("{i_have} (?:started|begun|began) (?:working|(?:a|my) (?:new )?{job}) (?:at|for|with) {o}", Began, "works_at", Employer, 0.9),
    ("{i_have} (?:(?:got|landed|accepted|took|started) (?:an?|my|the)|found (?:an?|my)) (?:new )?{job} (?:at|with) {o}", Began, "works_at", Employer, 0.9),
    ("{i_have} (?:(?:got|landed|accepted|took|started) (?:an?|my|the)|found (?:an?|my)) (?:new )?{job} as an? {o}", Began, "works_as", Occupation, 0.9),
    ("{i_work}(?: from home)? as (?:an? )?{o}{at}",                                        Holds,   "works_as",       Occupation, 0.9),
    ("{i_work} as an? (?P<occupation>.+?) (?:at|for) {o}",                        Holds, "works_at", Employer,   0.9),
    ("{i_am} (?:working|employed) as (?:an? )?{o}{at}",                                Holds,   "works_as",       Occupation, 0.9),
    ("{i_am} the (?:new )?{o}{at}",                                               Holds,   "works_as",       Occupation, 0.8),
    ("{i_am} an? {o}{at}",                                                        Holds,   "works_as",       Occupation, 0.8),
    ("{i_am} an? {o}(?: from| based in| living in) (?P<place>.+?)",               Holds,   "works_as",       Occupation, 0.8),
    ("{i_am} an? (?P<occupation>.+?) (?:at|for|with) {o}",                        Holds,   "works_at",       Employer,   0.8),
    // "I'm Sam, officer" addresses one: an article or an employer must show that it is the speaker's own occupation.
    ("{introduced} (?P<first>{name}), {o} (?:at|for|with) (?P<employer>.+?)",     Holds,   "works_as",       Occupation, 0.8),
    ("{introduced} (?P<first>{name}), an? {o}{at}",                          Holds,   "works_as",       Occupation, 0.8),
    ("{introduced} (?P<first>{name}), (?:an? )?(?P<occupation>.+?) (?:at|for|with) {o}", Holds, "works_at",  Employer,   0.8),
    ("{i_have} (?:become|(?:been|got|was) (?:promoted|demoted) to|been made) (?:an? )?{o}(?: at (?P<employer>.+?))?", Turned, "works_as", Occupation, 0.9),
    ("{i_have} (?:became|become|been promoted to|got promoted to|been made) (?:an? )?(?P<occupation>.+?) at {o}", Began, "works_at", Employer, 0.9),
    ("{i_am} an? (?P<o>(?:medical|law|graduate|phd|engineering|nursing|art|college|university|high school|exchange) student|single (?:mom|mother|dad|father|parent)|(?:army |navy |war )?veteran|only child)(?: (?:with|at|in|from) .+?)?", Holds, "is_a", Listed, 0.8),
    ("(?:(?:today|yesterday|it|that)(?:'s| is| was) )?my (?:very )?first day (?:at|with) {o}", Began, "works_at", Employer, 0.8),
    ("(?:(?:today|yesterday|it|that)(?:'s| is| was) )?(?:my )?(?:very )?(?:last|final) day (?:at|with) {o}", Ends, "works_at", Employer, 0.9),
    ("{i_have} (?:quit|left|lost|resigned from) my (?:old )?{job} (?:at|with) {o}", Ends,  "works_at",       Employer,   0.9),
    ("{i_have} (?:quit|left|lost|resigned from) my (?:old |day )?job",            Ends,    "works_at",       All,        0.8),
    ("{i_have} (?:stopped|quit) working (?:at|for) {o}",                          Ends,    "works_at",       Employer,   0.9),
    ("{i}(?: was| have been| got|'ve been)? (?:fired|laid off|let go|made redundant)", Ends, "works_at",     All,        0.8),
    ("(?:they|(?:my|our) (?:boss|manager|company|employer|firm))(?: have| has|'ve)?{adv} (?:fired me|laid me off|made me redundant)", Ends, "works_at", All, 0.8),
    ("{i}(?: was| have been| got|'ve been)? (?:fired|laid off|let go) (?:from|by) (?:my job at )?{o}", Ends, "works_at", Employer, 0.9),
    ("{i_am} no longer (?:with|at|employed (?:at|by|with)) {o}",                  Ends,    "works_at",       Employer,   0.9),
    ("{i_have} (?:handed in|given|gave) (?:my|our) (?:notice|resignation) (?:at|to) {o}", Ends, "works_at",    Employer,   0.8),
    ("{i_have} started (?:at|work at|working at) (?P<o>(?-i:\\p{Lu}).+?)",          Began,   "works_at",       Employer,   0.8),
    ("{i_have} started at {o} as an? (?P<occupation>.+?)",                        Began,   "works_at",       Employer,   0.9),
    ("{i_have} started at (?P<employer>.+?) as an? {o}",                          Began,   "works_as",       Occupation, 0.9),
    ("(?:my|our) new (?:boss|(?:line )?manager) is (?P<o>{name})", Becomes, "has_boss", FirstName, 0.9),
    ("(?P<o>{name}) is (?:now )?(?:my|our) (?:new )?(?:boss|(?:line )?manager)(?: now)?", Becomes, "has_boss", FirstName, 0.8),
    ("{i_have} (?:retired|resigned) from {o}",                                    Ends,    "works_at",       Employer,   0.9),
    ("{i_am} (?:studying|majoring in) {o}(?: at (?P<school>.+?))?(?: in (?P<place>.+?))?", Holds, "studies", Field,      0.8),
    ("{i} (?:study|major in) {o}(?: at (?P<school>.+?))?(?: in (?P<place>.+?))?", Holds,   "studies",        Field,      0.8),
    ("{i_am} (?:doing|pursuing|finishing|completing|working on) (?:an?|my) {degree} in {o}(?: at (?P<school>.+?))?", Holds, "studies", Field, 0.9),
    ("{i_am} (?:doing|pursuing|finishing|completing|working on) (?:an?|my) {degree}(?: in .+?)? at {o}", Holds, "studies_at", School, 0.9),
    ("{i} study .+? at {o}",                                                      Holds,   "studies_at",     School,     0.9),
    ("{i_am} studying .+? at {o}",                                                Holds,   "studies_at",     School,     0.9),
    ("{i_am} a (?:[\\w-]+ )?student at {o}",                                      Holds,   "studies_at",     School,     0.9),
    ("{i_have} graduated from {o}",                                               Began,   "graduated_from", School,     0.9),
    ("{i_have} (?:signed up for|enrolled in|started|started taking|started attending) {o}", Began, "attends", Course,    0.8),
    ("{i_am} (?:taking|attending|enrolled in) {o}",                               Holds,   "attends",        Course,     0.8),
    ("{i_have} (?:joined|become a member of|became a member of) {o}",             Began,   "member_of",      Club,       0.8),
    ("{i_am} (?:a member of|in) {o}",                                             Holds,   "member_of",      Club,       0.8),
    ("{i_have} (?:left|quit) (?:the|my|our) {o}",                                 Ends,    "member_of",      Club,       0.8),
    ("{i_am} volunteering (?:at|for) {o}",                                        Holds,   "volunteers_at",  Employer,   0.8),
    ("{i_have} started volunteering (?:at|for) {o}",                              Began,   "volunteers_at",  Employer,   0.9),
    ("{i} volunteer (?:at|for) {o}",                                              Holds,   "volunteers_at",  Employer,   0.9),
    // Pets, children and belongings.
    ("(?:{i_own}) {o}",                                                           Holds,   "has_pet",        Pets,       0.9),
    ("(?:{i_own}) (?P<pet>{count} .+?)(?:{named}|,|:) {names}",                   Holds,   "has_pet",        Names,      0.9),
    ("(?:my|our) {pet} are (?:called|named) {names}",                             Holds,   "has_pet",        Names,      0.9),
    ("(?:my|our) {kids} are (?:called|named) {names}",                            Holds,   "",               Names,      0.9),
    ("(?:my|our) {kids} are (?P<o>{name}(?:, {name})*,? (?:and|&) {name})",       Holds,   "",               FirstName,  0.8),
    ("(?:{i_own}) (?P<pet>an? .+?){named} {names}",                               Holds,   "has_pet",        Names,      0.9),
    ("{i_have} (?:adopted|rescued|bought|got) {o}(?: from (?:a|the) (?:local )?(?:animal )?shelter(?: in {name})?)?",                               Began,   "has_pet",        Pets,       0.9),
    ("{i_have} (?:adopted|rescued|bought|got) (?P<pet>an?(?:other)? .+?){named} {names}(?: from (?:a|the) (?:local )?(?:animal )?shelter(?: in {name})?)?", Began,   "has_pet",        Names,      0.9),
    ("{i_have} (?:adopted|rescued|bought|got) (?P<pet>an?(?:other)? .+?), (?P<o>{name})", Began, "has_pet",  PetName,    0.8),
    ("{i_have} (?:adopted|rescued|bought|got) an? [\\w -]+?, (?P<pet>an? .+?){named} {names}", Began, "has_pet", Names,      0.9),
    ("(?:{i_own}) (?P<pet>an? .+?), (?P<o>{name})",                               Holds,   "has_pet",        PetName,    0.8),
    ("(?:my|our) {pet}{named} {names}",                                           Holds,   "has_pet",        Names,      0.9),
    ("(?:{i_own}) (?P<pet>an? .+?) (?:named|called) {o}",                         Holds,   "has_pet",        SmallName,  0.8),
    ("(?:my|our) {pet}(?: is|'s) (?:named|called) {o}",                           Holds,   "has_pet",        SmallName,  0.8),
    ("(?:{i_own}) (?:an?|one) (?:\\w+-year-old )?{relative}, {names}",            Holds,   "",               Names,      0.9),
    ("(?:{i_own}) {count} (?:\\w+-year-old )?{relative}s(?:,|:) {names}",          Holds,   "",               Names,      0.9),
    ("(?:{i_own}) {count} {kids}(?:{named}|,|:) {names}",                         Holds,   "",               Names,      0.9),
    ("(?:my|our) {pet} {names} {died}",                                           Ends,    "has_pet",        Names,      0.9),
    ("(?:my|our) {pet} {died}",                                                   Ends,    "has_pet",        All,        0.9),
    ("{i_have}(?: had to)? (?:lost|put down|euthani[sz]ed?|put to sleep|buried|bury|say goodbye to|said goodbye to) (?:my|our) {pet} {names}(?: under .+| in the garden| in the yard)?", Ends, "has_pet", Names, 0.8),
    ("{i_have} had to (?:put|say goodbye to|let go of|euthani[sz]e) (?:my|our) {pet} {names}(?: down| to sleep)?", Ends, "has_pet", Names, 0.9),
    ("{i_have} put (?:my|our) {pet} {names} (?:down|to sleep)",                   Ends,    "has_pet",        Names,      0.9),
    ("(?P<o>{name}) {died}", Ends, "has_pet", Names, 0.8),
    ("(?P<o>{name}) (?:was|had to be) (?:put (?:down|to sleep)|euthani[sz]ed)", Ends, "has_pet", Names, 0.9),
    ("{i_have}(?: had to)? put (?P<o>{name}) (?:down|to sleep)", Ends, "has_pet", Names, 0.9),
    ("{i_have}(?: had to)? (?:gave|given|give) (?P<o>{name}) away", Ends, "has_pet", Names, 0.8),
    ("my (?:wife|partner|girlfriend) (?:has |just )?(?:gave|given) birth to (?:our (?:son|daughter|baby) )?(?P<o>{name})", Began, "has_child", Names, 0.9),
    ("(?:{i_own}) {o}",                                                           Holds,   "has_children",   Children,   0.9),
    ("(?:{i_own}) (?:an?|one) (?:\\w+-year-old )?{relative}{named} {names}",      Holds,   "",               Names,      0.9),
    ("(?:{i_own}) {count} (?:\\w+-year-old )?{relative}s{named} {names}",         Holds,   "",               Names,      0.9),
    ("{i_am} married with {o}",                                                   Holds,   "has_children",   Children,   0.9),
    ("(?:{i_own}) {o}",                                                           Holds,   "owns",           Belonging,  0.9),
    ("{i_have} (?:bought|purchased|opened) {o}(?: in (?P<place>.+?))?",           Began,   "owns",           Belonging,  0.9),
    ("{i_have} (?:sold|gave away|got rid of|donated|totall?ed|scrapped|wrote off|traded in) {o}(?: in (?P<place>.+?))?(?:,? (?:for )?[£$€]?\\d.*)?",                Ends,    "owns",           Belonging,  0.9),
    ("(?:my|our) {o} (?:is|has|needs|won't|broke|failed|passed|makes|sounds|was)\\b.*",  Holds,   "owns",           Vehicle,    0.8),
    ("{i_have} traded (?:my|the|our) (?P<former_thing>.+?) in for (?:an?|the) {o}", Began, "owns",          Vehicle,    0.8),
    ("{i_have} traded (?:my|the|our) {o} in(?: for .+)?",                        Ends,    "owns",           Belonging,  0.9),
    ("{i} (?:drive|ride) (?:an?|my|our)(?: (?:\\d{4}|new|old|used|second-hand|red|blue|black|white|silver|grey|gray|green))* {o}", Holds, "owns", Vehicle, 0.8),
    ("my {relative} is (?P<o>{name})",                                            Holds,   "",               FirstName,  0.8),
    ("(?P<o>{name}) is my {relative}",                                            Holds,   "",               FirstName,  0.8),
    // Couples.
    ("{i_am} married to {names}",                                                 Holds,   "married_to",     Names,      0.9),
    ("{i_have} been married to {names}",                                          Holds,   "married_to",     Names,      0.9),
    ("{i_have}(?: got| gotten)? married(?: to)? (?P<o>{name})",                   Began,   "married_to",     Names,      0.9),
    ("(?P<o>{name}) and i are{adv} married",                                      Holds,   "married_to",     FirstName,  0.8),
    ("(?P<o>{name}) and i{adv} (?:have )?(?:got|gotten) married",                 Began,   "married_to",     FirstName,  0.8),
    ("(?P<o>{name}) and i are{adv} engaged",                                      Holds,   "engaged_to",     FirstName,  0.8),
    ("(?P<o>{name}) and i{adv} (?:have )?(?:got|gotten) engaged",                 Began,   "engaged_to",     FirstName,  0.8),
    ("{i_am} engaged to {names}",                                                 Holds,   "engaged_to",     Names,      0.9),
    ("{i_have} (?:got|gotten|become) engaged to {names}",                         Began,   "engaged_to",     Names,      0.9),
    ("{i_am} (?P<o>married|engaged|single|divorced|widowed)(?: again)?",                     Becomes, "marital_status", Listed,     0.9),
    ("{i_am} (?P<o>married) (?:to (?P<name>.+?)|with (?P<children>.+?))",         Becomes, "marital_status", Listed,     0.9),
    ("{i_have} (?:got|gotten) (?P<o>married|engaged|divorced)(?: to (?P<name>.+?))?(?: in (?P<place>.+?))?", Turned, "marital_status", Listed, 0.9),
    ("{name} and i (?:have )?(?:got|gotten) (?P<o>married|engaged|divorced)",        Turned,  "marital_status", Listed,     0.8),
    ("{i_have} been (?P<o>married)",                                              Becomes, "marital_status", Listed,     0.9),
    ("{i_have} (?:got|gotten) divorced",                                          Ends,    "married_to",     All,        0.9),
    ("{i_have} divorced(?: (?:my|from my) (?:wife|husband))? {names}",            Ends,    "married_to",     Names,      0.9),
    ("{i_have} divorced my (?:wife|husband)",                                     Ends,    "married_to",     All,        0.9),
    ("my (?:wife|husband)(?: {name})? and i are{adv} getting (?:a )?divorced?",   Ends,    "married_to",     All,        0.9),
    ("(?:i'?m|i am|we're|we are){adv} getting (?:a )?divorced?",                  Ends,    "married_to",     All,        0.9),
    ("(?P<o>{name}) and i are{adv} getting (?:a )?divorced?",                     Ends,    "married_to",     Names,      0.9),
    ("{i_have} (?:called off|broken off|broke off) (?:the|our|my) engagement",    Ends,    "engaged_to",     All,        0.9),
    ("{i_have} (?:called off|broken off|broke off) (?:the|our|my) engagement",    Ends,    "marital_status", All,        0.9),
    ("(?:the|our|my) engagement {off}",                                           Ends,    "engaged_to",     All,        0.9),
    ("(?:the|our|my) engagement {off}",                                           Ends,    "marital_status", All,        0.9),
    ("my (?:wife|husband) and i(?: have| are| got)? divorced",                    Ends,    "married_to",     All,        0.9),
    ("my (?:wife|husband) {names} and i(?: have| are| got)? divorced",            Ends,    "married_to",     Names,      0.9),
    ("{i_am} single(?: again)?", Ends, "has_partner", All, 0.8),
    ("(?:i'?m|i am){adv} (?:single|divorced)(?: again)?", Ends, "married_to", All, 0.8),
    ("(?:i'?m|i am){adv} single(?: again)?", Ends, "engaged_to", All, 0.8),
    ("my (?:wife|husband) {died}",                                                Ends,    "married_to",     All,        0.9),
    ("my (?:wife|husband) {names} {died}",                                        Ends,    "married_to",     Names,      0.9),
    ("(?:we|we've)(?: have)?{adv} (?:broke|broken) up",                           Ends,    "has_partner",    All,        0.8),
    ("me and {names}(?: have)? (?:broke|broken|split) up",                        Ends,    "has_partner",    Names,      0.8),
    ("{names} and i are(?:(?: not|n't) together any ?more| no longer together)",                      Ends,    "has_partner",    Names,      0.9),
    ("my {couple} and i(?: have)? (?:broke|broken|split) up",                     Ends,    "has_partner",    All,        0.8),
    ("my {couple} {names} and i(?: have)? (?:broke|broken|split) up",             Ends,    "has_partner",    Names,      0.9),
    ("(?P<o>{name}) and i(?: have)? (?:broke|broken|split) up",                   Ends,    "has_partner",    Names,      0.9),
    ("{i_have} (?:broke|broken) up with (?:my {couple} )?{names}",                Ends,    "has_partner",    Names,      0.9),
    ("{i_have} (?:broke|broken) up with my {couple}",                             Ends,    "has_partner",    All,        0.9),
    // Skills, hobbies and travel.
    ("{i} speak (?:fluent )?{o}(?: fluently)?",                                   Holds,   "speaks",         Language,   0.9),
    ("my (?:native|first|second|mother|other) (?:language|tongue) is {o}",        Holds,   "speaks",         Language,   0.9),
    ("{i_am} (?:learning|taking lessons in)(?: how)?(?: to (?:play|speak))? {o}", Holds,   "learns",         Skill,      0.8),
    ("{i_am} teaching myself(?: how)?(?: to (?:play|speak))? {o}",                Holds,   "learns",         Skill,      0.8),
    ("{i_have} been learning(?: how)?(?: to (?:play|speak))? {o}",                Holds,   "learns",         Skill,      0.8),
    ("{i_have} started (?:learning|taking lessons in)(?: how)?(?: to (?:play|speak))? {o}", Began, "learns", Skill,      0.8),
    ("{i} play {o}",                                                              Holds,   "plays",          Play,       0.9),
    ("{i_have} (?:been playing|played) {o}",                                      Since,   "plays",          Play,       0.9),
    ("{i_have} (?:stopped|quit|given up|gave up) (?:playing|learning) {o}",       Ends,    "plays",          Play,       0.9),
    ("{i_have} (?:stopped|quit|given up|gave up) (?:playing|learning) {o}",       Ends,    "learns",         Skill,      0.9),
    ("{i_have} been (?:doing |practicing )?{o}",                                  Since,   "practices",      Hobby,      0.8),
    ("{i_have} started (?:doing )?{o}",                                           Began,   "practices",      Hobby,      0.8),
    ("{i_have} (?:taken up|took up|got into|gotten into) (?:doing )?{o}",         Holds,   "practices",      Hobby,      0.8),
    ("{i} (?:do|practice) {o}",                                                   Holds,   "practices",      Hobby,      0.8),
    ("{i_have} (?:stopped|quit|given up|gave up) (?:doing )?{o}",                 Ends,    "practices",      Hobby,      0.9),
    ("{i_have} (?:visited|been to|traveled to|travelled to|went to|took a trip to) {o}", Began, "visited",    Destination, 0.8),
    // Food and health.
    ("{i_am} allergic to {o}",                                                    Holds,   "allergic_to",    Allergen,   0.9),
    ("{i} (?:can't|cannot) (?:do|have|eat) {o},? (?:{i_am} )?(?:very |badly )?allergic", Holds, "allergic_to", Allergen,  0.9),
    ("{i_am} not (?:actually )?allergic to {o}{after_all}", Ends, "allergic_to", Allergen, 0.9),
    ("{i} have an? {o} allergy",                                                  Holds,   "allergic_to",    Allergen,   0.9),
    ("{i} have an allergy to {o}",                                                Holds,   "allergic_to",    Allergen,   0.9),
    ("{i} (?:keep|eat){partly} (?P<o>kosher|halal|vegan|vegetarian)",             Holds,   "diet",           Listed,     0.9),
    ("{i_am}{partly} (?:a )?(?P<o>{diet})s?",                                               Holds,   "diet",           Listed,     0.9),
    ("{i_have} been (?:a )?(?P<o>{diet})",                                        Since,   "diet",           Listed,     0.9),
    ("{i_have} (?:gone|become|became|went|turned) (?P<o>{diet})",                 Began,   "diet",           Listed,     0.9),
    ("{i} (?:don't|do not|never|can't|cannot) eat {o}",                           Holds,   "does_not_eat",   Food,       0.9),
    ("{i} (?:no longer eat|stopped eating|have stopped eating) {o}",              Began,   "does_not_eat",   Food,       0.9),
    ("{i} have {o}",                                                              Holds,   "has_condition",  Condition,  0.9),
    ("{i_am}(?: an?)? (?P<o>coeliac|celiac|(?:type [12] )?diabetic|dyslexic|epileptic|asthmatic|autistic|colou?r[- ]blind)", Holds, "has_condition", Listed, 0.9),
    ("{i} suffer from {o}",                                                       Holds,   "has_condition",  Condition,  0.9),
    ("{i_have} had {o} (?:since (?:childhood|birth|i was .+)|all my life|for years|for decades)", Holds, "has_condition", Condition, 0.9),
    ("{i}(?: was| have been| got|'ve been)? diagnosed with {o}",                  Began,   "has_condition",  Condition,  0.9),
    ("{i} (?:can't|cannot) have {o}",                                            Holds,   "does_not_eat",   Food,       0.8),
    ("{i} take {o}(?: for .+| every .+| daily| twice a day| once a day)?",       Holds,   "takes",          Medicine,   0.9),
    ("{i_am} (?:on|taking) {o}(?: for .+| every .+| daily)?",                    Holds,   "takes",          Medicine,   0.9),
    ("{i_have} been (?:on|taking|prescribed) {o}(?: for .+)?",                   Holds,   "takes",          Medicine,   0.8),
    ("{i} was prescribed {o}(?: for .+)?",                                       Began,   "takes",          Medicine,   0.8),
    ("(?:my|the|our) (?:gp|doctor|dr|consultant|nurse|neurologist|psychiatrist|cardiologist)(?: has|'s)?{adv} (?:put me on|prescribed(?: me)?|started me on) {o}(?: for .+)?", Began, "takes", Medicine, 0.9),
    ("{i_have} (?:started|begun|began)(?: taking| on)? {o}",                     Began,   "takes",          Medicine,   0.8),
    ("{i_have} (?:stopped|quit)(?: taking)? {o}",                                Ends,    "takes",          Medicine,   0.9),
    ("{i_have} (?:come|came|gone|went) off {o}",                                 Ends,    "takes",          Medicine,   0.9),
    ("(?:my|the|our) (?:gp|doctor|dr|consultant|nurse|neurologist|psychiatrist|cardiologist)(?: has|'s)?{adv} (?:took me off|taken me off|stopped) (?:the |my )?{o}", Ends, "takes", Medicine, 0.9),
    ("{i_have} (?:quit|stopped|given up|gave up) (?P<o>smoking|vaping|drinking(?: alcohol)?|gambling)", Began, "gave_up", Listed, 0.9),
    ("{i_have} (?:started|begun|began) (?P<o>smoking|vaping|drinking(?: alcohol)?|gambling)", Ends, "gave_up", Listed, 0.9),
    ("{i} prefer (?P<o>(?:short|brief|concise|long|detailed|simple|direct)(?:er)? (?:answers|replies|responses|explanations|messages))(?: .+)?", Holds, "prefers", Listed, 0.9),
    ("{i} prefer (?P<o>(?:an? )?(?:window|aisle) seats?)(?: .+)?", Holds, "prefers", Listed, 0.9),
    ("{i} prefer {o} over .+", Holds, "prefers", Taste, 0.8),
    // Plans and wishes.
    ("{i_am} (?P<o>(?:flying|going|travell?ing|moving|heading|driving)(?: back)? to (?P<place>.+?))", Plans, "plans", Listed, 0.9),
    ("(?:my {couple}(?: {name})? and i are|{i_am}) (?:going to|gonna) (?P<o>(?:visit|move to|travel to|fly to|go to) (?P<place>.+?))", Plans, "plans", Listed, 0.9),
    ("{i_am} (?:going to|gonna) (?P<o>(?:adopt|get|buy) (?P<pet>.+?))",           Plans,   "plans",          Listed,     0.9),
    ("{i_am} (?:going to|gonna) (?P<o>buy (?P<thing>.+?))",                       Plans,   "plans",          Listed,     0.9),
    ("{i_am} (?P<o>(?:getting|adopting) (?P<pet>.+?))",                           Plans,   "plans",          Listed,     0.9),
    ("{i_am} (?P<o>getting married|running (?:a |the (?:\\w+ )?)marathon)",             Plans,   "plans",          Listed,     0.9),
    ("{i_am} (?:going to|gonna) (?P<o>(?:get married|run (?:a |the (?:\\w+ )?)marathon|retire))", Plans, "plans",   Listed,     0.9),
    ("(?:{i_am} planning|{i} plan) to (?P<o>(?:visit|move to|travel to|fly to|go to) (?P<place>.+?))", Hopes, "plans", Listed, 0.9),
    ("{i_am} planning (?:an? )?(?P<o>(?:trip|vacation|holiday|visit) to (?P<place>.+?))", Hopes, "plans",     Listed,     0.9),
    ("{i_want} to (?P<o>(?:visit|move to|travel to) (?P<place>.+?))", Hopes, "wants", Listed, 0.8),
    ("{i_want} to (?P<o>learn(?: how)?(?: to (?:play|speak))? (?P<skill>.+?))", Hopes, "wants", Listed, 0.9),
    ("{i_want} to (?P<o>(?:become|be) an? (?P<occupation>.+?))", Hopes, "wants", Listed, 0.9),
    ("my (?:big |biggest )?dream is to (?P<o>open (?P<thing>.+?))",               Hopes,   "wants",          Listed,     0.9),
    ("{i_have} (?:cancell?ed|called off) (?:the|our|my) (?P<o>(?:trip|vacation|holiday|visit|flight|wedding)(?: to (?P<place>.+?))?)", Ends, "plans", Listed, 0.9),
    ("(?:the|our|my) (?P<o>(?:move|trip|vacation|holiday|visit|flight|wedding)(?: to (?P<place>.+?))?) {off}", Ends, "plans", Listed, 0.9),
    ("{i_am_not} (?P<o>(?:moving|going|flying|travell?ing|heading|driving)(?: back)? to (?P<place>.+?)){after_all}", Dropped, "plans", Listed, 0.9),
    ("{i_am_not} (?:going to|gonna) (?P<o>(?:visit|move to|travel to|fly to|go to) (?P<place>.+?)){after_all}", Dropped, "plans", Listed, 0.9),
    ("{i_am_not} (?P<o>(?:getting|adopting) (?P<pet>.+?)){after_all}",            Dropped, "plans",          Listed,     0.9),
    ("{i_am_not} (?P<o>getting married){after_all}",                              Dropped, "plans",          Listed,     0.9),
    // How to reach the speaker.
    ("my new (?:e-?mail|e-?mail address) is (?P<o>{email})",                      Becomes, "has_email",      Listed,     0.9),
    ("my (?:work |private |personal |home |other )?(?:e-?mail|e-?mail address) is (?P<o>{email})", Holds, "has_email", Listed, 0.9),
    ("(?:you can )?(?:reach|e-?mail) me (?:at|on) (?P<o>{email})",                Holds,   "has_email",      Listed,     0.9),
    ("my new (?:phone |mobile |cell |tel(?:ephone)? )?(?:number|phone|mobile) is (?P<o>{phone})", Becomes, "has_phone", Listed, 0.9),
    ("my (?:work |home |office )?(?:phone |mobile |cell |tel(?:ephone)? )?(?:number|phone|mobile) is (?P<o>{phone})", Holds, "has_phone", Listed, 0.9),
    ("{i} (?:lead|manage|run|head|head up) the (?P<o>(?:[\\w&-]+ ){1,3}team)(?: at (?P<employer>.+?))?", Holds, "leads", Listed, 0.9),
    // Names.
    ("my (?:full |first |real )?name(?:'s| is) (?P<o>{name})",                    Holds,   ALIAS,            Alias,      0.9),
    ("{introduced} (?P<o>{name}), (?P<occupation>.+?) (?:at|for|with) (?P<employer>.+?)", Holds, ALIAS,       Alias,      0.8),
    ("{introduced} (?P<o>{name}), an? (?P<occupation>.+?){at}",              Holds,   ALIAS,            Alias,      0.8),
    ("(?:i'm|i am|this is) (?P<o>{name})",                                        Holds,   ALIAS,            Alias,      0.8),
    ("(?:please |just |you can )?call me (?P<o>{name})",                          Holds,   ALIAS,            Alias,      0.8),
    ("(?:my )?friends (?:usually |just )?call me (?P<o>{name})",                  Holds,   ALIAS,            Alias,      0.8),
    ("i go by (?P<o>{name})",                                                     Holds,   ALIAS,            Alias,      0.8),
];

#[rustfmt::skip]
const OF_MENTIONS: &[Line] = &[
    ("my {relative} (?P<o>{name})\\b",                                            Holds,   "",               Names,      0.9),
    ("our {of_ours} (?P<o>{name})\\b",                                            Holds,   "",               Names,      0.9),
    ("my {relative}, (?P<o>{name}),",                                             Holds,   "",               FirstName,  0.8),
    ("my {relative} {small_name}\\b",                                             Holds,   "",               SmallFirstName, 0.8),
    ("my {relative}(?:'s name is|'s called| is called| is named) {small_name}\\b", Holds,  "",               SmallFirstName, 0.8),
    // Excludes "called Anna", which may be about a phone call.
    ("my {relative}(?: named| who is called| whose name is|'s name is|'s called| is called| is named) (?P<o>{name})\\b", Holds, "", Names, 0.9),
    ("(?:took|take|walk|walked|walking|love|brought|bring) (?:my|our) {pet} (?P<o>{name})\\b", Holds, "has_pet", Names,  0.9),
    ("(?:my|our) {pet} (?P<o>{name})\\b",                                       Holds,   "has_pet",        Names,      0.9),
];
