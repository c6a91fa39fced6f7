//! The locks of an agent as types, so that the compiler knows which may be taken after which.

/// What a lock of an agent protects, in the order in which locks are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lock {
    /// Requests that may come again under the same key.
    Request,
    /// One roll-up at a time. Held while a model answers.
    RollUp,
    /// One reader of new messages at a time. Held while a model answers.
    Extraction,
    /// The agent's history and settings: summaries, pruning, forgetting, blocks.
    History,
    /// Facts and their table.
    Facts,
    /// The searchable tables.
    Tables,
}

pub(super) const LOCKS: usize = Lock::Tables as usize + 1;

/// One of the locks, as a type.
pub trait Level: Send + Sync + 'static {
    /// Which one.
    const LOCK: Lock;
}

/// A lock that may be taken by who holds `Earlier`.
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

levels!(Request, RollUp, Extraction, History, Facts, Tables);

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiles only if the first may not be taken after any of the others: otherwise two implementations of `Wrong` fit.
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
    fn a_wrong_order_does_not_compile() {
        never_after!(Request: Request, RollUp, Extraction, History, Facts, Tables);
        never_after!(RollUp: RollUp, Extraction, History, Facts, Tables);
        never_after!(Extraction: Extraction, History, Facts, Tables);
        never_after!(History: History, Facts, Tables);
        never_after!(Facts: Facts, Tables);
        never_after!(Tables: Tables);
    }
}
