//! Measures how well a model's cosines agree with people: Spearman's correlation over rated sentence pairs, as in the STS
//! benchmark.
//!
//! Reads the benchmark's own files (`sts-test.csv`: tabs, no header, quotes without meaning) and ordinary CSV with the columns
//! `sentence1`, `sentence2` and `score`. Never guesses: a line that cannot be read is an error with its line number.

use std::io::Read;

use annals_core::{Embedder, Error, Fault, Result};
use csv::{Position, ReaderBuilder, StringRecord};

/// Number of pairs embedded in one call. Bounds memory.
const BATCH: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fidelity {
    pub pairs: usize,
    /// Spearman's correlation of cosine and score, from -1 to 1.
    pub spearman: f64,
}

struct Pair {
    sentences: [String; 2],
    score: f64,
}

/// Returns the number of pairs in a file, and Spearman's correlation between an embedder's cosines and the scores in the file.
/// Fails if a line cannot be read, or if all scores or all cosines are equal.
pub async fn evaluate(embedder: &dyn Embedder, mut reader: impl Read) -> Result<Fidelity> {
    let mut text = String::new();
    reader.read_to_string(&mut text).map_err(|error| Error::storage("cannot read the rated pairs", error))?;
    let pairs = read_pairs(&text)?;
    let cosines = cosines(embedder, &pairs).await?;
    let scores: Vec<f64> = pairs.iter().map(|pair| pair.score).collect();
    let spearman = spearman(&cosines, &scores)
        .ok_or_else(|| Error::invalid("score", "needs at least two pairs that differ in score and in cosine"))?;
    Ok(Fidelity { pairs: pairs.len(), spearman })
}

/// Returns Spearman's rank correlation; equal values share the mean of their ranks. Returns `None` if the lists differ in
/// length, if all values of a list are equal, or if any value is not a number.
pub fn spearman(left: &[f64], right: &[f64]) -> Option<f64> {
    let numbers = left.iter().chain(right).all(|x| !x.is_nan());
    (numbers && left.len() == right.len()).then(|| pearson(&ranks(left), &ranks(right))).flatten()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let mean = before as f64 + (equal.len() + 1) as f64 / 2.0;
        equal.iter().for_each(|&index| ranks[index] = mean);
        before += equal.len();
    }
    ranks
}

fn pearson(left: &[f64], right: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (left_mean, right_mean) = (mean(left), mean(right));
    let (mut both, mut left_square, mut right_square) = (0.0, 0.0, 0.0);
    for (x, y) in left.iter().zip(right) {
        let (x, y) = (x - left_mean, y - right_mean);
        both += x * y;
        left_square += x * x;
        right_square += y * y;
    }
    (left_square > 0.0 && right_square > 0.0).then(|| both / (left_square * right_square).sqrt())
}

async fn cosines(embedder: &dyn Embedder, pairs: &[Pair]) -> Result<Vec<f64>> {
    let mut cosines = Vec::with_capacity(pairs.len());
    for batch in pairs.chunks(BATCH) {
        let texts = batch.iter().flat_map(|pair| pair.sentences.clone()).collect();
        let vectors = embedder.embed(texts).await?;
        cosines.extend(vectors.chunks_exact(2).map(|pair| product(&pair[0], &pair[1])));
    }
    Ok(cosines)
}

fn product(left: &[f32], right: &[f32]) -> f64 {
    left.iter().zip(right).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

fn read_pairs(text: &str) -> Result<Vec<Pair>> {
    let tabs = text.lines().next().is_some_and(|line| line.contains('\t'));
    let mut form = ReaderBuilder::new();
    if tabs {
        form.delimiter(b'\t').quoting(false).has_headers(false).flexible(true);
    }
    let mut reader = form.from_reader(text.as_bytes());
    // Columns: genre, file, year, id, score, sentence1, sentence2, and sometimes a licence and more.
    let columns = if tabs { [5, 6, 4] } else { columns(reader.headers().map_err(|error| malformed(&error))?)? };
    reader.records().map(|record| read_pair(&record.map_err(|error| malformed(&error))?, columns)).collect()
}

fn columns(header: &StringRecord) -> Result<[usize; 3]> {
    let find = |name: &str| header.iter().position(|column| column.trim() == name);
    let [Some(first), Some(second), Some(score)] = ["sentence1", "sentence2", "score"].map(find) else {
        let fault = Fault::new("the header", "does not name sentence1, sentence2 and score");
        return Err(fault.at_line(1).into());
    };
    Ok([first, second, score])
}

fn read_pair(record: &StringRecord, [first, second, score]: [usize; 3]) -> Result<Pair> {
    let line = record.position().map_or(0, Position::line) as usize;
    let field =
        |name: &str, column: usize| record.get(column).ok_or_else(|| Fault::new(name, "is missing").at_line(line));
    let sentences = [field("sentence1", first)?.to_owned(), field("sentence2", second)?.to_owned()];
    let written = field("score", score)?;
    let score = written.trim().parse().ok().filter(|score: &f64| score.is_finite());
    let score = score.ok_or_else(|| Fault::new("score", format!("is no number: {written:?}")).at_line(line))?;
    Ok(Pair { sentences, score })
}

fn malformed(error: &csv::Error) -> Error {
    let line = error.position().map_or(0, Position::line) as usize;
    Fault::new("the record", format!("cannot be read: {error}")).at_line(line).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OnnxEmbedder;

    fn check(left: &[f64], right: &[f64], expect: Option<f64>) {
        let found = spearman(left, right);
        let near = found.zip(expect).is_some_and(|(x, y)| (x - y).abs() < 1e-12);
        assert!(near || (found, expect) == (None, None), "{found:?} instead of {expect:?}");
    }

    #[test]
    fn spearman_without_ties() {
        check(&[1.0, 2.0, 3.0], &[10.0, 100.0, 1000.0], Some(1.0));
        check(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0], Some(-1.0));
        check(
            &[106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0],
            &[7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0],
            Some(-29.0 / 165.0),
        );
    }

    #[test]
    fn spearman_with_ties() {
        check(&[1.0, 2.0, 2.0, 3.0], &[1.0, 2.0, 3.0, 4.0], Some(4.5 / 22.5_f64.sqrt()));
        check(&[1.0, 1.0, 2.0, 2.0], &[5.0, 5.0, 6.0, 6.0], Some(1.0));
    }

    #[test]
    fn spearman_of_degenerate_lists_is_none() {
        check(&[], &[], None);
        check(&[1.0], &[1.0], None);
        check(&[1.0, 1.0], &[1.0, 2.0], None);
        check(&[1.0, 2.0], &[1.0], None);
        check(&[1.0, f64::NAN], &[1.0, 2.0], None);
    }

    fn check_pairs(text: &str, expect: std::result::Result<&[(&str, &str, f64)], &str>) {
        let found = read_pairs(text).map_err(|error| error.to_string());
        let found = found
            .map(|pairs| pairs.into_iter().map(|Pair { sentences: [a, b], score }| (a, b, score)).collect::<Vec<_>>());
        let expect = expect.map(|pairs| pairs.iter().map(|(a, b, s)| (a.to_string(), b.to_string(), *s)).collect());
        assert_eq!(found, expect.map_err(str::to_owned));
    }

    #[test]
    fn tab_separated_file_keeps_stray_quotes() {
        let text = "main-captions\tMSRvid\t2012test\t0024\t2.500\tA \"girl.\tA girl, too.\nx\tx\tx\t1\t0\t\"a\tb\"\tCC\tmore\n";
        check_pairs(text, Ok(&[("A \"girl.", "A girl, too.", 2.5), ("\"a", "b\"", 0.0)]));
    }

    #[test]
    fn comma_separated_file_with_header_is_read() {
        let text = "id,score,sentence1,sentence2\n1,4.5,\"One, two\",\"a \"\"b\"\"\"\n";
        check_pairs(text, Ok(&[("One, two", "a \"b\"", 4.5)]));
    }

    #[test]
    fn error_names_the_bad_line() {
        check_pairs("a\tb\tc\td\t1\ts\tt\na\tb\tc\td\tfour\ts\tt\n", Err("line 2: score is no number: \"four\""));
        check_pairs("a\tb\tc\td\t1\ts\n", Err("line 1: sentence2 is missing"));
        check_pairs("sentence1,score\nx,1\n", Err("line 1: the header does not name sentence1, sentence2 and score"));
        check_pairs("sentence1,sentence2,score\na,b,NaN\n", Err("line 2: score is no number: \"NaN\""));
    }

    #[tokio::test]
    async fn bundled_model_ranks_pairs_as_people_do() {
        let rated = "sentence1,sentence2,score\n\
            A man is playing a guitar.,A person plays the guitar.,4.8\n\
            A man is playing a guitar.,A man is playing a flute.,2.5\n\
            A plane is taking off.,Three dogs run through snow.,0.0\n\
            A plane is taking off.,An air plane is taking off.,5.0\n";
        let embedder = OnnxEmbedder::bundled().unwrap();
        let found = evaluate(&embedder, rated.as_bytes()).await.unwrap();
        assert_eq!(found, Fidelity { pairs: 4, spearman: 1.0 });
        let error = evaluate(&embedder, "".as_bytes()).await.unwrap_err();
        assert_eq!(error.to_string(), "line 1: the header does not name sentence1, sentence2 and score");
    }
}
