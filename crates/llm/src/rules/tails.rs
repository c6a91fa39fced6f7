//! Removes the words after the statement of a clause that do not change it: "I'm a data analyst at Safaricom by day"
//! states "I'm a data analyst at Safaricom".
//!
//! What follows may also change the statement ("I'm a doctor on paper", "I got a job, but declined it"). A tail that may do so
//! is never removed, nor is a tail that may belong to the object ("I love rock and roll"). Relies on clauses without
//! introductory words; reads no statements itself.

use regex::{Captures, Regex};

use super::classes::OCCUPATIONS;
use super::clauses::without_tail;
use super::grammar::pattern;
use super::objects::Shape;
use super::table::{Rule, States};

/// Maximum number of shorter forms of a clause that are tried.
const MOST_FORMS: usize = 8;
/// Minimum words after "and" for a statement of its own: "rock and roll" is one thing. Two are enough if the first is a number
/// or a word such as "a" or "it".
const LEAST_AFTER_AND: usize = 3;

/// How the removed part was joined to the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    /// Nothing was removed.
    Whole,
    /// A comma, a dash, "so", "because" or a relative clause.
    Clause,
    But,
    And,
    /// A preposition or an adverb of time.
    Adverbial,
}

/// A clause, or a shorter beginning of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<'a> {
    pub(super) text: &'a str,
    tail: &'a str,
    joint: Joint,
}

impl Form<'_> {
    /// Returns whether the removed part may hold the date of the statement: "I moved to Oslo with Tom in 2019".
    pub(super) fn may_lose_date(&self) -> bool {
        self.joint == Joint::Adverbial
    }
}

/// Returns the clause and its shorter forms, longest first.
pub(super) fn forms(clause: &str) -> Vec<Form<'_>> {
    let cut = |found: Captures<'_>| {
        let (text, tail) = clause.split_at(found.get(0)?.start());
        let text = without_tail(text);
        let joint = joint(found.name("word").map_or("", |word| word.as_str()));
        (!text.contains('"') && may_follow(joint, tail)).then_some(Form { text, tail, joint })
    };
    let mut forms: Vec<Form<'_>> = CUT.captures_iter(clause).filter_map(cut).take(MOST_FORMS).collect();
    forms.push(Form { text: clause, tail: "", joint: Joint::Whole });
    forms.reverse();
    forms
}

fn joint(word: &str) -> Joint {
    match word.to_lowercase().as_str() {
        "" | "so" | "because" | "cause" | "bc" | "cuz" | "cos" | "which" | "who" | "whose" | "where" | "that"
        | "if" => Joint::Clause,
        "but" | "though" | "although" => Joint::But,
        "and" | "n" | "&" | "plus" => Joint::And,
        _ => Joint::Adverbial,
    }
}

/// Returns whether the tail leaves the meaning of the text before it unchanged.
fn may_follow(joint: Joint, tail: &str) -> bool {
    // The tail may begin with a joint of its own: ", for now, because".
    let first = tail.chars().next().map_or(0, char::len_utf8);
    let next = || NEXT.find_at(tail, first).map_or(tail.len(), |next| next.start());
    let words = || tail.trim_start_matches([' ', ',']).split_whitespace().skip(1);
    RELEVANT.is_match(tail)
        || !SPOILS.is_match(tail)
            && match joint {
                Joint::Adverbial => !UNREAL.is_match(&tail[..next()]),
                // "A horse and a half" is one thing.
                Joint::And => {
                    words().count() >= LEAST_AFTER_AND
                        || words().count() == 2 && words().next().is_some_and(|word| COUNT.is_match(word))
                }
                Joint::Whole | Joint::Clause | Joint::But => true,
            }
}

/// Returns whether the tail continues with another occupation. A list such as "a nurse, cook and
/// driver to three kids" describes work for the family or is a joke, not a job.
fn is_list_of(tail: &str) -> bool {
    let next = tail.trim_start_matches([',', ' ']);
    let next = next.strip_prefix("a ").or_else(|| next.strip_prefix("an ")).unwrap_or(next);
    next.split([' ', ',', '.']).next().is_some_and(|word| OCCUPATIONS.has(word))
}

impl Form<'_> {
    /// Returns whether a rule may match this form of a clause.
    pub(super) fn may_match(&self, rule: &Rule) -> bool {
        let is_current = matches!(rule.states, States::Holds | States::Becomes | States::Since);
        match (self.joint, rule.object) {
            (Joint::Whole, _) => true,
            // The removed words may say what or whom the rule is about.
            (_, Shape::All | Shape::Date) => false,
            (joint, _) if rule.states == States::Dropped => {
                joint == Joint::Clause && self.tail.trim_start().starts_with([',', ';', '-', '–', '—'])
            }
            (_, Shape::Alias) => self.joint != Joint::Adverbial && NAMED.is_match(self.text),
            (Joint::Adverbial, _) if !rule.is_ahead() && DURATION.is_match(self.tail) => false,
            (Joint::But, _) if rule.predicate == "born_in" => true,
            // What was offered or planned may have come to nothing.
            (Joint::But, _) => is_current,
            (Joint::Adverbial, Shape::Taste | Shape::Favorite | Shape::Food | Shape::Allergen) => false,
            // "I love fish that smiles at me" is not about fish.
            (Joint::Clause, Shape::Taste | Shape::Favorite | Shape::Food | Shape::Allergen) => {
                !LIMITS.is_match(self.tail)
            }
            (Joint::And, Shape::Taste | Shape::Favorite | Shape::Food) => false,
            // "I'm studying French for my trip" names a language, not a field of study.
            (Joint::Adverbial, Shape::Field) => !self.tail.starts_with(" for") && !self.tail.starts_with(" to"),
            // "I'm engaged and motivated" is not about a couple.
            (Joint::And, Shape::Listed) if rule.predicate == "marital_status" => AND_PLAIN.is_match(self.tail),
            (Joint::Adverbial, Shape::Listed) => matches!(rule.states, States::Plans | States::Hopes),
            // "Six children, all of them named Jira", "a nurse, cook and driver to three kids"
            (Joint::Clause, Shape::Children) => !self.tail.starts_with(','),
            (Joint::Clause, Shape::Occupation) => !is_list_of(self.tail),
            (Joint::Adverbial, Shape::Pets | Shape::Children | Shape::Belonging) => AT_HOME.is_match(self.tail),
            (Joint::Adverbial, Shape::Names | Shape::PetName) if rule.predicate == "has_pet" => {
                AT_HOME.is_match(self.tail)
            }
            // "A driver for my kids", "a historian by inclination"
            (Joint::Adverbial, Shape::Occupation) => AT_WORK.is_match(self.tail) && !OF_OTHERS.is_match(self.tail),
            (Joint::Adverbial, Shape::Employer | Shape::Place) => AT_WORK.is_match(self.tail),
            _ => true,
        }
    }
}

pattern!(
    CUT,
    r"(?ix)(?:\s*[,;(]\s*|\s+[-–—]+\s+|[–—]|\s+)
        (?P<word>but|though|although|so|because|cause|bc|cuz|cos|which|who|whose|where|that|if|plus|and|n|&|
            with|without|at|in|on|by|for|from\ (?:home|\d\w*)|to|near|as|every|twice|all\ (?:day|night|week|weekend|year)|
            (?:mon|tues|wednes|thurs|fri|satur|sun)days)\b
      |\s*[,;(]|\s+[-–—]+\s|[–—]"
);
// The next joint after a preposition.
pattern!(NEXT, r"(?i)[,;(–—]|\s(?:but|so|because|which|who|where|that|and|n)\s");
// "I live in Whitby, if that matters": politeness, not a condition.
pattern!(
    RELEVANT,
    r"(?i)^,? if (?:that|it|this)(?:'s| is)? (?:matters|helps?|makes (?:a|any) difference|relevant|useful|important|of (?:any )?(?:use|interest))\b|^ if (?:anyone|anybody|someone|you) (?:needs?|wants?|ever needs?)\b"
);
pattern!(COUNT, r"(?i)^(?:an?|some|nobody|everybody|still|it|one|two|three|four|five|six|seven|eight|\d+)$");
// Tails that change the statement, or show that it is about a thing that is not real or not the speaker's.
pattern!(
    SPOILS,
    r"(?ix)^[\s,;(–—-]*(?:(?:and|but|n|plus)\s+)?(?:
          wait|hold\ on|hang\ on|nope|nah|correction|(?:sorry|actually),?\ (?-i:\p{Lu})\w*|so\ (?:to\ speak|they|he|she|i'm\ told|if|not)|or|nor|not|if|unless|until|till|when|whenever|while|once|except|like|than|only|well,\ \w+|almost|then|also\ known|aka|back|semi|formerly|retired|(?:ha\W*){2,}\w*|lo+l|just|said|says|right|wrong|huh|eh|innit|sort|kind|
          as\ (?:if|though|long|they|he|she|in|the|a|an|my|people)|at\ (?:heart|least|best|most|all|times)|in\ (?:name|spirit|theory|practice|effect|essence|fact|disguise|
          training|waiting|denial|hiding|love|charge|a\ way|a\ sense|other)|to\ be|by\ (?:name|heart|default|proxy)|of|the\ \w+\ (?:kind|sort|type|one)|star\ sign|i\ mean|on\ paper|basically|practically|probably|maybe|perhaps|possibly|virtually|hopefully|obviously|a\ half|half|
          (?:am|was|were|is\ what|isn't|aren't)|never|no|did|didn't|back\ then|at\ the\ time|
          technically|supposedly|allegedly|apparently|hopefully|someday|i\ (?:think|guess|believe|suppose|hope|wish|mean|swear|was|were))\b
      |\b(?:declined|turned\ (?:it|them|him|her|that)|refused|rejected|withdr\w+|rescinded|revoked|cancell?ed|called\ off|fell\ through|backed\ out|pulled\ out|said\ no|gave\ up|
          changed\ (?:my|our)\ minds?|returned|used\ to|any\ ?more|no\ longer|not\ really|kidding|joking|a\ joke|pretend\w*|imaginary|virtual|plush\w*|stuffed|
          invented|made[- ]up|not\ (?:mine|ours|real|true)|isn't\ (?:mine|ours|real|true)|belongs?|neighbou?rs?'s?|died|passed\ away|ran\ away|in\ my\ dreams|
          until|till|retired|left|came\ (?:home|back)|hated\ it|(?:all\ )?in\ one|into\ one|back\ (?:to|in|home)|then\ (?:to|back)|pony\ show|to\ pick|in\ this\ fight|quit\ (?:it|that|again|the|last|yesterday)|left\ (?:it|that|again|last|yesterday)|went\ back|moved\ (?:back|away|out))\b"
);
pattern!(
    UNREAL,
    r"(?ix)\b(?:game|games|minecraft|skyrim|sims|roblox|valorant|fifa|wow|vr|xbox|playstation|ps\d|switch|steam|phone|novel|book|books|film|films|movie|movies|tv|telly|show|series|
        screen|stage|documentary|simulator|sim|stor(?:y|ies)|play|plays|musical|opera|production|pantomime|panto|dreams?|dreaming|costume|halloween|carnival|party|parties|fancy|parade|heart|soul|mind|head|
        imagination|lifetime|lives|life|past|future|making|paper|world|universe|denial|nutshell|dog\ years|eyes?\ of|sense|sort|kind|way|opinion|
        once|night\ only|fun|famil(?:y|ies)|terms|sale|rent|scratch|rumou?r|legend|mistake|accident|error|
        advert|commercial|video|photo|picture|painting|portrait|test|exam|exercise|lesson|example|demo|draft|simulation|workshop|classroom|shower|bath|clinicals|internship|placement|rotation|residency|training|probation|trial)\b"
);
pattern!(
    AND_PLAIN,
    r"(?i)^\W*(?:and|n|&) (?:on|in|with|an?|the|my|our|no|have|live|living|work|love|it|that|this|there|he|she|they)\b"
);
pattern!(NAMED, r"(?i)^my name");
// "I moved to Leeds for a month"
pattern!(
    DURATION,
    r"(?i)\bfor (?:now|today|tonight|\w+ (?:\w+ )?(?:days?|nights?|evening|hours?|minutes?|moment|weeks?|weekend|months?|years?|season|term|summer|winter))\b"
);
pattern!(LIMITS, r"(?i)^\W*(?:that|which|who|whose|where)\b");
pattern!(OF_OTHERS, r"(?i)^\s+(?:for|by (?:accident|[a-ce-z]\w*|d[^a]\w*))\b");
pattern!(
    AT_HOME,
    r"(?i)^\s+(?:with|at home|in (?:the|our|my) (?:garden|house|flat|apartment|home|yard|back ?yard|barn|shed|kitchen|living room|field|stable))\b"
);
pattern!(
    AT_WORK,
    r"(?ix)^\s+(?:with|at|from|near|by|for|every|twice|all|(?:mon|tues|wednes|thurs|fri|satur|sun)days|
        in\ (?:an?|the|my|our|like|one|two)|on\ (?:an?|the|my|our|nights|days|call|ships|boats|weekends?|(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekdays|early|late))\b"
);
