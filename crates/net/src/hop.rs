//! The hop, of cells and frames: units arrive, wait, start, cross a channel; timers go off.
//! A line here may touch the ports, legs and channels that a unit meets, and calls upon the rest.
//! The next is a file if all units have it; what one kind has goes to `circuits` or `frames`.

mod arrive;
mod depart;
pub(crate) mod due;
pub(crate) mod frame;
mod instant;
pub(crate) mod kind;
pub(crate) mod leg;
pub(crate) mod load;
mod queueing;
mod repeated;
pub(crate) mod sizes;
pub(crate) mod timer;
pub(crate) mod unit;
pub(crate) mod view;
pub(crate) mod wire;
