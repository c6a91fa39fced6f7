//! Sums by conversation: the number of rows that pass the filter, and the sum of a value over these rows.

/// Row count and sum by conversation number.
#[derive(Clone, Default)]
pub struct Sums(Vec<(u32, f64)>);

impl Sums {
    /// Creates empty sums for `conversations` conversations.
    pub fn new(conversations: usize) -> Sums {
        Sums(vec![(0, 0.0); conversations])
    }

    /// Adds `rows` rows with the total `sum` to a conversation; rows without a conversation are ignored.
    pub fn add(&mut self, conversation: Option<usize>, rows: u32, sum: f64) {
        if let Some(conversation) = conversation {
            self.0[conversation].0 += rows;
            self.0[conversation].1 += sum;
        }
    }

    pub fn and(mut self, other: Sums) -> Sums {
        if self.0.is_empty() {
            return other;
        }
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
        self
    }

    /// Returns the number of rows and the mean of each conversation. The mean of a conversation without rows is zero.
    pub fn means(&self) -> impl Iterator<Item = (u32, f64)> {
        self.0.iter().map(|(rows, sum)| (*rows, sum / f64::from((*rows).max(1))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_kept_by_conversation() {
        let values = [(Some(1), 2, 6.0), (None, 1, 9.0), (Some(0), 1, 5.0), (Some(1), 1, 9.0)];
        let of = |values: &[(Option<usize>, u32, f64)]| {
            let mut sums = Sums::new(3);
            values.iter().for_each(|(conversation, rows, sum)| sums.add(*conversation, *rows, *sum));
            sums
        };
        let (sums, one, two) = (of(&values), of(&values[..1]), of(&values[1..]));
        assert_eq!(sums.means().collect::<Vec<_>>(), [(1, 5.0), (3, 5.0), (0, 0.0)]);
        assert_eq!(Sums::default().and(one).and(two).0, sums.0);
    }
}
