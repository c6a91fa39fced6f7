//! Chance from a seed: SplitMix64.

/// Dice that fall the same way for the same seed.
pub struct Dice(u64);

impl Dice {
    /// Dice for a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        i64::try_from((z ^ (z >> 31)) >> 1).unwrap() % bound
    }

    /// Whether something happens that does so in so many of a hundred cases.
    pub fn percent(&mut self, chance: i64) -> bool {
        self.below(100) < chance
    }
}
