//! What hosts are told to do: plain data.

pub mod bytes;
pub mod shape;
mod span;
mod tcp;
pub mod units;

pub use span::Span;
pub use tcp::{AckSpec, Congestion, Ecn, Recovery, Reuse, TcpSpec, TimerSpec};
