//! The rules: which words state which fact. One line each; a clause is tried on all of them.
//!
//! The predicates, all there are (relatives as in `grammar::relation`):
//! `likes dislikes interested_in has_favorite` · `lives_in is_from born_in born_on has_birthday age` · `works_at works_as is_a
//! studies studies_at graduated_from` · `owns has_pet has_children has_sister … has_friend has_partner married_to engaged_to
//! marital_status` · `speaks plays learns practices member_of volunteers_at attends reads` · `allergic_to diet
//! does_not_eat` · `plans wants considers` · `visited` · `also_known_as`

use std::sync::LazyLock;

use annals_core::ALIAS;
use regex::Regex;

use super::grammar::spelled;
use super::phrase::Shape::{self, Act, All, Birthday, Deed, Kind, Listed, Names, Owned, Place, Thing, Title, Told};

/// What a rule says of its triple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// It holds, beside others.
    Holds,
    /// It holds instead of others, or of the one that is named.
    Becomes,
    /// It is meant to come about: its date lies ahead.
    Plans,
    /// As `Plans`, if a date ahead is told: else it holds today.
    Awaits,
    /// It holds, if it is told since when: else it may be over.
    Since,
    /// It ceases to hold.
    Ends,
}
use Says::{Awaits, Becomes, Ends, Holds, Plans, Since};

/// One line of the table.
pub(super) struct Rule {
    pub(super) pattern: Regex,
    pub(super) says: Says,
    /// Empty for a relative, whose kind gives it.
    pub(super) predicate: &'static str,
    pub(super) object: Shape,
    pub(super) confidence: f64,
}

impl Rule {
    /// Whether its date lies ahead where it could lie both ways.
    pub(super) fn is_ahead(&self) -> bool {
        matches!(self.says, Plans | Awaits)
    }
}

/// Rules for whole clauses, from their first word on.
pub(super) static CLAUSES: LazyLock<Vec<Rule>> = LazyLock::new(|| compiled("(?i)^", OF_CLAUSES));

/// Rules for what is said in passing, anywhere in a clause.
pub(super) static MENTIONS: LazyLock<Vec<Rule>> = LazyLock::new(|| compiled(r"(?i)\b", OF_MENTIONS));

type Line = (&'static str, Says, &'static str, Shape, f64);

fn compiled(anchor: &str, lines: &[Line]) -> Vec<Rule> {
    let rule = |(pattern, says, predicate, object, confidence): &Line| Rule {
        pattern: Regex::new(&format!("{anchor}{}", spelled(pattern))).expect("a pattern of the table is valid"),
        says: *says,
        predicate,
        object: *object,
        confidence: *confidence,
    };
    lines.iter().map(rule).collect()
}

#[rustfmt::skip]
const OF_CLAUSES: &[Line] = &[
    // Likes and dislikes.
    ("{who}{adv} (?:love|adore|enjoy|like)s? {o}",                              Holds,   "likes",          Kind,   0.9),
    ("{who}(?:'ve| have| has){adv} (?:loved|been fond of|been into) {o}",       Holds,   "likes",          Kind,   0.8),
    ("{who}{be}{adv} (?:a )?(?:big |huge |massive )?(?:fan of|fond of|into|passionate about|crazy about|obsessed with|keen on) {o}", Holds, "likes", Kind, 0.8),
    ("{who}{be}{adv} a (?:big |huge |massive |total )?(?P<o>[\\w' -]+?) fan{end}",   Holds,   "likes",          Kind,   0.8),
    ("{who}{be}{adv} interested in {o}",                                        Holds,   "interested_in",  Kind,   0.8),
    ("{who}{adv} prefers? {o}",                                                 Holds,   "likes",          Kind,   0.8),
    ("{who}{adv} (?:hate|dislike|despise|can't stand|cannot stand|detest)s? {o}", Holds, "dislikes",       Kind,   0.9),
    ("{who}{adv} (?:hate|dislike|despise|can't stand|cannot stand|detest)s? {o}", Ends,  "likes",          Kind,   0.8),
    ("{who} (?:don't|do not|doesn't|does not){adv} (?:like|enjoy|love) {o}",    Holds,   "dislikes",       Kind,   0.8),
    ("{who} (?:don't|do not|doesn't|does not){adv} (?:like|enjoy|love) {o}",    Ends,    "likes",          Kind,   0.8),
    ("{who}(?:'m| am| is) not (?:really )?a (?:big |huge )?fan of {o}",         Holds,   "dislikes",       Kind,   0.8),
    ("my (?:all-?time )?(?:favou?rite|fave) (?P<kind>\\w[\\w-]*(?: \\w[\\w-]*)?)(?: of all time)? (?:is|are|has always been|has to be|'s){adv} {o}", Holds, "has_favorite", Thing, 0.9),
    ("(?:one|some) of my (?:all-?time )?(?:favou?rite|fave) (?P<kind>\\w[\\w-]*(?: \\w[\\w-]*)?) (?:is|are) {o}", Holds, "has_favorite", Thing, 0.8),
    ("(?P<o>[\\w][^,;]*?)(?:'s| is| are)(?: definitely| also| still| always)? (?:one of )?my (?:all-?time )?(?:favou?rite|fave)s?(?: (?P<kind>\\w[\\w-]*(?: \\w[\\w-]*)?))??{end}", Holds, "has_favorite", Kind, 0.8),
    ("{who}{be}{adv} (?:all about|hooked on|addicted to|in love with) {o}",     Holds,   "likes",          Kind,   0.8),
    ("{who}{have}{adv} (?:have |had |got )?a (?:real |big |strong |deep |great )?(?:passion|love) for {o}", Holds, "likes", Kind, 0.8),
    ("my (?:main |biggest |favou?rite |other )?(?:hobby|hobbies|passion|passions)(?: is| are|'s){adv} {o}", Holds, "likes", Kind, 0.8),
    // Where somebody lives and comes from.
    ("{anyone}{have}{adv} moved(?: (?:back|away|out))? from (?P<former>{name}) to {o}", Becomes, "lives_in", Place, 0.9),
    ("{anyone}{have}{adv} (?:moved|relocated)(?: (?:back|away|out|here|over))? to {o}", Holds, "lives_in",   Place,  0.9),
    ("{anyone}(?:{be}|{been})?{adv} (?:live|lives|living|based|settled) (?:here )?in {o}", Holds, "lives_in", Place, 0.9),
    ("{anyone}(?:'ve| have| has){adv} lived in {o}",                 Since,   "lives_in",       Place,  0.9),
    ("{anyone}{be}{adv} (?:originally |actually )?from {o}",                    Holds,   "is_from",        Place,  0.9),
    ("{anyone} (?:grew up|was raised) in {o}",                                  Holds,   "is_from",        Place,  0.8),
    ("{anyone}(?: was|'s) born (?:and raised )?in {o}",                         Holds,   "born_in",        Place,  0.9),
    ("{anyone}{adv} (?:stopped living in|moved away from|moved out of|left) {o} for good", Ends, "lives_in", Place, 0.8),
    ("{anyone} was born(?: (?:and raised )?in .+)?$",                           Becomes, "born_on",        Told,   0.9),
    // Age.
    ("my birthday (?:is|was)$",                                                 Becomes, "has_birthday",   Birthday, 0.9),
    ("(?:is|was|it's|it was) my birthday$",                                     Becomes, "has_birthday",   Birthday, 0.9),
    ("{anyone}{be}{adv} (?P<o>\\d{1,3}) years old",                             Becomes, "age",            Listed, 0.9),
    ("{anyone}{have}{adv} turned (?P<o>\\d{1,2})\\b(?: years old)?(?:$|[ ,.!])", Becomes, "age",           Listed, 0.9),
    // Work and study.
    ("{anyone}(?:{be}|{been})?{adv} (?:work|works|worked|working|employed) (?:full[- ]time |part[- ]time |there )?(?:at|for) {o}", Holds, "works_at", Thing, 0.8),
    ("{anyone}{have}{adv} (?:started|began|begun) (?:working|a (?:new )?job) (?:at|for|with) {o}", Holds, "works_at", Thing, 0.9),
    ("{anyone}{have}{adv} (?:got|landed|accepted|found|took|started) (?:a|an|my|the) (?:new )?(?:[\\w-]+ )?(?:job|position|gig|internship) (?:at|with) {o}", Holds, "works_at", Thing, 0.9),
    ("{anyone}{have}{adv} (?:got|landed|accepted|found|took|started) (?:a|an|my|the) (?:new )?(?:job|position|gig|internship) as {o}", Holds, "works_as", Kind, 0.9),
    ("{anyone}(?:{be}|{been})?{adv} (?:work|works|working|employed) (?:full[- ]time |part[- ]time )?as {o}", Holds, "works_as", Kind, 0.9),
    ("{anyone}{be}{adv} an? (?P<o>{adj}{occupation})(?: (?:at|for|in|by|now|and|with|from|myself|too|here)\\b|[,.;!]|$)", Holds, "works_as", Listed, 0.8),
    ("{anyone}{be}{adv} an? (?P<o>(?:[\\w-]+ ){0,2}?student|single (?:mom|mother|dad|father|parent)|(?:military |army |navy |war )?veteran|only child|christian|muslim|buddhist|hindu|atheist|widow|widower){end}", Holds, "is_a", Listed, 0.8),
    ("{anyone}{have}{adv} (?:became|become|been promoted to|got promoted to) an? (?P<o>{adj}{occupation})\\b", Holds, "works_as", Listed, 0.9),
    ("{anyone}(?:'s)?{adv} (?:quit|left|lost|resigned from) (?:my|his|her|their) (?:old )?job (?:at|with) {o}", Ends, "works_at", Thing, 0.9),
    ("{anyone}(?:'s)?{adv} (?:quit|left|lost|resigned from) (?:my|his|her|their) (?:old )?job as {o}", Ends, "works_as", Kind, 0.9),
    ("{anyone}{have}{adv} (?:quit|left|lost|resigned from) (?:my|his|her|their) (?:old |day )?job(?:$|[ ,.!]*$)", Ends, "works_at", All, 0.8),
    ("{anyone}{have}{adv} (?:stopped|quit) working (?:at|for) {o}",             Ends,    "works_at",       Thing,   0.9),
    ("{anyone}(?:{have}| was| were| got){adv} (?:been )?(?:fired|laid off|let go) from (?:my job at )?{o}", Ends, "works_at", Thing, 0.9),
    ("{anyone}(?:{be}|{been})?{adv} (?:studying|study|studies|majoring in|major in|majored in) {o}", Holds, "studies", Kind, 0.8),
    ("{anyone}{be}{adv} a (?:[\\w-]+ )?student at {o}",                         Holds,   "studies_at",     Thing,  0.9),
    ("{anyone}{have}{adv} graduated from {o}",                                  Holds,   "graduated_from", Thing,  0.9),
    ("{anyone}{have}{adv} (?:joined|become a member of|became a member of|started) (?P<o>(?:a|an|the|my|our|another) (?:new )?(?:[\\w'-]+ ){0,5}?{club}(?: of [\\w ]+| for [\\w ]+)?){end}", Holds, "member_of", Thing, 0.8),
    ("{anyone}{be}{adv} (?:a member of|part of) (?P<o>(?:a|an|the|my|our|another) (?:[\\w'-]+ ){0,5}?{club}(?: of [\\w ]+| for [\\w ]+)?){end}", Holds, "member_of", Thing, 0.8),
    ("{anyone}(?:{have}|{be}|{been}){adv} (?:signed up for|enrolled in|joined|started taking|started|taking|attending|been attending) (?P<o>(?:(?:a|an|the|my|our|another|some) )?(?:[\\w'-]+ ){0,5}?{course}(?: (?:on|about|in|for|with) [\\w ]+)?){end}", Holds, "attends", Thing, 0.8),
    ("{anyone}{have}{adv} (?:left|quit) the (?P<o>[\\w' -]*(?:club|group|team|band|gym|choir|class|church))\\b", Ends, "member_of", Kind, 0.8),
    ("{who}(?:{be}|{been})?{adv} (?:started |been )?(?:volunteer|volunteers|volunteering|volunteered) (?:at|with|for) {o}", Holds, "volunteers_at", Thing, 0.8),
    // What somebody has.
    ("{who}{have}{adv} (?:got |have |had )?(?P<o>{own} {adj}{pet}){end}", Holds, "has_pet", Owned, 0.9),
    ("{who}{have}{adv} (?:got |have |had |has )?{own} {adj}{pet}{named} {names}", Holds, "has_pet",        Names,  0.9),
    ("{who}{have}{adv} {buy} (?P<o>{own} {adj}{pet}){kept}", Holds, "has_pet", Owned, 0.9),
    ("{who}{have}{adv} {buy} {own} {adj}{pet}{named} {names}",                  Holds,   "has_pet",        Names,  0.9),
    ("{who}{adv} (?:have|has|'ve got|got) (?P<o>{own} {adj}{child}){end}", Holds, "has_children", Thing, 0.9),
    ("{who}{adv} (?:have|has|'ve got) (?:a|an|one|two|three|\\d+) {adj}{relative}s?{named} {names}", Holds, "", Names, 0.9),
    ("{who}{adv} (?:have|has|own|owns|run|runs) (?P<o>{own} {adj}{thing}){end}", Holds, "owns", Owned, 0.9),
    ("{who}{have}{adv} {buy} (?P<o>{own} {adj}{thing}){kept}", Holds, "owns", Owned, 0.9),
    ("{who}{have}{adv} (?:have |has |got )?(?P<o>(?:a|my own) {adj}collection of .+)", Holds, "owns",       Thing,  0.9),
    ("{who}{adv} (?:own|owns) {o}",                                    Holds,   "owns",           Kind,   0.8),
    ("{who}{have}{adv} (?:started|opened|launched) (?P<o>(?:my|our|his|her|their) (?:own )?{adj}{thing}){end}", Holds, "owns", Owned, 0.9),
    ("{who}{have}{adv} (?:sold|gave away|got rid of|donated|crashed|totaled) (?:my|our|his|her|their) (?P<o>[\\w' -]+?)(?: (?:to|for|at|in|on|with|because)\\b.*)?$", Ends, "owns", Thing, 0.9),
    ("(?:my|our) {pet},? (?P<o>{name}),? (?:died|passed away|has died|has passed away)", Ends, "has_pet",   Names,  0.9),
    // Couples.
    ("{anyone}{be}{adv} (?:happily )?married to {o}",                           Holds,   "married_to",     Names,  0.9),
    ("{anyone}{have}{adv} (?:got |gotten )?engaged to {o}",                     Holds,   "engaged_to",     Names,  0.9),
    ("{anyone}{have}{adv} married (?P<o>{name})\\b",                            Holds,   "married_to",     Names,  0.9),
    ("{anyone}{be}{adv} (?:happily |finally )?(?P<o>married|engaged|single|divorced|widowed)(?:$|[,.!;]| (?:now|with|and|to)\\b)", Becomes, "marital_status", Listed, 0.9),
    ("{anyone}(?:'ve| have)?{adv} (?:got|gotten) (?P<o>married|engaged|divorced)(?:$|[,.!;]| (?:now|with|and|to|in|at)\\b)", Becomes, "marital_status", Listed, 0.9),
    ("{who}{have} been (?P<o>married)\\b",                                      Becomes, "marital_status", Listed, 0.9),
    ("{anyone}(?:'ve| have)?{adv} (?:got|gotten) divorced",                     Ends,    "married_to",     All,    0.9),
    ("(?:my {relative} and i|we) (?:broke|split) up",                           Ends,    "has_partner",    All,    0.8),
    ("i broke up with (?P<o>{name})",                                           Ends,    "has_partner",    Names,  0.9),
    // What somebody does.
    ("{anyone}{adv} speaks? (?:fluent |some |a little |a bit of )?(?P<o>{language}(?:(?:, | and |, and ){language})*)\\b", Holds, "speaks", Thing, 0.9),
    ("{anyone}(?:{be}|{been}){adv} (?:learning|taking lessons in)(?: how)?(?: to (?:play|speak))? {o}", Holds, "learns", Kind, 0.8),
    ("{who}{have}{adv} started learning(?: how)?(?: to (?:play|speak))? {o}", Holds, "learns",    Kind,   0.8),
    ("{who}{adv} plays? (?P<o>(?:the )?(?:acoustic |electric |bass )?(?:piano|guitar|violin|cello|drums|bass|flute|clarinet|saxophone|trumpet|ukulele|keyboard|harp|banjo|basketball|football|soccer|tennis|chess|golf|baseball|volleyball|hockey|rugby|cricket|badminton|poker|video games|board games)(?:(?:, | and |, and )(?:the )?\\w+)*)\\b", Holds, "plays", Thing, 0.9),
    ("{who}{been}{adv} (?:doing |practicing )?(?P<o>{hobby}){end}",             Since,   "practices",      Listed, 0.8),
    ("{who}{adv} plays? {o}",                                                   Holds,   "plays",          Title,  0.7),
    ("{who}(?:{be}|{been}){adv} playing {o}",                                   Holds,   "plays",          Title,  0.8),
    ("{who}(?:{be}|{been}){adv} playing (?P<o>(?:the )?(?:acoustic |electric |bass )?(?:piano|guitar|violin|cello|drums|flute|clarinet|saxophone|trumpet|ukulele|basketball|football|soccer|tennis|chess|golf|baseball|volleyball|hockey|rugby|cricket|badminton|poker))\\b", Holds, "plays", Thing, 0.9),
    ("{who}{have} (?:stopped|quit|given up|gave up) (?:playing|learning) {o}",  Ends,    "plays",          Kind,   0.9),
    ("{who}{have}{adv} (?:stopped|quit|given up|gave up) (?:playing|learning) {o}", Ends, "learns",        Kind,   0.9),
    ("{who}{have}{adv} (?:taken up|took up|gotten into|got into) {o}", Holds, "practices", Kind, 0.8),
    ("{who}{have}{adv} (?:started|begun|began|do|does|practices?|go|goes) (?:doing |practicing )?(?P<o>{hobby}){end}", Holds, "practices", Listed, 0.8),
    ("{who}{have}{adv} (?:stopped|quit|given up|gave up) (?:doing )?(?P<o>{hobby}|smoking|drinking)", Ends, "practices", Listed,  0.8),
    ("{who}(?:{be}|{been})?{adv} (?:reading|rereading|re-reading) (?:a |this |the )?(?:[\\w-]+ ){0,3}?(?:called |titled |by |book )?(?P<o>\"[^\"]+\")", Holds, "reads", Title, 0.9),
    ("{who}{have}{adv} (?:visited|been to|traveled to|travelled to|went to|took a trip to|flew to|got back from|came back from) {o}", Holds, "visited", Place, 0.8),
    // Food and health.
    ("{anyone}{be}{adv} allergic to {o}",                                       Holds,   "allergic_to",    Kind,   0.9),
    ("{who}{adv} (?:have|has) an? (?P<o>{adj}) ?allergy(?:$|[,.!])",            Holds,   "allergic_to",    Kind,   0.9),
    ("{who}{adv} (?:have|has) an allergy to {o}",                               Holds,   "allergic_to",    Kind,   0.9),
    ("{anyone}(?:{be}|{been}|{have} gone|{have} become| became| went){adv} (?:a )?(?P<o>{diet})\\b(?: for\\b| now\\b|[,.!]|$)", Holds, "diet", Listed, 0.9),
    ("{who} (?:don't|doesn't|do not|does not|never) eat {o}",                   Holds,   "does_not_eat",   Kind,   0.9),
    // Plans and wishes.
    ("{who}(?:{be}{adv} planning|{adv} plan)s? to {o}",                         Plans,   "plans",          Act,    0.9),
    ("{who}{be}{adv} planning (?:on |for )?{o}",                                Plans,   "plans",          Deed,   0.9),
    ("{who}{be}{adv} (?:going to|gonna) {o}",                                   Plans,   "plans",          Act,    0.7),
    ("{who}{be}{adv} (?P<o>(?:(?:going|heading|flying|travell?ing|moving|driving) (?:back |away )?(?:to|on)|leaving for|starting) (?:an? |the |my |our |(?-i:[A-Z])).+)", Awaits, "plans",  Deed,   0.8),
    ("{who}{have}{adv} (?:got|have|has) (?P<o>(?:a|an|my|our|another) .+)",     Awaits,  "plans",          Deed,   0.8),
    ("{who}(?:{be}{adv} hoping|{adv} hope)s? to {o}",                           Plans,   "wants",          Act,    0.8),
    ("{who}{adv} wants? to {o}",                                              Plans,   "wants",          Act,    0.8),
    ("{who}{adv} (?:wants?|hopes?|'ve always wanted|have always wanted) to (?P<o>(?:be|become) an? .+)", Plans, "wants",  Kind,   0.9),
    ("{who}(?:'ve| have| has){adv} always wanted to {o}",                      Plans,   "wants",          Act,    0.8),
    ("my (?:biggest |main |ultimate |next |long-term )?(?:dream|goal) (?:is|has always been) to {o}", Plans, "wants", Act,  0.9),
    ("{who}{be}{adv} (?:thinking about|thinking of|considering) (?P<o>\\w+ing .+)",           Plans,   "considers",      Deed,   0.8),
    ("{who}{have}{adv} (?:cancell?ed|called off) (?:the|our|my|his|her|their) {o}", Ends, "plans", Thing, 0.9),
    ("(?:the|our|my) (?P<o>(?:[\\w']+ ){0,4}?(?:trip|vacation|party|wedding|concert|visit|holiday|tour)(?: to [\\w ]+)?) (?:has been|was|got|is) cancell?ed", Ends, "plans", Thing, 0.9),
    // Names.
    ("my (?:full |first |real )?name(?:'s| is) (?P<o>{name})\\b",               Holds,   ALIAS,            Names,  0.9),
    ("(?:please |just |you can )?call me (?P<o>{name})\\b",                     Holds,   ALIAS,            Names,  0.9),
    ("(?:people|everyone|everybody|(?:my )?friends|they all)(?: usually| just)? call me (?P<o>{name})\\b", Holds, ALIAS, Names, 0.9),
    ("i go by (?P<o>{name})\\b",                                                Holds,   ALIAS,            Names,  0.9),
];

#[rustfmt::skip]
const OF_MENTIONS: &[Line] = &[
    ("my {relative}(?:,? (?:named|called))? (?P<o>{name})\\b",                  Holds,   "",               Names,  0.9),
    ("my {relative}{named} (?P<o>{name})\\b",                                   Holds,   "",               Names,  0.9),
    ("(?:my|our) (?:[\\w-]+ )??{pet}(?:,? (?:named|called))?,? (?P<o>{name})\\b", Holds,  "has_pet",        Names,  0.9),
    ("(?:my|our) (?:[\\w-]+ )??{pet}{named} (?P<o>{name})\\b",                  Holds,   "has_pet",        Names,  0.9),
];
