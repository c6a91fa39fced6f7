//! Random numbers from a seed: SplitMix64.

/// A generator that yields the same numbers for the same seed.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// Returns a number of 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 up to, but not including, `bound`.
    pub fn below(&mut self, bound: i64) -> i64 {
        i64::try_from(self.bits() >> 1).unwrap() % bound
    }

    /// Returns true with a probability of `chance` percent.
    pub fn percent(&mut self, chance: i64) -> bool {
        self.below(100) < chance
    }

    /// Shuffles the items by Fisher–Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, usize::try_from(self.bits() % (last as u64 + 1)).unwrap());
        }
    }
}
