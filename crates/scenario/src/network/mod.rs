//! What networks of all kinds share: nodes and links by name, topologies and flows by rule, names
//! with `*`, outages, TCP, the memory that a run takes.
//!
//! A line here may touch `given` and `language`, and must hold for cells and frames alike. What is
//! written for one kind and wanted by the next moves here.

pub(crate) mod from_file;
pub(crate) mod generated;
pub(crate) mod jitter;
pub(crate) mod law;
pub(crate) mod memory;
pub(crate) mod numbered;
pub(crate) mod outages;
pub(crate) mod patterns;
pub(crate) mod room;
mod spacing;
pub(crate) mod tcp;
pub(crate) mod wildcard;
pub(crate) mod wires;
