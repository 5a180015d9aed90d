//! Rules broken on purpose: what a comparison has to notice.

/// A rule that the slow engine breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Set-ups of one instant reserve in the opposite order of flows.
    LastFlowFirst,
    /// A set-up that just fills a channel is refused.
    FullIsTooMuch,
    /// Refusals give nothing back.
    RefusalsKeep,
    /// Branches that accepted are not torn down when another refused.
    NoRollBack,
    /// Tear-downs overtake what waits.
    TearDownsOvertake,
    /// Tear-downs give back as they come to a port, not as they leave it.
    EarlyRelease,
    /// Traffic keeps the times it had without a session.
    UnmovedTraffic,
    /// What gates hold at the close is sent.
    GatesGoOn,
    /// A flow that is ahead by just the threshold is warned.
    WarnedAtThreshold,
    /// Warnings jump to the source at once from the first node on their way.
    WarningsSkipNodes,
    /// A later warning may make a source faster.
    FasterAgain,
    /// Bits count from the start, not from the warning before.
    BitsSinceStart,
    /// A unit that would wait for just the longest time is dropped.
    LateAtLimit,
    /// A unit that is dropped for its wait takes its tokens all the same.
    LateTakesTokens,
}
