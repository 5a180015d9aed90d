//! Tests of traffic.

mod births;
mod checks;
mod lists;
mod patterns;

use alloc::vec::Vec;

use super::{Born, Generator};

/// All births before `end` of a process, with their packets.
fn births(generator: &mut Generator, process: u32, end: u64) -> Vec<(u64, Born)> {
    let mut found = Vec::new();
    let mut due = generator.first(process);
    while let Some(now) = due.filter(|now| *now < end) {
        let (born, next) = generator.born(process, now);
        found.push((now, born));
        due = next;
    }
    found
}

/// Mean and variance.
fn moments(values: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (n, mean, squares / (n - 1.0))
}

/// How many standard deviations a count of successes lies from what is expected.
fn deviations(count: u64, tries: u64, chance: f64) -> f64 {
    let (count, tries) = (count as f64, tries as f64);
    (count - tries * chance).abs() / (tries * chance * (1.0 - chance)).sqrt()
}
