//! The tests of this crate, in one program: what they share is compiled once.

mod instants;
mod wheel_against_heap;
