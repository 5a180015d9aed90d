//! What is the memory of a node counted in, and whose is it?
//!
//! A leg has a limit of its own (`receiver.limit`); beside it, a node may have a pool that all
//! flows through it share.

mod admission;
pub(crate) mod pool;
