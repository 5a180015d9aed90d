//! What ABR's resource management cells say.

use backwater_kernel::Rate;

/// What an RM cell says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RmCell {
    /// The source's ACR when it sent the cell.
    pub ccr: Rate,
    /// The rate that the network allows.
    pub er: Rate,
    /// The source's MCR.
    pub mcr: Rate,
    /// Congestion: reduce.
    pub ci: bool,
    /// No increase.
    pub ni: bool,
    /// A switch made it.
    pub bn: bool,
    /// On its way back to the source whose rate it is about.
    pub is_backward: bool,
    /// Sent beside the allowed rate (CLP = 1).
    pub is_out_of_rate: bool,
}

/// A forward RM cell as its source sends it, after rules 5 and 6.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForwardCell {
    /// ACR before rules 5 and 6.
    pub acr_before: Rate,
    /// ACR now, which it states as CCR.
    pub acr: Rate,
    /// SR = Nrm / T; `None` for the first one.
    pub source_rate: Option<Rate>,
}
