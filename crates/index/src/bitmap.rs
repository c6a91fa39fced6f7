//! A set of rows as a bitmap of 64-bit blocks. Operations skip a block in one step if none of its rows is in the set.

use annals_core::ones;

/// Rows in a block: one for each bit of a `u64`.
pub(crate) const BLOCK: usize = 64;

/// Some rows of a table, as one bit for each row of the table.
#[derive(Clone, Default)]
pub struct RowBitmap {
    blocks: Vec<u64>,
    rows: usize,
}

impl RowBitmap {
    /// Returns a set for the same table that has these blocks.
    pub fn with(&self, blocks: Vec<u64>) -> RowBitmap {
        RowBitmap { blocks, rows: self.rows }
    }

    /// Returns a set for the same table that contains these rows.
    pub fn of(&self, rows: impl Iterator<Item = usize>) -> RowBitmap {
        let mut blocks = vec![0; self.blocks.len()];
        rows.for_each(|row| blocks[row / BLOCK] |= 1 << (row % BLOCK));
        self.with(blocks)
    }

    /// Appends the next row of the table; `is_in` is whether it is in the set.
    pub fn push(&mut self, is_in: bool) {
        if self.rows.is_multiple_of(BLOCK) {
            self.blocks.push(0);
        }
        self.blocks[self.rows / BLOCK] |= u64::from(is_in) << (self.rows % BLOCK);
        self.rows += 1;
    }

    /// Removes a row from the set.
    pub fn clear(&mut self, row: usize) {
        self.blocks[row / BLOCK] &= !(1 << (row % BLOCK));
    }

    pub fn contains(&self, row: usize) -> bool {
        self.blocks[row / BLOCK] >> (row % BLOCK) & 1 == 1
    }

    pub fn count(&self) -> usize {
        self.blocks.iter().map(|block| block.count_ones() as usize).sum()
    }

    /// Returns the blocks, with one bit for each row.
    pub fn blocks(&self) -> &[u64] {
        &self.blocks
    }

    /// Returns the rows in the set, ascending.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().enumerate().flat_map(|(block, bits)| ones(*bits).map(move |bit| block * BLOCK + bit))
    }

    /// Returns the first row of the set and every `step`th after it.
    pub fn every(&self, step: usize) -> impl Iterator<Item = usize> {
        let mut ahead = 0;
        self.blocks.iter().enumerate().flat_map(move |(block, bits)| {
            let (skipped, rows) = (ahead, bits.count_ones() as usize);
            let count = rows.saturating_sub(skipped).div_ceil(step);
            ahead = skipped + count * step - rows;
            ones(*bits).skip(skipped).step_by(step).take(count).map(move |bit| block * BLOCK + bit)
        })
    }
}

/// Returns how many rows from `first` up to `end` are in these blocks. Both are counted from the first row of the first block.
pub(crate) fn count_between(blocks: &[u64], first: usize, end: usize) -> u32 {
    let within = |block: usize| {
        let (from, to) = (first.saturating_sub(block * BLOCK), (end - block * BLOCK).min(BLOCK));
        u64::MAX << from & u64::MAX >> (BLOCK - to)
    };
    (first / BLOCK..end.div_ceil(BLOCK)).map(|block| (blocks[block] & within(block)).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_operations_agree_with_a_list_of_rows() {
        let mut passing = RowBitmap::default();
        (0..200).for_each(|row| passing.push(row % 3 == 0));
        passing.clear(66);
        let expect: Vec<usize> = (0..200).filter(|row| row % 3 == 0 && *row != 66).collect();
        assert_eq!(passing.rows().collect::<Vec<_>>(), expect);
        assert_eq!(passing.count(), expect.len());
        for step in [1, 2, 7, 40, 1000] {
            let expect: Vec<usize> = passing.rows().step_by(step).collect();
            assert_eq!(passing.every(step).collect::<Vec<_>>(), expect, "{step}");
        }
        for (first, end) in [(0, 200), (0, 0), (5, 60), (63, 65), (64, 128), (60, 190)] {
            let expect = expect.iter().filter(|row| (first..end).contains(*row)).count();
            assert_eq!(count_between(passing.blocks(), first, end) as usize, expect, "{first} to {end}");
        }
        assert!(passing.contains(198) && !passing.contains(199) && !passing.contains(66));
    }
}
