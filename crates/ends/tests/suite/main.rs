//! The tests of this crate, in one program: what they share is compiled once.

mod bbr;
mod bsd;
mod bursts;
mod common;
mod handshake;
mod lossy;
mod mismatch;
mod modern;
mod path;
mod pipe;
mod steady;
mod today;
