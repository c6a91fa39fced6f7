//! Classifies the event in a sentence by its verbs and nouns, and rates it per grain.
//!
//! A day keeps what happened and what was scheduled; a year keeps what lasts: where people live and work, whom they love and
//! lose, what they decided, achieved and began.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use annals_core::Grain;

use super::language::{Language, is_unspaced};
use super::{dates, verbs};

/// Kind of event, highest-ranked first. A sentence with several has the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// A change of life or a basic fact of it: birth, death, wedding, move, job, illness, home.
    Life,
    /// A decision, an agreement or a permanent change.
    Decision,
    /// Something that must be done or will happen at a fixed time.
    Deadline,
    /// Something achieved, won, finished or done for the first time.
    Achievement,
    /// An event of a country, a company or a crowd.
    Public,
    /// Something bought, sold, received or adopted.
    Gain,
    /// Something that broke, hurt, failed or was lost.
    Problem,
    /// Any other event.
    Happening,
    /// A lasting statement of people about themselves: where they live, what they like, what they cannot eat.
    State,
    /// An intention without a fixed time.
    Plan,
    /// No event: thoughts, advice, descriptions.
    #[default]
    None,
}

use Event::{Achievement, Deadline, Decision, Gain, Happening, Life, Plan, Problem, Public, State};

/// Factors on the worth of a sentence with this kind of event, one for each grain from daily to yearly. Working summaries use
/// those of daily ones.
const FACTORS: [(Event, [f64; 5]); 11] = [
    (Life, [1.5, 2.6, 3.0, 3.5, 4.0]),
    (Decision, [1.5, 2.3, 2.4, 2.4, 2.4]),
    (Deadline, [1.4, 1.8, 1.4, 0.9, 0.6]),
    (Achievement, [1.4, 2.0, 2.3, 2.5, 2.7]),
    (Public, [1.4, 2.0, 2.1, 2.3, 2.4]),
    (Gain, [1.3, 1.6, 1.6, 1.5, 1.5]),
    (Problem, [1.3, 1.7, 1.6, 1.4, 1.3]),
    (Happening, [1.2, 1.2, 1.0, 0.8, 0.6]),
    (State, [1.1, 1.0, 0.9, 0.75, 0.6]),
    (Plan, [1.1, 1.0, 0.7, 0.5, 0.35]),
    (Event::None, [0.6, 0.5, 0.4, 0.35, 0.3]),
];

pub(super) fn factor(event: Event, grain: Grain) -> f64 {
    let position = Grain::SUMMARIES.iter().position(|one| *one == grain).unwrap_or_default();
    FACTORS.iter().find(|(one, _)| *one == event).map_or(1.0, |(_, factors)| factors[position])
}

/// Returns the highest-ranked kind of event in a sentence, given as lower-case words. Suppositions are not events, and
/// wishes are plans.
pub(super) fn of(words: &[String], is_own: bool, language: Language) -> Event {
    let is_supposed = words.first().is_some_and(|first| SUPPOSING.contains(&first.as_str())) || is_conditional(words);
    if words.first().is_some_and(|first| is_unspaced(first)) {
        return of_unspaced(&words.concat());
    }
    let named = words.iter().filter_map(|word| kind(word)).chain(phrases(words)).min();
    let event = match named {
        Some(event) if !is_supposed => event,
        _ if is_supposed => Event::None,
        _ if words.iter().any(|word| ["wanted", "wished", "hoped"].contains(&word.as_str())) => Plan,
        _ if words.iter().any(|word| verbs::is_past(word) && !BEING.contains(&word.as_str())) => Happening,
        // "The picnic on June 3rd was fun."
        _ if dates::name_a_day(words) && words.iter().any(|word| ["was", "were"].contains(&word.as_str())) => Happening,
        // "The farewell is on 24 April."
        _ if dates::name_a_day(words) => Deadline,
        _ if words.iter().any(|word| PLANS.contains(&word.as_str()) || word.ends_with("'ll")) => Plan,
        // Verbs of other languages are not recognised here.
        _ if is_own || language != Language::English => State,
        _ => Event::None,
    };
    // "I want to move" is a plan, although "move" is an event, and "I never quit" is not an event.
    let is_wish = |word: &String| WISHES.contains(&word.as_str());
    let is_denied = |word: &String| word.ends_with("n't") || ["not", "never", "no"].contains(&word.as_str());
    match event {
        Life | Achievement | Gain if words.iter().any(is_wish) => Plan,
        Life | Achievement | Gain if words.iter().any(is_denied) => State,
        event => event,
    }
}

/// Returns whether a sentence begins with a condition that does not hold: "Wenn ich in Hamburg wohnen würde", "Si viviera en
/// Cuenca, iría".
fn is_conditional(words: &[String]) -> bool {
    let begins = |with: &str| words.first().is_some_and(|first| first == with);
    let has = |forms: &[&str]| words.iter().any(|word| forms.contains(&word.as_str()));
    let ends = |ends: &[&str]| words.iter().any(|word| word.len() > 4 && ends.iter().any(|end| word.ends_with(end)));
    begins("wenn") && has(&["würde", "wäre", "hätte", "könnte", "würden", "wären", "hätten"])
        || begins("si") && ends(&["ría", "rías", "rían", "iera", "ara", "rais", "raient"])
}

/// Classifies a Chinese or Japanese sentence by a few common words.
fn of_unspaced(sentence: &str) -> Event {
    const WORDS: [(Event, &str); 7] = [
        (
            Life,
            "结婚 婚礼 求婚 中风 離婚 离婚 分手 订婚 去世 出生 搬到 搬家 辞职 辭職 离职 入职 升职 失业 被裁 毕业 畢業 读研 上小学 入学 退休 怀孕 手术 住院 过敏 确诊",
        ),
        (Decision, "决定 決定 签 取消 推迟 同意 选择 立项 改用 改为"),
        (Deadline, "截止 到期 考试 面试 预约 答辩"),
        (Achievement, "赢 获奖 跑完 马拉松 年终奖 完成 通过 录取 发布 上线 第一次"),
        (Public, "宣布 当选 选举 地震 爆炸 袭击 逮捕 法院 判处 总统 总理 制裁 停火 罢工 法案 投票 死亡 遇难"),
        (Gain, "买 買 卖 賣 收到 开始 养了 租了 租好"),
        (Problem, "坏 丢 宕机 瘫痪 失败 受伤 生病 感冒 发烧 事故 故障 报错"),
    ];
    let has = |list: &str| list.split(' ').any(|word| sentence.contains(word));
    let named = WORDS.into_iter().find(|(_, list)| has(list)).map(|(event, _)| event);
    // "了" and "过" mark what is completed.
    named.unwrap_or(if has("了 过 た") { Happening } else { State })
}

const PLANS: [&str; 16] = [
    "will", "plan", "plans", "planning", "planned", "gonna", "want", "wants", "hope", "hoping", "going", "soon",
    "upcoming", "would", "wanna", "aim",
];
/// First words of suppositions and dreams.
const SUPPOSING: [&str; 12] = [
    "if",
    "imagine",
    "suppose",
    "maybe",
    "perhaps",
    "dreamt",
    "dreamed",
    "vielleicht",
    "geträumt",
    "quizás",
    "soñé",
    "peut-être",
];
/// Past forms that describe a state, not an event.
const BEING: [&str; 9] = ["was", "were", "been", "had", "wasn't", "weren't", "hadn't", "didn't", "felt"];
const WISHES: [&str; 10] = ["want", "wants", "hope", "hoping", "would", "wanna", "wish", "could", "might", "dream"];

fn kind(word: &str) -> Option<Event> {
    if let Some(event) = WORDS.get(word) {
        return Some(*event);
    }
    let ends = word.char_indices().map(|(at, _)| at).skip(4);
    ends.chain([word.len()]).filter_map(|end| STEMS.get(&word[..end])).copied().min()
}

/// Returns the events that pairs of neighbouring words indicate.
fn phrases(words: &[String]) -> impl Iterator<Item = Event> {
    words.windows(2).filter_map(|pair| PAIRS.get(&(pair[0].as_str(), pair[1].as_str())).copied())
}

static WORDS: LazyLock<BTreeMap<&str, Event>> =
    LazyLock::new(|| LISTS.into_iter().flat_map(|(event, list)| entries(event, list, false)).collect());
static STEMS: LazyLock<BTreeMap<&str, Event>> =
    LazyLock::new(|| LISTS.into_iter().flat_map(|(event, list)| entries(event, list, true)).collect());
static PAIRS: LazyLock<BTreeMap<(&str, &str), Event>> = LazyLock::new(|| {
    PHRASES
        .into_iter()
        .flat_map(|(event, list)| list.split(',').filter_map(move |pair| Some((pair.trim().split_once(' ')?, event))))
        .collect()
});

fn entries(event: Event, list: &'static str, stems: bool) -> impl Iterator<Item = (&'static str, Event)> {
    let words = list.split_whitespace().filter(move |word| word.ends_with('*') == stems);
    words.map(move |word| (word.trim_end_matches('*'), event))
}

/// Words that indicate an event; a star matches any ending.
const LISTS: [(Event, &str); 20] = [
    (
        Life,
        "married marry wedding engaged fiancé fiancée divorced divorce* pregnant born birth died death passed-away funeral widow* \
         moved relocat* emigrat* immigrat* evicted hired fired laid-off redundan* promoted promotion graduat* retired retirement \
         resigned unemployed diagnos* cancer surgery pacemaker allergic allergy diabet* orphan* proposed separated homeless rehab \
         sober adopted adoption quit cofounded founded engagement newborn miscarriage stroke disabled asylum citizenship visa \
         vegetarian vegan farewell melanoma tumour tumor leukaemia leukemia chemo* remission alzheimer* dementia dyslexia autism autistic \
         miscarried ivf christened baptised baptized buried cremated hospice alzheimer's drowned cpr overdose* stillborn suicide estranged \
         reconcil* custody",
    ),
    (
        Decision,
        "decided decision decide decisions chose chosen agreed agreement switched switching migrated migrating replaced replacing \
         cancelled canceled cancel postponed reschedul* dropped approved rejected refused accepted settled opted abandon* adopting \
         ruled verdict resolved committed concluded banned amended deprecated merged reverted rename* standardi* instead",
    ),
    (
        Deadline,
        "deadline due appointment interview exam scheduled booked reserv* expires expiry renewal flight checkup reminder milestone \
         kickoff presentation defense rent lease mri biopsy dentist physio*",
    ),
    (
        Achievement,
        "won winning award* medal trophy champion* finished completed passed launched released published achieved achievement \
         record milestone* accomplish* succeeded certified certificate diploma degree scholarship debut* earned solved fixed shipped \
         deployed cutover rollout delivered opened reached raised beat submitted gcse gcses a-levels licence",
    ),
    (
        Public,
        "announced election* elected attack* killed signed ceasefire protest* earthquake sanction* parliament president minister \
         arrested sentenced convicted troops invasion invaded war treaty bankrupt* acquired acquisition merger lawsuit sued strike* \
         explosion crashed flood* wildfire* hurricane outbreak pandemic vaccine law vote voted rescued evacuat* declared \
         imposed launched resign* appointed nominated coup inflation unveiled injured wounded fleet plague layoff* jobs tariff* \
         landslide* avalanche* drought* unemployment referendum* summit* recall* \
         arrests arrest kill kills dies die declares declare announces announce resigns resign seize seizes seized capture* storm storms stormed \
         flee flees fled defect* dismiss* condemn* suspend* authoris* authoriz* recognis* recogniz* besieg* siege airstrike* bomb* gunm* rebels \
         militants hostage* clash* demonstrat* rally rallies march marches marched elect elects indict* charged charges prosecutors pleaded pleads \
         guilty testif* verdict acquit* extradit* detain* jailed bail impeach* lawmakers spill* toll dismantl* quarantine* epidemic infected \
         approves rejects signs votes votes passes passed blocks blocked sworn swears inaugurat* mourn* aftershock* tsunami derail* collapse* \
         stowaway* pirate* robbers nominates appoints wins loses beats ousted ouster overthrow* coalition ceasefires truce accord pledg* sanction settlement",
    ),
    (
        Gain,
        "bought sold purchased acquired received adopted ordered inherited rented leased donated joined enrolled signed-up subscribed began \
         begun started took-up gift kitten puppy",
    ),
    (
        Problem,
        "broke broken accident injured injury sick ill hospital* failed failure lost stolen stole theft robbed outage bug crash* \
         incident* hurt damaged leak* flooded fire burned burnt missed delayed broke-down burgl* break-in emergency fever pain pains painful sprained fractur* \
         argument fight fought argued scam* hacked breach* closed froze collapsed",
    ),
    // The most common words of other languages.
    (
        Life,
        "umgezogen zieh* geheiratet heirat* geboren gestorben tod gekündigt kündig* befördert schwanger hochzeit scheidung abschluss krebs operiert",
    ),
    (
        Decision,
        "unterschr* vertrag mietvertrag entschieden entscheid* beschlossen vereinbart abgesagt verschoben geeinigt",
    ),
    (Deadline, "frist abgabe termin prüfung fällig"),
    (Achievement, "gewonnen bestanden fertig veröffentlicht eröffnet abgeschlossen"),
    (Gain, "gekauft verkauft bekommen begonnen angefangen"),
    (
        Life,
        "déménag* marié mariée mariés mariage divorc* né née mort morte décéd* embauch* licenci* démissionn* diplôm* retraite enceinte cancer",
    ),
    (Decision, "décid* choisi accepté refusé annulé reporté convenu"),
    (Deadline, "échéance délai rendez-vous examen"),
    (
        Life,
        "mudé mudar* mudanza mudou mudei casé casó casei casou divorci* nació nasceu murió morreu falleci* faleceu contrataron despidi* despedi* renunci* gradué \
         jubil* aposent* embaraz* grávida alérgic* trasferit* sposat* morto morta assunt* licenziat* laureat* incinta verhuisd getrouwd geboren overleden ontslag* aangenomen zwanger allergisch allergique*",
    ),
    (
        Decision,
        "firmé firmó firmamos firmei assinei assinou firmato getekend contrato decidí decidió decidimos decidi decidiu elegí acordamos cancel* aplaz* adiou deciso scelto annullat* rinviat* besloten gekozen afgesproken geannuleerd",
    ),
    (Deadline, "plazo entrega examen prazo exame scadenza esame appuntamento afspraak deadline tentamen cita"),
    (
        Achievement,
        "gané ganó ganamos aprob* terminé publiqué ganhei ganhou passei terminei vinto superato finito gewonnen geslaagd afgerond gagné réussi terminé",
    ),
    (Gain, "compré compró vendí vendió comprei comprou vendi vendeu comprato venduto gekocht verkocht acheté vendu"),
];

const PHRASES: [(Event, &str); 5] = [
    (
        Life,
        "passed away,split up,hip op,op done,op went,heart op,pulling out,a girl,a boy,didn't make,my job,new job,lost my,laid off,got engaged,broke up,gave birth,got married,new house,new apartment,new home,\
         new flat,moved to,moved in,moved into,moving to,leaving for,is leaving,are leaving,expecting a,kicked out,my business,own business,dance studio,own studio,new role,first child,\
         my boyfriend,my girlfriend,my husband,my wife,years sober,started school,my degree,became a,became the,\
         job offer,got the job,offered me,offered him,offered her,last day,first day,handed in,all clear,heart attack,said yes,new baby,a baby,baby girl,baby boy,\
         broke my,broke his,broke her,broken hip,broken leg,broken arm,lost his,lost her,offer accepted,exchanged contracts,day 1,day one,\
         i live,we live,work at,work for,work as,working at,working for,working as,i study,i teach,i own,we own,i speak,grew up,my name",
    ),
    (
        Decision,
        "going with,instead of,rather than,settled on,no longer,signed up,gave up,agreed to,agreed on,from now,now on,agreed that,always use,never use",
    ),
    (Deadline, "by the,due on,due by,deadline is,have to,need to,must be,sign up,appointment with"),
    (
        Achievement,
        "first time,first ever,my first,our first,the first,for first,personal best,got accepted,new record,driving test,got into,exam results",
    ),
    (Problem, "broke down,in hospital,shut down,closed down,went down,sold out,ran out,car accident,fell ill"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::tokens::{lower, tokens};

    #[test]
    fn sentence_gets_its_highest_ranked_kind() {
        fn check(sentence: &str, expect: Event) {
            let words = lower(&tokens(sentence));
            let is_own = words.iter().any(|word| word == "i" || word == "my");
            assert_eq!(of(&words, is_own, Language::English), expect, "{sentence}");
        }
        check("I lost my job at the bank.", Life);
        check("We decided to use Postgres instead of MySQL.", Decision);
        check("The report is due on Monday.", Deadline);
        check("We won the regional final.", Achievement);
        check("Police arrested three men in Lyon.", Public);
        check("I bought a bike.", Gain);
        check("Ann is leaving for Berlin.", Life);
        check("Our concert is on 24 April.", Deadline);
        check("The picnic on June 3rd was fun.", Happening);
        check("The smelter will cut 90 jobs.", Public);
        check("The pump failed.", Problem);
        check("I went to the market.", Happening);
        check("I am a vegetarian.", Life);
        check("I live in Berlin.", Life);
        check("I am a good cook.", State);
        check("I want to move to Spain.", Plan);
        check("If I moved, the dog would be sad.", Event::None);
        check("Painting is a great outlet.", Event::None);
        check("我决定读研了", Life);
        check("我去了北京", Happening);
        check("爸爸的血压有点高", State);
        check("Ich bin nach Bern umgezogen.", Life);
        check("Me mudé a Madrid.", Life);
    }

    #[test]
    fn yearly_grain_prefers_lasting_events() {
        assert!(factor(Life, Grain::Yearly) > factor(Life, Grain::Daily));
        assert!(factor(Deadline, Grain::Yearly) < factor(Deadline, Grain::Daily));
    }
}
