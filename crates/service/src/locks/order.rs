//! The agent locks as types, so that the compiler checks the order in which they are taken.

/// The locks of an agent, in the order in which they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lock {
    /// Roll-up: one at a time. Held while a model answers.
    RollUp,
    /// Extraction: one reader of new messages at a time. Held while a model answers.
    Extraction,
    /// The agent's history and settings: summaries, pruning, erasure, blocks.
    History,
    /// Facts and their table.
    Facts,
    /// The searchable tables.
    Tables,
}

pub(super) const LOCKS: usize = Lock::Tables as usize + 1;

/// A lock as a type.
pub trait Level: Send + Sync + 'static {
    /// The lock that the type stands for.
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
