//! Answers while the embedding model changes: tables of two models, a model that cannot be opened, and a swap of generations
//! during a search.

use std::sync::Arc;

use annals_core::ports::{OneEmbedder, VectorModel};
use annals_core::{Embedder, Embedders, Strata};
use annals_testkit::{Faulty, WordEmbedder, WordEmbedders, set_watermark};
use async_trait::async_trait;

use super::*;

fn second() -> WordEmbedder {
    WordEmbedder::of("words-2", 48)
}

async fn world() -> World {
    World::with(&TURNS, &[("2026-03-02", "They bought a blue boat."), ("2026-03-09", "They went to the island.")]).await
}

async fn ask(world: &World, embedders: Arc<dyn Embedders>) -> Answer {
    let search = Search { embedders, ..world.search.clone() };
    let query = Query { limit: 10, explain: true, grains: vec![Grain::Working, Grain::Daily], ..about("blue boat") };
    search.answer(&agent("a"), &query, at(NOW)).await.unwrap()
}

/// Returns the largest absolute value of the score part for vectors among the results of a grain.
fn vector_share(answer: &Answer, grain: Grain) -> f64 {
    let results = answer.results.iter().filter(|found| found.memory.grain == grain);
    let parts = results.flat_map(|found| &found.parts).filter(|part| part.name == "vector");
    parts.map(|part| part.value.abs()).fold(0.0, f64::max)
}

#[tokio::test]
async fn each_table_is_searched_with_its_own_model() {
    let world = world().await;
    world.fill(Grain::Daily, 1, &second()).await;
    for (configured, other) in [(WordEmbedder::new(), second()), (second(), WordEmbedder::new())] {
        let embedders = WordEmbedders::new(configured, vec![other]);
        let answer = ask(&world, Arc::new(embedders.clone())).await;
        assert_eq!((answer.words_alone.as_deref(), embedders.embedded()), (None, 1), "one vector for each model");
        assert!(vector_share(&answer, Grain::Working) > 0.1 && vector_share(&answer, Grain::Daily) > 0.1);
        assert!(texts(&answer)[..2].contains(&"the blue boat was bought"), "{:?}", texts(&answer));
    }
}

#[tokio::test]
async fn words_alone_find_memories_whose_model_cannot_be_opened() {
    let world = world().await;
    world.fill(Grain::Daily, 1, &second()).await;
    let answer = ask(&world, Arc::new(WordEmbedders::new(second(), Vec::new()))).await;
    let why = "the model of the stored vectors, words-1, cannot be opened; until all are embedded again, words alone find them";
    assert_eq!(answer.words_alone.as_deref(), Some(why));
    assert!(vector_share(&answer, Grain::Working) == 0.0 && vector_share(&answer, Grain::Daily) > 0.1);
    assert!(answer.results.iter().any(|found| found.memory.text == "the blue boat was bought"));
    assert_eq!(answer.compared.rows, 6);
}

#[tokio::test]
async fn words_alone_answer_while_the_model_gives_no_vector() {
    let world = world().await;
    let away: Arc<dyn Embedder> = Arc::new(Faulty::during(WordEmbedder::new(), 1..100));
    let picky: Arc<dyn Embedder> = Arc::new(Faulty::refusing(WordEmbedder::new(), "blue"));
    for (embedder, reason) in [(away, "reaching the model"), (picky, "content is refused")] {
        let answer = ask(&world, Arc::new(OneEmbedder(embedder))).await;
        let why = answer.words_alone.unwrap();
        assert!(why.contains(reason) && why.contains("until the model answers"), "{why}");
        assert!(answer.results.iter().any(|found| found.memory.text == "the blue boat was bought"));
    }
}

#[tokio::test]
async fn placeholders_are_never_compared() {
    let world = world().await;
    let mut watermark = world.catalog.watermark(&agent("a"), Grain::Working).await.unwrap();
    watermark.model = watermark.model.map(|model| model.placeholder());
    set_watermark(&world.catalog, &agent("a"), Grain::Working, watermark).await;
    let answer = ask(&world, Arc::new(WordEmbedders::new(WordEmbedder::new(), Vec::new()))).await;
    assert!(answer.words_alone.unwrap().starts_with("memories were stored while"));
}

/// An embedder that replaces the table with a generation of another model while the question is embedded with the former model.
struct Swapping {
    world: World,
    former: WordEmbedder,
}

#[async_trait]
impl Embedder for Swapping {
    fn model(&self) -> &str {
        self.former.model()
    }

    fn dimension(&self) -> usize {
        self.former.dimension()
    }

    fn split(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        self.former.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let watermark = self.world.catalog.watermark(&agent("a"), Grain::Working).await.unwrap();
        if watermark.model.as_ref() == Some(&VectorModel::of(&self.former)) {
            self.world.fill(Grain::Working, 1, &second()).await;
            let former = Table { agent: agent("a"), grain: Grain::Working, generation: watermark.generation };
            self.world.strata.remove(&former).await.unwrap();
        }
        self.former.embed(texts).await
    }
}

struct BothModels(Arc<Swapping>);

#[async_trait]
impl Embedders for BothModels {
    fn configured(&self) -> Arc<dyn Embedder> {
        Arc::new(second())
    }

    async fn by_model(&self, model: &str) -> Result<Option<Arc<dyn Embedder>>> {
        Ok(Some(if model == self.0.model() { self.0.clone() } else { self.configured() }))
    }
}

#[tokio::test]
async fn swap_during_a_search_makes_it_read_the_next_generation() {
    let world = world().await;
    let swapped = World {
        search: world.search.clone(),
        catalog: world.catalog.clone(),
        strata: world.strata.clone(),
        facts: world.facts.clone(),
    };
    let embedders = BothModels(Arc::new(Swapping { world: swapped, former: WordEmbedder::new() }));
    let answer = ask(&world, Arc::new(embedders)).await;
    assert!(texts(&answer)[..2].contains(&"the blue boat was bought"), "{:?}", texts(&answer));
    assert_eq!(world.catalog.watermark(&agent("a"), Grain::Working).await.unwrap().generation, 1);
}
