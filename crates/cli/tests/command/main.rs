//! The command line from outside: what it prints, writes and returns.

#[cfg(unix)]
mod at_work;
mod bounds;
mod comparing;
#[cfg(unix)]
mod documents;
mod door;
#[cfg(unix)]
mod endless;
mod errors;
mod ethernet;
mod examples;
mod fabric;
#[cfg(unix)]
mod fair_shares;
mod few_threads;
mod figures;
mod importing;
mod lossless;
#[cfg(target_os = "linux")]
mod memory;
mod nasty;
#[cfg(unix)]
mod odd_names;
mod papers;
mod pictures;
mod pipes;
mod plotting;
mod runs;
mod saturation;
mod shards;
#[cfg(unix)]
mod sharing;
#[cfg(unix)]
mod signals;
mod sizing;
mod stepping;
mod stopping;
mod support;
mod sweep_fabric;
mod sweep_kills;
mod sweeping;
mod sweeps;
mod switches;
mod threads;
mod trace;
mod words;
