//! The tests of this crate, in one program: what they share is compiled once.

mod bbr;
mod bsd;
mod common;
mod handshake;
mod lossy;
mod mismatch;
mod modern;
mod pipe;
mod steady;
