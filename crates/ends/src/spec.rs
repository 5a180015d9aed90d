//! What hosts are told to do: plain data.

pub mod bytes;
mod span;
mod tcp;

pub use span::Span;
pub use tcp::{AckSpec, Congestion, Ecn, Recovery, Reuse, TcpSpec, TimerSpec};
