//! What the conversations of a table come to: how many of their rows pass, and what these add up to.

/// Of each conversation, by number.
#[derive(Clone, Default)]
pub struct Sums(Vec<(u32, f64)>);

impl Sums {
    /// Of so many conversations, nothing yet.
    pub fn new(talks: usize) -> Sums {
        Sums(vec![(0, 0.0); talks])
    }

    /// Adds these values, each of a row of a conversation or of none.
    pub fn add(&mut self, values: impl Iterator<Item = (Option<usize>, f64)>) {
        // Rows of one conversation follow each other mostly: they are added up before they are written down.
        let (mut of, mut rows, mut sum) = (None, 0, 0.0);
        for (talk, value) in values {
            if talk != of {
                self.note(of, rows, sum);
                (of, rows, sum) = (talk, 0, 0.0);
            }
            rows += 1;
            sum += value;
        }
        self.note(of, rows, sum);
    }

    fn note(&mut self, talk: Option<usize>, rows: u32, sum: f64) {
        if let Some(talk) = talk {
            self.0[talk].0 += rows;
            self.0[talk].1 += sum;
        }
    }

    /// Of both.
    pub fn and(mut self, other: Sums) -> Sums {
        if self.0.is_empty() {
            return other;
        }
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
        self
    }

    /// How many rows each conversation has, and their mean; of those without rows no more than that.
    pub fn means(&self) -> impl Iterator<Item = (u32, f64)> {
        self.0.iter().map(|(rows, sum)| (*rows, sum / f64::from((*rows).max(1))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_conversation_has_its_rows_wherever_they_stand() {
        let values = [(Some(1), 2.0), (Some(1), 4.0), (None, 9.0), (Some(0), 5.0), (Some(1), 9.0)];
        let mut sums = Sums::new(3);
        sums.add(values.into_iter());
        assert_eq!(sums.means().collect::<Vec<_>>(), [(1, 5.0), (3, 5.0), (0, 0.0)]);
        let (mut one, mut two) = (Sums::new(3), Sums::new(3));
        one.add(values[..2].iter().copied());
        two.add(values[2..].iter().copied());
        assert_eq!(Sums::default().and(one).and(two).0, sums.0);
    }
}
