//! Searches of tables with rows in several languages, in memory and on disk.

use super::*;

/// A memory in several languages.
const TEXTS: [(&str, &str, &str); 7] = [
    ("t-de", "de", "Das alte Haus am Fluss wurde verkauft."),
    ("t-des", "de", "Zwei Häuser stehen leer, sagt Anna."),
    ("t-es", "es", "Las casas de mis abuelos están en Teruel."),
    ("t-en", "en", "A dog barked all night."),
    ("t-fr", "fr", "L'eau de la rivière est froide."),
    ("t-ru", "ru", "Я купил книгу про Docker."),
    ("t-user", "en", "They told us nothing."),
];

async fn with_texts(limits: CacheLimits) -> (tempfile::TempDir, LanceStrata) {
    let folder = tempfile::tempdir().unwrap();
    let maintenance = Maintenance { limits, ..Maintenance::default() };
    let strata = LanceStrata::maintained(local(folder.path()), maintenance).await.unwrap();
    let row = |(day, (id, language, text)): (i64, (&str, &str, &str))| Part {
        language: language.into(),
        ..part(id, day, text)
    };
    strata.apply(&table("a"), upserts((0..).zip(TEXTS).map(row))).await.unwrap();
    (folder, strata)
}

async fn check(strata: &LanceStrata, agents: &str, query: &str, expect: &[&str]) {
    let probe = Probe { language: agents.into(), ..words(query) };
    let hits = strata.search(&table("a"), &probe).await.unwrap().hits;
    let mut found: Vec<&str> = hits.iter().map(|hit| hit.memory.as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, expect, "{query:?}, agent in {agents}");
    assert!(hits.iter().all(|hit| hit.matched & 1 == 1), "{query:?}: {hits:?}");
}

async fn forms_of_words_are_found(strata: &LanceStrata) {
    for agents in ["en", "de", "es", "ta"] {
        check(strata, agents, "Häuser", &["t-de", "t-des"]).await;
        check(strata, agents, "hauses", &["t-de", "t-des"]).await;
        check(strata, agents, "casa", &["t-es"]).await;
        check(strata, agents, "dogs", &["t-en"]).await;
        check(strata, agents, "eau", &["t-fr"]).await;
        check(strata, agents, "книги", &["t-ru"]).await;
        check(strata, agents, "docker", &["t-ru"]).await;
        check(strata, agents, "anna", &["t-des"]).await;
        // The speaker of all rows.
        check(strata, agents, "alice", &["t-de", "t-des", "t-en", "t-es", "t-fr", "t-ru", "t-user"]).await;
        check(strata, agents, "wednesday", &["t-de", "t-des", "t-en", "t-es", "t-fr", "t-ru", "t-user"]).await;
    }
    // The German stem of "user" is "us".
    check(strata, "en", "user", &[]).await;
    check(strata, "en", "Wo ist das Haus?", &["t-de", "t-des"]).await;
    check(strata, "en", "¿Dónde están las casas?", &["t-es"]).await;
}

#[tokio::test]
async fn forms_of_words_are_found_in_every_language() {
    let (_folder, strata) = with_texts(CacheLimits::of(64 << 20)).await;
    forms_of_words_are_found(&strata).await;
}

#[tokio::test]
async fn forms_of_words_are_found_on_disk_in_every_language() {
    let (_folder, strata) = with_texts(CacheLimits::of(0)).await;
    forms_of_words_are_found(&strata).await;
}

/// A word has one weight, in whatever languages the rows have it.
#[tokio::test]
async fn word_in_two_languages_has_one_weight() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    let row = |id: &str, day, language: &str| Part { language: language.into(), ..part(id, day, "Lisbon again") };
    strata.apply(&table("a"), upserts([row("t-1", 0, "en"), row("t-2", 1, "de"), row("t-3", 2, "es")])).await.unwrap();
    let findings = strata.search(&table("a"), &words("Lisbon")).await.unwrap();
    let scores: Vec<Option<f32>> = findings.hits.iter().map(|hit| hit.relevance).collect();
    assert!(scores.len() == 3 && scores.iter().all(|score| *score == scores[0]), "{scores:?}");
    assert_eq!(findings.rarity.len(), 1);
}
