//! The hop: units arrive at a node, wait for their next channel, start and cross it.

mod arrive;
mod depart;
pub(crate) mod due;
pub(crate) mod frame;
mod instant;
pub(crate) mod kind;
pub(crate) mod leg;
pub(crate) mod load;
mod queueing;
pub(crate) mod sizes;
pub(crate) mod unit;
pub(crate) mod view;
pub(crate) mod wire;
