//! The hop: units arrive at a node, wait for their next channel, start and cross it.

mod arrive;
mod depart;
pub(crate) mod due;
mod instant;
pub(crate) mod kind;
pub(crate) mod leg;
mod queueing;
pub(crate) mod unit;
pub(crate) mod wire;
