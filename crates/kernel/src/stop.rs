//! Why a run ended.

/// Why a run ended. An engine knows some of these: only `flit` ends when what was to be measured
/// has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stop {
    /// The time to simulate is over.
    TimeReached,
    /// Nothing was left to do: everything offered was delivered or dropped, or a trace was
    /// replayed to its end.
    Drained,
    /// Everything that was to be measured has arrived.
    Measured,
    /// The time to wait for it is over, with some of it still under way.
    DrainEnded,
    /// Something can never move again. The outcome says what waits for what.
    Standstill,
    /// The caller stopped it, or looked at it before its end.
    #[default]
    Interrupted,
}
