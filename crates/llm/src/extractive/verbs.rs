//! English verb forms, as far as they show what happened and when.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::tokens::is_in;

/// Returns whether the lower-case word is a past form: irregular, or in "-ed".
pub(super) fn is_past(word: &str) -> bool {
    PAST.contains(word) || (word.len() > 4 && word.ends_with("ed") && !NOT_PAST.contains(word))
}

/// Returns whether the lower-case word can be the verb of a statement.
pub(super) fn is_finite(word: &str) -> bool {
    is_past(word) || PRESENT.contains(word) || word.contains('\'') && CLITICS.iter().any(|end| word.ends_with(end))
}

/// Returns whether the lower-case word at the beginning of a clause tells somebody what to do: "plan the move".
pub(super) fn is_command(word: &str) -> bool {
    const NOT_ASKED: &str = "am is are was were be has have had do does did will would can could shall should may might must i'm im dont hope \
        thinks looks seems sounds love like hate hit cut put let set read back need want think know see work order report call";
    PRESENT.contains(word) && !word.ends_with('s') && !is_past(word) && !is_in(NOT_ASKED, word)
}

const CLITICS: [&str; 7] = ["'s", "'re", "'ve", "'ll", "'d", "'m", "n't"];

static PAST: LazyLock<BTreeSet<&str>> = LazyLock::new(|| IRREGULAR.split_whitespace().collect());
static NOT_PAST: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    "need indeed speed exceed proceed hundred sacred naked breed bleed \
    scheduled planned supposed excited interested tired related"
        .split_whitespace()
        .collect()
});
static PRESENT: LazyLock<BTreeSet<&str>> = LazyLock::new(|| FINITE.split_whitespace().collect());

const IRREGULAR: &str = "was were had did went got came saw took made found met bought left lost began started gave told said \
    heard felt kept knew thought brought built caught chose cut drew drank drove ate fell fought flew forgot froze grew held hid \
    hit hurt laid led lent let lit meant paid put quit ran rang rose sent set shook shot shut sang sank sat slept spoke spent stood \
    stole struck swam swore taught tore threw understood woke wore won wrote became broke bit blew dug fed fled hung read rode sold \
    spread stuck sued swept swung wept dined supped lay bore bound dealt dreamt learnt burnt bred been done gone seen wasn't weren't \
    didn't hadn't tied died used tried cried lied burst withdrew withstood upheld withheld overthrew overtook overcame overran \
    oversaw overheard undertook underwent forbade forgave foresaw forewent misread misled mistook slid crept shrank sprang stank strode strove \
    clung dwelt knelt leapt slew shone wrung rebuilt resold retook redid undid outdid outran";

const FINITE: &str = "am is are was were be has have had do does did will would can could shall should may might must need needs want \
    wants love loves like likes hate hates prefer prefers live lives work works think thinks know knows feel feels see sees go goes \
    come comes get gets make makes take takes give gives help helps keep keeps start starts begin begins end ends leave leaves stay \
    stays move moves play plays run runs cost costs mean means seem seems look looks open opens close closes plan plans hope hopes \
    try tries use uses call calls eat eats drink drinks teach teaches learn learns write writes read reads say says tell tells \
    meet meets remain remains become becomes expect expects sell sells buy buys pay pays study studies own owns speak speaks sleep \
    sleeps grow grows show shows bring brings hold holds stand stands turn turns win wins lose loses die dies fall falls rise rises \
    face faces join joins claim claims warn warns urge urges vow vows agree agrees deny denies back backs reach reaches launch \
    launches announce announces approve approves reject rejects resign resigns kill kills hit hits cut cuts sign signs vote votes \
    sail sails contain contains include includes support supports require requires fail fails return returns wait waits lie lies \
    seize seizes flee flees storm storms capture captures declare declares condemn condemns suspend suspends recognise recognises \
    recognize recognizes call calls offer offers demand demands accuse accuses blame blames promise promises propose proposes refuse refuses \
    release releases arrest arrests accept accepts admit admits appoint appoints find finds break breaks enter enters retake retakes rise rises \
    strike strikes bomb bombs attack attacks continue continues report reports confirm confirms order orders ban bans lift lifts expel expels \
    withdraw withdraws retreat retreats advance advances resume resumes celebrate celebrates march marches gather gathers sit sits let lets fly flies drive drives travel travels visit visits believe believes remember remembers gonna i'm im dont";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn past_forms_are_recognised() {
        for word in ["went", "moved", "quit", "stopped"] {
            assert!(is_past(word), "{word}");
        }
        for word in ["go", "need", "hundred", "red", "planned"] {
            assert!(!is_past(word), "{word}");
        }
    }
}
