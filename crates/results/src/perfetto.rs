//! A run as a trace for Perfetto: native track events, as ui.perfetto.dev and its trace processor
//! read them.
//!
//! A node is a process, a port a track of it: slices of what it sends and, in between, of what
//! holds it up. Below a port are what may stop it, each with a track of its own, and counters. What
//! is known when a slice begins also tells its end, so a file is whole up to where it was written.

mod cells;
mod frames;
mod proto;
mod scene;
mod writer;

pub use cells::PerfettoCells;
pub use frames::PerfettoFrames;

/// The file's name in a run directory.
const NAME: &str = "trace.perfetto";
