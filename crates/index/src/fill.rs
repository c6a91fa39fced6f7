//! Adds rows to a table in memory: the rows of the table on disk when it is loaded, and the rows of each write.

use annals_core::Kind;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type, UInt32Type};
use arrow_array::{Array, FixedSizeListArray, RecordBatch, StringArray, UInt32Array};

use crate::columns::{CONVERSATION, END, KIND, LEX, MEMORY, PART, START, VECTOR};
use crate::{InMemoryTable, Row};

/// The columns of some rows, except the vectors.
struct Columns<'a> {
    memories: &'a StringArray,
    parts: &'a UInt32Array,
    kinds: &'a StringArray,
    conversations: &'a StringArray,
    starts: &'a [i64],
    ends: &'a [i64],
    lex: &'a StringArray,
}

impl InMemoryTable {
    /// Frees the capacity that the inverted index reserved for further rows. Called once all rows of a table on disk are
    /// loaded.
    pub fn shrink(&mut self) {
        self.words.shrink();
    }

    /// Adds rows, except those that cover no instant. Adds vectors and the other columns in parallel; one after the other would
    /// take twice as long.
    pub fn add(&mut self, batch: &RecordBatch) {
        let columns = Columns::of(batch);
        // A row that covers no instant is left out, because no filter can select it, not even one without a range.
        let rows = || (0..batch.num_rows()).filter(|row| columns.starts[*row] < columns.ends[*row]);
        let of = batch[VECTOR].as_fixed_size_list();
        let mut vectors = std::mem::take(&mut self.vectors);
        rayon::join(
            || rows().for_each(|row| vectors.push(vector(of, row))),
            || rows().for_each(|row| self.add_words(&columns, row)),
        );
        self.vectors = vectors;
    }

    fn add_words(&mut self, columns: &Columns<'_>, row: usize) {
        let number = self.words.push(columns.lex.value(row));
        let id = u32::try_from(self.ids.len()).expect("ids of so many rows are below 4 GB");
        self.ids.push_str(columns.memories.value(row));
        let (start, end) = (columns.starts[row], columns.ends[row]);
        let kind: Option<Kind> = columns.kinds.value(row).parse().ok();
        self.rows.push(Row { start, end, id, part: columns.parts.value(row), kind });
        self.live.push((start, end));
        if let Some(conversation) = self.conversations.push(columns.conversation(row)) {
            let (rows, ids) = (&self.rows, &self.ids);
            self.conversations.insert(conversation, number, |a, b| crate::order(rows, ids, a, b));
        }
    }
}

impl<'a> Columns<'a> {
    fn of(batch: &'a RecordBatch) -> Columns<'a> {
        Columns {
            memories: batch[MEMORY].as_string(),
            parts: batch[PART].as_primitive::<UInt32Type>(),
            kinds: batch[KIND].as_string(),
            conversations: batch[CONVERSATION].as_string(),
            starts: batch[START].as_primitive::<Int64Type>().values(),
            ends: batch[END].as_primitive::<Int64Type>().values(),
            lex: batch[LEX].as_string(),
        }
    }

    fn conversation(&self, row: usize) -> Option<&'a str> {
        self.conversations.is_valid(row).then(|| self.conversations.value(row))
    }
}

fn vector(vectors: &FixedSizeListArray, row: usize) -> &[f32] {
    let numbers = vectors.value_length() as usize;
    &vectors.values().as_primitive::<Float32Type>().values()[row * numbers..][..numbers]
}
