//! Rows on disk: their columns, the conversion of parts to record batches, and the check of stored rows.
//!
//! LanceDB keeps no checksums: a page that was overwritten with zeros is read without an error. So each row has a
//! digest that was computed when the row was written. Reading the whole row shows whether it is unchanged.

use std::collections::HashMap;
use std::sync::Arc;

use annals_core::ports::{Part, Stored};
use annals_core::{Digest, MemoryId};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, FixedSizeListArray, Float32Array, Int64Array, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

pub(crate) use annals_index::columns::*;
use annals_index::lex;

/// Metadata that declares a column as the primary key. Only for such a column does LanceDB refuse the second of two
/// concurrent merges that insert the same key. It never checks rows that are appended.
const PRIMARY_KEY: (&str, &str) = ("lance-schema:unenforced-primary-key:position", "1");

/// Returns the columns of a table with vectors of `dimension` numbers.
pub(crate) fn schema(dimension: usize) -> SchemaRef {
    let key = HashMap::from([(PRIMARY_KEY.0.to_owned(), PRIMARY_KEY.1.to_owned())]);
    Arc::new(Schema::new(vec![
        Field::new(ID, DataType::Utf8, false).with_metadata(key),
        Field::new(MEMORY, DataType::Utf8, false),
        Field::new(PART, DataType::UInt32, false),
        Field::new(KIND, DataType::Utf8, false),
        Field::new(PERIOD, DataType::Utf8, false),
        Field::new(START, DataType::Int64, false),
        Field::new(END, DataType::Int64, false),
        Field::new(SPEAKER, DataType::Utf8, true),
        Field::new(CONVERSATION, DataType::Utf8, true),
        Field::new(TEXT, DataType::Utf8, false),
        Field::new(LEX, DataType::Utf8, false),
        Field::new(VECTOR, vector_type(dimension), false),
        Field::new(DIGEST, DataType::Binary, false),
        Field::new(SEQ, DataType::UInt64, false),
    ]))
}

/// Returns the length of a table's vectors, from its schema.
pub(crate) async fn dimension(table: &lancedb::Table) -> lancedb::Result<usize> {
    let schema = table.schema().await?;
    match schema.field_with_name(VECTOR)?.data_type() {
        DataType::FixedSizeList(_, length) => Ok(usize::try_from(*length).unwrap_or_default()),
        other => Err(lancedb::Error::Schema { message: format!("the vectors are {other}") }),
    }
}

fn vector_type(dimension: usize) -> DataType {
    DataType::FixedSizeList(vector_item(), length(dimension))
}

fn vector_item() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Float32, true))
}

fn length(dimension: usize) -> i32 {
    i32::try_from(dimension).expect("no model has vectors of two thousand million numbers")
}

/// Converts parts with vectors of `dimension` numbers to rows.
pub(crate) fn batch(parts: &[Part], dimension: usize) -> Result<RecordBatch, ArrowError> {
    let lex = parts.iter().map(|part| lex::document(&part.text, &part.language, part.period, part.speaker.as_deref()));
    let values: Float32Array = parts.iter().flat_map(|part| part.vector.iter().copied()).collect();
    let vectors = FixedSizeListArray::try_new(vector_item(), length(dimension), Arc::new(values), None)?;
    let mut columns: Vec<ArrayRef> = vec![
        strings(parts.iter().map(|part| format!("{}#{}", part.memory, part.part))),
        strings(parts.iter().map(|part| part.memory.as_str())),
        Arc::new(parts.iter().map(|part| part.part).collect::<UInt32Array>()),
        strings(parts.iter().map(|part| part.kind.as_str())),
        strings(parts.iter().map(|part| part.period.to_string())),
        Arc::new(parts.iter().map(|part| part.cover.start.as_microsecond()).collect::<Int64Array>()),
        Arc::new(parts.iter().map(|part| part.cover.end.as_microsecond()).collect::<Int64Array>()),
        Arc::new(parts.iter().map(|part| part.speaker.as_deref()).collect::<StringArray>()),
        Arc::new(parts.iter().map(|part| part.conversation.as_deref()).collect::<StringArray>()),
        strings(parts.iter().map(|part| part.text.as_str())),
        strings(lex),
        Arc::new(vectors),
    ];
    let content = RecordBatch::try_new(Arc::new(schema(dimension).project(&CONTENT)?), columns.clone())?;
    columns.push(Arc::new(BinaryArray::from_iter_values((0..parts.len()).map(|row| digest(&content, row).0))));
    columns.push(Arc::new(parts.iter().map(|part| part.seq).collect::<UInt64Array>()));
    RecordBatch::try_new(schema(dimension), columns)
}

/// Indexes of the columns that the digest covers: all columns before the digest's own.
const CONTENT: [usize; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

fn strings<S: AsRef<str>>(values: impl Iterator<Item = S>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

/// The error if a stored row does not match its digest, or lacks a column.
#[derive(Debug)]
pub(crate) struct Altered;

/// Checks the rows of a batch with all columns in order; returns memory, part, sequence number and digest of each row.
/// Fails if a row does not match its digest.
pub(crate) fn stored(batch: &RecordBatch) -> Result<Vec<Stored>, Altered> {
    (0..batch.num_rows()).map(|row| stored_row(batch, row)).collect()
}

fn stored_row(batch: &RecordBatch, row: usize) -> Result<Stored, Altered> {
    let digest = digest(batch, row);
    if column(batch, DIGEST)?.as_binary::<i32>().value(row) != digest.0 {
        return Err(Altered);
    }
    Ok(Stored {
        memory: MemoryId::from_text(column(batch, MEMORY)?.as_string::<i32>().value(row)),
        part: column(batch, PART)?.as_primitive::<UInt32Type>().value(row),
        seq: column(batch, SEQ)?.as_primitive::<UInt64Type>().value(row),
        digest,
    })
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, Altered> {
    batch.column_by_name(name).ok_or(Altered)
}

/// Computes the digest of one row over the columns [`CONTENT`].
fn digest(batch: &RecordBatch, row: usize) -> Digest {
    Digest::of(CONTENT.iter().map(|index| bytes(batch.column(*index), row)))
}

/// Encodes a value as bytes, so that NULL differs from an empty value: the first byte is 0 for NULL and 1 otherwise.
fn bytes(column: &ArrayRef, row: usize) -> Vec<u8> {
    if column.is_null(row) {
        return vec![0];
    }
    let value = match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes().to_vec(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).to_le_bytes().to_vec(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_le_bytes().to_vec(),
        _ => {
            let vector = column.as_fixed_size_list().value(row);
            vector.as_primitive::<Float32Type>().values().iter().flat_map(|number| number.to_le_bytes()).collect()
        }
    };
    [vec![1], value].concat()
}
