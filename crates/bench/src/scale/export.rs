//! Exports rows and questions with their vectors as plain files, so that other search engines can be measured with the same data.

use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

use serde_json::json;

use super::questions::Asking;
use super::row_vectors::RowVectors;
use super::rows::Rows;

/// Writes `rows.jsonl` (id, text, at in microseconds), `questions.jsonl` (id, text), `vectors.f32` and `questions.f32` (32-bit
/// little-endian numbers, one vector after the other), and `range.json` (microseconds, end exclusive).
pub(crate) fn export(
    folder: &Path,
    rows: &Rows,
    vectors: &RowVectors,
    asking: &Asking,
    question_vectors: &[Vec<f32>],
) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let file = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
    let (mut texts, mut numbers) = (file("rows.jsonl")?, file("vectors.f32")?);
    for row in 0..rows.count {
        let at = rows.at(row).as_microsecond();
        writeln!(texts, "{}", json!({ "id": rows.id(row), "text": rows.text(row), "at": at }))?;
        write_vector(&mut numbers, &vectors.of_row(row))?;
    }
    texts.flush()?;
    numbers.flush()?;
    let (mut texts, mut numbers) = (file("questions.jsonl")?, file("questions.f32")?);
    for ((question, vector), number) in asking.questions.iter().zip(question_vectors).zip(0..) {
        writeln!(texts, "{}", json!({ "id": format!("q{number}"), "text": question.text }))?;
        write_vector(&mut numbers, vector)?;
    }
    texts.flush()?;
    numbers.flush()?;
    let within = asking.range.within;
    let range = json!({ "from": within.start.as_microsecond(), "to": within.end.as_microsecond() });
    std::fs::write(folder.join("range.json"), range.to_string())
}

fn write_vector(file: &mut impl Write, vector: &[f32]) -> Result<()> {
    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    file.write_all(&bytes)
}
