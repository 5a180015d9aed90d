//! What is the memory of a node counted in, and whose is it? That of circuits.
//! A line here may touch the pool and the legs that share it; `admission` alone touches the run.
//! The next way to share is a rule of `pool`; the memory of frames is `classes/shared`.
//!
//! A leg has a limit of its own (`receiver.limit`); beside it, a node may have a pool that all
//! flows through it share.

mod admission;
pub(crate) mod pool;
