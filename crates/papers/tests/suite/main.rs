//! The tests of this crate, in one program: what they share is compiled once.

mod abr;
mod common;
mod dcqcn;
mod ethernet;
mod fabric;
mod link_credits;
mod packet;
mod rocc2020;
mod threads;
mod uet_limits;
