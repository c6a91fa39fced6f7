//! Tables from the disk into memory, and what is written on its way to the disk.

use annals_core::ports::Part;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use futures::TryStreamExt;

use super::{Hot, Newcomer};
use crate::lex;
use crate::rows::{CONVERSATION, END, KIND, LEX, MEMORY, PART, START, VECTOR};

/// Rows of a batch, and bytes that are read ahead. LanceDB's own bound is 2 GB.
const BATCH: usize = 1_024;
const AHEAD: u64 = 8 << 20;

impl Hot {
    /// Reads a version of a table, of so many rows.
    pub async fn read(snapshot: &lancedb::Table, rows: usize, dimension: usize) -> lancedb::Result<Hot> {
        let mut hot = Hot::new(rows, dimension);
        let Some(dataset) = snapshot.dataset() else { return Ok(hot) };
        let mut scan = dataset.get().await?.scan();
        scan.project(&[MEMORY, PART, KIND, CONVERSATION, START, END, LEX, VECTOR])?;
        scan.batch_size(BATCH).io_buffer_size(AHEAD).batch_readahead(1).fragment_readahead(1);
        let mut batches = scan.try_into_stream().await?;
        while let Some(batch) = batches.try_next().await? {
            hot.add_batch(&batch);
        }
        hot.words.shrink();
        Ok(hot)
    }

    fn add_batch(&mut self, batch: &RecordBatch) {
        let (memories, parts) = (batch[MEMORY].as_string::<i32>(), batch[PART].as_primitive::<UInt32Type>());
        let (kinds, talks) = (batch[KIND].as_string::<i32>(), batch[CONVERSATION].as_string::<i32>());
        let (starts, ends) = (batch[START].as_primitive::<Int64Type>(), batch[END].as_primitive::<Int64Type>());
        let (lex, vectors) = (batch[LEX].as_string::<i32>(), batch[VECTOR].as_fixed_size_list());
        for row in 0..batch.num_rows() {
            self.add(&Newcomer {
                memory: memories.value(row),
                part: parts.value(row),
                kind: kinds.value(row).parse().ok(),
                conversation: talks.is_valid(row).then(|| talks.value(row)),
                cover: (starts.value(row), ends.value(row)),
                lex: lex.value(row),
                vector: vectors.value(row).as_primitive::<Float32Type>().values(),
            });
        }
    }

    /// Adds a part as it is written.
    pub fn add_part(&mut self, part: &Part) {
        self.add(&Newcomer {
            memory: part.memory.as_str(),
            part: part.part,
            kind: Some(part.kind),
            conversation: part.conversation.as_deref(),
            cover: (part.cover.start.as_microsecond(), part.cover.end.as_microsecond()),
            lex: &lex::document(&part.text, &part.language, part.period, part.speaker.as_deref()),
            vector: &part.vector,
        });
    }
}
