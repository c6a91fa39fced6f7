//! Pools the vectors of tokens into one vector, and scales it to unit length.

/// How the vectors of a text's tokens are pooled into one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of all tokens.
    Mean,
    /// The vector of the first token.
    Cls,
    /// The vector of the last token.
    LastToken,
    /// The largest value of each component.
    Max,
}

impl Pooling {
    /// Returns the name as a model's files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Pooling::Mean => "mean",
            Pooling::Cls => "cls",
            Pooling::LastToken => "lasttoken",
            Pooling::Max => "max",
        }
    }

    /// Pools the rows of `values`, which have `dimension` numbers each, into one. Expects at least one row.
    pub(crate) fn pool(self, values: &[f32], dimension: usize) -> Vec<f32> {
        let rows = values.chunks_exact(dimension);
        match self {
            Pooling::Cls => values[..dimension].to_vec(),
            Pooling::LastToken => values[values.len() - dimension..].to_vec(),
            Pooling::Max => fold(rows, f32::NEG_INFINITY, f32::max),
            Pooling::Mean => {
                let count = rows.len() as f32;
                fold(rows, 0.0, |sum, value| sum + value).into_iter().map(|sum| sum / count).collect()
            }
        }
    }
}

fn fold<'a>(rows: impl ExactSizeIterator<Item = &'a [f32]>, first: f32, join: fn(f32, f32) -> f32) -> Vec<f32> {
    let mut pooled = Vec::new();
    for row in rows {
        pooled.resize(row.len(), first);
        pooled.iter_mut().zip(row).for_each(|(pooled, value)| *pooled = join(*pooled, *value));
    }
    pooled
}

/// Scales a vector to unit length. Leaves it unchanged, bit for bit, if its length is within 0.00001 of one. Returns `None` if
/// the length is zero or not finite.
pub(crate) fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    if (length - 1.0).abs() >= 1e-5 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    Some(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_pooled() {
        fn check(pooling: Pooling, expect: [f32; 2]) {
            assert_eq!(pooling.pool(&[1.0, -2.0, 3.0, 4.0, 5.0, 1.0], 2), expect, "{pooling:?}");
        }
        check(Pooling::Mean, [3.0, 1.0]);
        check(Pooling::Cls, [1.0, -2.0]);
        check(Pooling::LastToken, [5.0, 1.0]);
        check(Pooling::Max, [5.0, 4.0]);
    }

    #[test]
    fn vectors_get_unit_length() {
        assert_eq!(unit(vec![3.0, 4.0]), Some(vec![0.6, 0.8]));
        assert_eq!(unit(vec![0.6, 0.8]), Some(vec![0.6, 0.8]));
        assert_eq!(unit(vec![0.0, 0.0]), None);
        assert_eq!(unit(vec![f32::NAN, 1.0]), None);
    }
}
