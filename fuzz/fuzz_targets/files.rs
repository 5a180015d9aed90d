//! Topologies, weights and traces that a scenario names: `make fuzz TARGET=files`.

#![no_main]

#[path = "../targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::files(bytes));
