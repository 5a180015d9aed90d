//! What hosts are told to do: plain data.

mod abr;
pub mod bytes;
pub mod collectives;
mod control;
pub mod messages;
pub mod rates;
mod roce;
pub mod shape;
mod span;
mod tcp;
pub mod units;

pub use abr::{AbrSpec, RateFormat, TimeFloor, TurnAround, UiliSpec};
pub use control::SourceControlSpec;
pub use rates::{Notify, RateControlSpec};
pub use roce::{AckEvery, PairRecovery, RoceSpec};
pub use span::Span;
pub use tcp::{
    AckSpec, BurstSpec, Congestion, Ecn, Queued, Recovery, Reuse, SlowStart, TcpSpec, TimerSpec,
};
