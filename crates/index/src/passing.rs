//! Which rows pass: a bit for each, 64 to a block, so that a block of which none passes costs nothing.

use annals_core::ones;

/// Rows of a block.
pub const BLOCK: usize = 64;

/// A set of rows.
#[derive(Clone, Default)]
pub struct Passing {
    blocks: Vec<u64>,
    rows: usize,
}

impl Passing {
    /// Of as many rows those of these blocks.
    pub fn with(&self, blocks: Vec<u64>) -> Passing {
        Passing { blocks, rows: self.rows }
    }

    /// Of as many rows these.
    pub fn of(&self, rows: impl Iterator<Item = usize>) -> Passing {
        let mut blocks = vec![0; self.blocks.len()];
        rows.for_each(|row| blocks[row / BLOCK] |= 1 << (row % BLOCK));
        self.with(blocks)
    }

    /// One more row, in the set or not.
    pub fn push(&mut self, is_in: bool) {
        if self.rows.is_multiple_of(BLOCK) {
            self.blocks.push(0);
        }
        self.blocks[self.rows / BLOCK] |= u64::from(is_in) << (self.rows % BLOCK);
        self.rows += 1;
    }

    /// Takes a row out.
    pub fn clear(&mut self, row: usize) {
        self.blocks[row / BLOCK] &= !(1 << (row % BLOCK));
    }

    /// Whether a row is in it.
    pub fn holds(&self, row: usize) -> bool {
        self.blocks[row / BLOCK] >> (row % BLOCK) & 1 == 1
    }

    /// How many are in it.
    pub fn count(&self) -> usize {
        self.blocks.iter().map(|block| block.count_ones() as usize).sum()
    }

    /// The blocks, each with a bit for each of its rows.
    pub fn blocks(&self) -> &[u64] {
        &self.blocks
    }

    /// The rows in it, ascending.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().enumerate().flat_map(|(block, bits)| ones(*bits).map(move |bit| block * BLOCK + bit))
    }

    /// The first row in it and every so manyth after, without a look at those between.
    pub fn every(&self, step: usize) -> impl Iterator<Item = usize> {
        let mut ahead = 0;
        self.blocks.iter().enumerate().flat_map(move |(block, bits)| {
            let (skipped, rows) = (ahead, bits.count_ones() as usize);
            let taken = rows.saturating_sub(skipped).div_ceil(step);
            ahead = skipped + taken * step - rows;
            ones(*bits).skip(skipped).step_by(step).take(taken).map(move |bit| block * BLOCK + bit)
        })
    }
}

/// How many rows from the first up to the second are in these blocks.
pub fn count_between(blocks: &[u64], first: usize, end: usize) -> u32 {
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
    fn rows_are_in_it_or_not() {
        let mut passing = Passing::default();
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
        assert!(passing.holds(198) && !passing.holds(199) && !passing.holds(66));
    }
}
