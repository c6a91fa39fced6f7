//! The agent locks as types, so that the compiler checks the order in which they are taken.

/// The locks of an agent, in the order in which they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lock {
    /// Held during a roll-up, also while a model answers, so that only one runs at a time.
    RollUp,
    /// Held while new messages are read for facts, also while a model answers, so that only one task reads them.
    Extraction,
    /// Held while stored memories, blocks or settings change: revising and correcting messages, saving summaries, pruning,
    /// erasure. Held during an export too. New messages are stored without it.
    History,
    /// Held while facts, or imported statements and documents, are written to the catalog. Held also while the table of facts
    /// is written or verified, and during an export.
    Facts,
    /// Held while the searchable tables are written or verified.
    Tables,
}

pub(super) const LOCKS: usize = Lock::Tables as usize + 1;

/// A type that stands for one of the locks.
pub trait Level: Send + Sync + 'static {
    const LOCK: Lock;
}

/// A lock that may be taken while `Earlier` is held.
pub trait After<Earlier: Level>: Level {}

macro_rules! levels {
    ($($level:ident),+) => {
        $(
            #[doc = concat!("[`Lock::", stringify!($level), "`].")]
            #[derive(Debug)]
            pub struct $level;

            impl Level for $level {
                const LOCK: Lock = Lock::$level;
            }
        )+
        in_order!($($level),+);
    };
}

macro_rules! in_order {
    ($last:ident) => {};
    ($first:ident, $($later:ident),+) => {
        $(impl After<$first> for $later {})+
        in_order!($($later),+);
    };
}

levels!(RollUp, Extraction, History, Facts, Tables);

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiles only if the first lock may not be taken after any of the others: otherwise both implementations of `Wrong`
    /// apply and the call is ambiguous.
    macro_rules! never_after {
        ($level:ident: $($held:ident),+) => {
            $({
                trait Wrong<T> {
                    fn is_refused() -> bool { true }
                }
                struct IfItMay;
                impl<T> Wrong<()> for T {}
                impl<T: After<$held>> Wrong<IfItMay> for T {}
                assert!(<$level as Wrong<_>>::is_refused() && Lock::$level <= Lock::$held);
            })+
        };
    }

    #[test]
    fn wrong_order_does_not_compile() {
        never_after!(RollUp: RollUp, Extraction, History, Facts, Tables);
        never_after!(Extraction: Extraction, History, Facts, Tables);
        never_after!(History: History, Facts, Tables);
        never_after!(Facts: Facts, Tables);
        never_after!(Tables: Tables);
    }
}
