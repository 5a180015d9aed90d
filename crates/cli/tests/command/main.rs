//! The command line from outside: what it prints, writes and returns.

mod bounds;
mod comparing;
#[cfg(unix)]
mod documents;
mod ethernet;
mod examples;
mod fabric;
#[cfg(target_os = "linux")]
mod memory;
mod nasty;
mod papers;
mod pictures;
mod pipes;
mod runs;
mod saturation;
mod stopping;
mod support;
mod sweep_fabric;
mod sweep_kills;
mod sweeping;
mod sweeps;
mod trace;
mod words;
