//! Scenarios: `make fuzz TARGET=scenario`.

#![no_main]

#[path = "../targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::scenario(bytes));
