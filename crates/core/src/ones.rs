//! Bit sets of small numbers in one word.

/// Returns the positions of the set bits of a word, ascending.
// Inlined because one search calls it for a million rows.
#[inline]
pub fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        let found = (word != 0).then_some(bit);
        word &= word.wrapping_sub(1);
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_returns_set_bits_in_order() {
        let check = |word, expect: &[usize]| assert_eq!(ones(word).collect::<Vec<_>>(), expect);
        check(0, &[]);
        check(1, &[0]);
        check(0b1010_0110, &[1, 2, 5, 7]);
        check(1 << 63 | 1, &[0, 63]);
        check(u64::MAX, &(0..64).collect::<Vec<_>>());
    }
}
